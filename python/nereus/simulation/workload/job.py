# SPDX-License-Identifier: BSD-3-Clause
"""A job as it is submitted, what a start order knows of it, and what became of it."""

from dataclasses import dataclass
from enum import StrEnum
from math import inf

from nereus.simulation.workload.speedup import Speedup


class Kind(StrEnum):
    """Whether its number of ranks is chosen: never, at its start, or at any time."""

    RIGID = "rigid"
    MOLDABLE = "moldable"
    MALLEABLE = "malleable"


@dataclass(frozen=True, slots=True)
class Job:
    """`seconds`: that it runs on `ranks`, which it prefers; `limit`: after which it would be killed there,
    infinite where it has none; `least` to `most`: ranks that it may have; `memory_per_rank`: bytes of each of
    `ranks`, where it is known; `priority`: from 0 to 1; `io_share`: of `seconds`, what its I/O takes with as
    much of the store as one job gets at most. Where jobs have whole nodes, numbers of ranks are
    cores of nodes, and on `ranks` of these `idle` have no rank.
    """

    name: str
    submit: float
    ranks: int
    seconds: float
    limit: float
    kind: Kind
    least: int
    most: int
    memory_per_rank: float | None = None
    idle: int = 0
    priority: float = 0.0
    io_share: float = 0.0

    @classmethod
    def rigid(
        cls,
        name: str,
        submit: float,
        ranks: int,
        seconds: float,
        limit: float = inf,
        memory_per_rank: float | None = None,
    ) -> "Job":
        """On one number of ranks."""
        return cls(name, submit, ranks, seconds, limit, Kind.RIGID, ranks, ranks, memory_per_rank)


@dataclass(frozen=True, slots=True)
class Request:
    """What an order knows of a job, which is not how long it will run.

    `number`: in the order of submission; it starts on `ranks` at best, on `least` at worst; `idle` and
    `priority`: of a Job.
    """

    number: int
    ranks: int
    least: int
    limit: float
    speedup: Speedup
    idle: int = 0
    priority: float = 0.0

    def computing(self, ranks: int) -> int:
        """Of so many cores, those that have a rank: all, except at the size asked for."""
        return ranks - self.idle if ranks == self.ranks else ranks

    def time_factor(self, ranks: int) -> float:
        """How many times as long as on the ranks asked for it takes."""
        if ranks == self.ranks:
            return 1.0
        return self.speedup.time_factor(ranks, self.ranks - self.idle)

    def limit_on(self, ranks: int) -> float:
        """Seconds after which it is killed: a limit is for the ranks asked for, on others times differ."""
        return self.limit * self.time_factor(ranks)


@dataclass(frozen=True, slots=True)
class Start:
    """A job that starts now, on so many ranks."""

    request: Request
    ranks: int


@dataclass(slots=True)
class Outcome:
    """Of one job, on the `ranks` that it had in the end; `killed`: at its limit."""

    job: Job
    started: float
    ranks: int
    ended: float = inf
    killed: bool = False
    resizes: int = 0
    core_seconds: float = 0.0
    lost_core_seconds: float = 0.0  # of these, in resizes
    computing_core_seconds: float = 0.0  # of cores that had a rank
    work_seconds: float = 0.0  # done, on the ranks that it asked for
    failed: bool = False  # for good
    failures: int = 0
    lost_work_seconds: float = 0.0  # to failures: done again, or not
    waited_again_seconds: float = 0.0  # in the queue, after failures
    core_seconds_lost_to_failures: float = 0.0
    core_seconds_of_saves: float = 0.0
    core_seconds_lost_to_io: float = 0.0  # that others' I/O made it wait

    @property
    def wait(self) -> float:
        """Seconds in the queue."""
        return self.started - self.job.submit + self.waited_again_seconds

    @property
    def ran(self) -> float:
        """Seconds in which it had cores."""
        return self.ended - self.started - self.waited_again_seconds

    @property
    def turnaround(self) -> float:
        """Seconds from its submission to its end."""
        return self.ended - self.job.submit
