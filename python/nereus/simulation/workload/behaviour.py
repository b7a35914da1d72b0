# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a workload that say how jobs and the machine behave: speed-ups, and what a resize costs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated

from pydantic import Field

from nereus.simulation.jobs.scenario import Part
from nereus.simulation.jobs.swf import TracedJob
from nereus.simulation.workload.resize_cost import METHODS, ResizeCost
from nereus.simulation.workload.speedup import Amdahl, Downey, Measured, Speedup

MEMORY_FIELDS = ("used", "requested")
_KILOBYTE = 1024
RATE = "bytes per second from 1 to 1e18"

Point = Annotated[list[float], Field(min_length=2, max_length=2)]
Rate = Annotated[float, Field(ge=1, le=1e18)]


class SpeedupTable(Part):
    """`model`: how the time of all jobs depends on their ranks; the other keys are its parameters."""

    model: str = Field("amdahl", description="one of amdahl, downey, measured")
    parallelism: float | None = Field(None, ge=1, le=1e9, description="ranks from 1 to 1e9")
    parallelism_factor: float | None = Field(None, gt=0, le=1e6, description="a number above 0, up to 1e6")
    variance: float | None = Field(None, ge=0, le=1e6, description="a number from 0 to 1e6")
    points: list[Point] | None = Field(
        None, min_length=1, description="a list of [ranks, seconds], ranks rising"
    )

    def made(self, parallel_fraction: float) -> Speedup:
        """With the parameters that its model needs."""
        return SPEEDUPS[self.model].make(self, parallel_fraction)


@dataclass(frozen=True)
class SpeedupRow:
    """`make`: from the table and the workload's parallel fraction; `keys`: of the table, that go with it."""

    name: str
    make: Callable[[SpeedupTable, float], Speedup]
    keys: tuple[str, ...] = ()


def _downey(table: SpeedupTable, parallel_fraction: float) -> Speedup:
    parallelism = table.parallelism_factor if table.parallelism is None else table.parallelism
    assert parallelism is not None and table.variance is not None
    return Downey(parallelism, table.variance, is_of_ranks=table.parallelism is None)


def _measured(table: SpeedupTable, parallel_fraction: float) -> Speedup:
    assert table.points is not None
    ranks, seconds = zip(*table.points, strict=True)
    return Measured(tuple(int(each) for each in ranks), tuple(seconds))


SPEEDUPS: Mapping[str, SpeedupRow] = {
    row.name: row
    for row in (
        SpeedupRow("amdahl", lambda table, parallel_fraction: Amdahl(parallel_fraction)),
        SpeedupRow("downey", _downey, ("parallelism", "parallelism_factor", "variance")),
        SpeedupRow("measured", _measured, ("points",)),
    )
}


def of_speedup(table: SpeedupTable, says_fraction: bool) -> Iterator[tuple[str, str]]:
    """Keys of the table, and what is allowed there. `says_fraction`: there is a parallel_fraction too."""
    if table.model not in SPEEDUPS:
        yield "model", f"one of {', '.join(SPEEDUPS)}"
        return
    keys = SPEEDUPS[table.model].keys
    for row in SPEEDUPS.values():
        for key in row.keys:
            if key not in keys and getattr(table, key) is not None:
                yield key, f"goes with the model {row.name}"
    if says_fraction and table.model != "amdahl":
        yield "model", "amdahl: parallel_fraction is its parameter"
    elif table.model == "downey":
        if (table.parallelism is None) == (table.parallelism_factor is None):
            yield (
                "parallelism",
                "one of parallelism and parallelism_factor says how many ranks jobs keep busy",
            )
        if table.variance is None:
            yield "variance", "is missing: a number from 0 to 1e6"
    elif table.model == "measured" and table.points is None:
        yield "points", "is missing: a list of [ranks, seconds], ranks rising"
    yield from _of_points(table.points or [])


def _of_points(points: list[list[float]]) -> Iterator[tuple[str, str]]:
    before = 0.0
    for ranks, seconds in points:
        if ranks != int(ranks) or not before < ranks <= 1e7 or not 1e-9 <= seconds <= 1e10:
            yield (
                "points",
                "[ranks, seconds]: whole numbers that rise, from 1 to 10^7, and from 1e-9 to 1e10",
            )
            return
        before = ranks


class ResizeCostTable(Part):
    """`method`: how data gets to the new ranks, or `constant`."""

    method: str = Field(description=f"one of {', '.join(METHODS)}")
    seconds: float | None = Field(None, ge=0, le=1e10, description="seconds from 0 to 1e10")
    rate: Rate | None = Field(None, description=RATE)
    rate_per_rank: Rate | None = Field(None, description=RATE)
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
