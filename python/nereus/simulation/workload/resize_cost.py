# SPDX-License-Identifier: BSD-3-Clause
"""What a resize costs: seconds in which the job makes no progress, by the bytes that its method moves.

Defaults are what docs/measured/transfers.md and docs/howto/performance.md tell of our own measurements.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, inf

from nereus.simulation.workload.job import Job


def moved_between_blocks(old: int, new: int) -> float:
    """Share of an array in equal blocks, in the order of ranks, that is another rank's on `new` ranks."""
    few, many = sorted((old, new))
    if few == many:
        return 0.0
    # Rank r has [r/few, (r+1)/few) and [r/many, (r+1)/many), which share a part if r < few/(many - few).
    sharing = min(few, ceil(few / (many - few)))
    kept = sharing * (sharing + 1) / (2 * many) - sharing * (sharing - 1) / (2 * few)
    return max(0.0, 1.0 - kept)


@dataclass(frozen=True)
class Method:
    """`moved`: how many times all bytes of a job, from so many ranks to so many; defaults of the other
    parameters; `needs_rate`: that of the store has none.
    """

    name: str
    moved: Callable[[int, int], float] | None
    seconds: float | None = None
    rate_per_rank: float | None = None
    needs_rate: bool = False

    @property
    def moves_nothing(self) -> bool:
        """A resize takes the same time, however much data there is."""
        return self.moved is None


METHODS: Mapping[str, Method] = {
    row.name: row
    for row in (
        Method("constant", None),
        Method("shared-memory", None, seconds=0.01),
        Method("messages", moved_between_blocks, seconds=0.02, rate_per_rank=2.4e9),
        Method("restart", lambda old, new: 1.0, seconds=0.56, needs_rate=True),
        Method("save-and-resume", lambda old, new: 2.0, seconds=0.56, needs_rate=True),
    )
}


@dataclass(frozen=True)
class ResizeCost:
    """Bytes per second: `rate` of the whole job, `rate_per_rank` of each rank of the smaller side."""

    method: Method
    seconds: float
    rate: float
    rate_per_rank: float
    memory_per_rank: float

    @classmethod
    def constant(cls, seconds: float) -> "ResizeCost":
        """The same for each resize."""
        return cls(METHODS["constant"], seconds, inf, inf, 0.0)

    def of(self, job: Job, old: int, new: int) -> float:
        """Seconds."""
        if self.method.moved is None:
            return self.seconds
        memory = self.memory_per_rank if job.memory_per_rank is None else job.memory_per_rank
        moved = self.method.moved(old, new) * memory * (job.ranks - job.idle)
        return self.seconds + moved / min(self.rate, self.rate_per_rank * min(old, new))
