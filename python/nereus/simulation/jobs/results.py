# SPDX-License-Identifier: BSD-3-Clause
"""The results of a simulation under one policy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

Event = dict[str, Any]  # "time", "job", "event", and what belongs to it


@dataclass(frozen=True)
class Foretold:
    """When a job asked for its turn, and when it was expected to right after its phase before."""

    expected: float
    asked: float
    period: float

    @property
    def error(self) -> float:
        return abs(self.asked - self.expected)


@dataclass
class JobResult:
    """`service`, `wait`: of its I/O phases; `ranks`: that it has in the end.

    Times are seconds from the beginning of the simulation.
    """

    name: str
    submitted: float
    ranks: int = 0
    started: float | None = None
    ended: float | None = None
    phases: int = 0
    service: float = 0.0
    wait: float = 0.0
    resizes: int = 0
    paused: float = 0.0  # while it was resized
    flops: float = 0.0  # operations, not per second
    core_seconds: float = 0.0
    foretold: list[Foretold] = field(default_factory=list)

    def queued(self, end: float) -> float:
        """Seconds that it waited for cores; to the end, where it never got them."""
        return (end if self.started is None else self.started) - self.submitted

    def document(self) -> dict[str, Any]:
        waited = None if self.started is None else self.started - self.submitted
        return {
            "name": self.name,
            "io_seconds": self.service + self.wait,
            "delay_seconds": self.wait,
            "ranks": self.ranks,
            "service_seconds": self.service,
            "phases": self.phases,
            "resizes": self.resizes,
            "resize_seconds": self.paused,
            "start_seconds": self.started,
            "end_seconds": self.ended,
            "queue_seconds": waited,
            "core_seconds": self.core_seconds,
            "prediction": _errors(self.foretold),
        }


@dataclass
class Result:
    """`left_out`: jobs of a trace that need more cores than there are."""

    policy: str
    jobs: list[JobResult]
    events: list[Event]
    makespan: float
    left_out: int = 0

    def document(self) -> dict[str, Any]:
        foretold = [each for job in self.jobs for each in job.foretold]
        return {
            "makespan_seconds": self.makespan,
            "io_seconds": self.service + self.delay,
            "delay_seconds": self.delay,
            "resizes": sum(job.resizes for job in self.jobs),
            "flops": self.flops,
            "service_seconds": self.service,
            "queue_seconds": self.queued,
            "turnaround_seconds": self.turnaround,
            "core_seconds": sum(job.core_seconds for job in self.jobs),
            "unfinished": sum(job.ended is None for job in self.jobs),
            "left_out": self.left_out,
            "prediction": _errors(foretold),
            "jobs": [job.document() for job in self.jobs],
        }

    @property
    def service(self) -> float:
        return sum(job.service for job in self.jobs)

    @property
    def delay(self) -> float:
        return sum(job.wait for job in self.jobs)

    @property
    def queued(self) -> float:
        """Seconds that jobs waited for cores, those too that never got them."""
        return sum(job.queued(self.makespan) for job in self.jobs)

    @property
    def turnaround(self) -> float:
        """Seconds from a job's submission to its end, the mean of those that have ended; 0 where none has."""
        return fmean([job.ended - job.submitted for job in self.jobs if job.ended is not None] or [0.0])

    @property
    def flops(self) -> float:
        """Useful ones per second, of all jobs together."""
        return sum(job.flops for job in self.jobs) / self.makespan if self.makespan > 0 else 0.0

    def job(self, name: str) -> JobResult:
        return next(job for job in self.jobs if job.name == name)


Sizes = Mapping[int, Sequence[Result]]  # by cores; of the same policies for each


def _errors(foretold: Sequence[Foretold]) -> dict[str, Any]:
    """Of predictions of the next I/O phase; shares are of the period."""
    shares = [each.error / each.period for each in foretold]
    return {
        "phases": len(foretold),
        "mean_error_seconds": fmean(each.error for each in foretold) if foretold else None,
        "greatest_error_seconds": max((each.error for each in foretold), default=None),
        "mean_error_share": fmean(shares) if shares else None,
        "greatest_error_share": max(shares, default=None),
    }
