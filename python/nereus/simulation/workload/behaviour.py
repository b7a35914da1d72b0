# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a workload that say how jobs and the machine behave: what a resize costs."""

from collections.abc import Iterator
from math import inf
from typing import Annotated

from pydantic import Field

from nereus.simulation.jobs.scenario import Part
from nereus.simulation.jobs.swf import TracedJob
from nereus.simulation.workload.resize_cost import METHODS, ResizeCost

MEMORY_FIELDS = ("used", "requested")
_KILOBYTE = 1024
_RATE = "bytes per second, above 0 and up to 1e18"

Rate = Annotated[float, Field(gt=0, le=1e18)]


class ResizeCostTable(Part):
    """`method`: how data gets to the new ranks, or `constant`."""

    method: str = Field(description=f"one of {', '.join(METHODS)}")
    seconds: float | None = Field(None, ge=0, le=1e10, description="seconds from 0 to 1e10")
    rate: Rate | None = Field(None, description=_RATE)
    rate_per_rank: Rate | None = Field(None, description=_RATE)
    memory_per_rank: float = Field(2.0**30, ge=0, le=1e18, description="bytes from 0 to 1e18")
    memory_from: str | None = Field(None, description=f"one of {', '.join(MEMORY_FIELDS)}")

    def made(self) -> ResizeCost:
        """With the defaults of its method."""
        method = METHODS[self.method]
        seconds = method.seconds if self.seconds is None else self.seconds
        per_rank = self.rate_per_rank or method.rate_per_rank or inf
        return ResizeCost(method, seconds or 0.0, self.rate or inf, per_rank, self.memory_per_rank)


def of_resize_cost(table: ResizeCostTable, has_trace: bool) -> Iterator[tuple[str, str]]:
    """Keys of the table, and what is allowed there."""
    if table.method not in METHODS:
        yield "method", f"one of {', '.join(METHODS)}"
        return
    method = METHODS[table.method]
    if method.seconds is None and table.seconds is None:
        yield "seconds", f"is missing: what each resize takes, with the method {method.name}"
    if method.needs_rate and table.rate is None:
        yield "rate", f"is missing: bytes per second of the store, which the method {method.name} needs"
    if table.memory_from not in (None, *MEMORY_FIELDS):
        yield "memory_from", f"one of {', '.join(MEMORY_FIELDS)}"
    elif table.memory_from is not None and not has_trace:
        yield "memory_from", "goes with a trace, whose jobs say it"
    if method.moves_nothing:
        for key in ("rate", "rate_per_rank", "memory_per_rank", "memory_from"):
            if key in table.model_fields_set:
                yield key, f"goes with a method that moves data: {method.name} moves none"


def memory_of(job: TracedJob, table: ResizeCostTable | None) -> float | None:
    """Bytes of each rank, where the trace knows them and is asked."""
    if table is None or table.memory_from is None:
        return None
    kilobytes = job.used_memory if table.memory_from == "used" else job.requested_memory
    return kilobytes * _KILOBYTE if kilobytes > 0 else None
