# SPDX-License-Identifier: BSD-3-Clause
"""What a site looks at: of one simulation, and with intervals over several seeds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from nereus.simulation.workload.job import Outcome

#: Jobs that run for less count as if they ran so long: else they decide the mean slowdown (Feitelson, 2001).
SHORTEST_SECONDS = 10.0
_CONFIDENCE = 0.95
_HOUR = 3600.0
_JOULES_OF_KWH = 3.6e6


@dataclass(frozen=True)
class Figures:
    """Means are over all jobs. `utilisation`: share of the cores that jobs had, over the makespan, also
    while they were resized; `utilisation_by_ranks`: of those that had a rank. None: energy where the
    workload does not say what cores take, those of failures where nodes do not fail, and of I/O
    without a store.
    """

    makespan_seconds: float
    mean_turnaround_seconds: float
    mean_wait_seconds: float
    mean_bounded_slowdown: float
    utilisation: float
    killed: int
    resizes: int
    utilisation_by_ranks: float
    core_hours_lost_to_resizes: float
    energy_kwh: float | None = None
    failures: int | None = None
    failed: int | None = None
    core_hours_lost_to_failures: float | None = None
    core_hours_of_saves: float | None = None
    core_hours_lost_to_io: float | None = None

    def document(self) -> dict[str, float]:
        """By the names of the keys."""
        return {name: value for name, value in asdict(self).items() if value is not None}


#: Those that are told with an interval, whatever the workload says.
MEASURES = (
    "makespan_seconds",
    "mean_turnaround_seconds",
    "mean_wait_seconds",
    "mean_bounded_slowdown",
    "utilisation",
    "utilisation_by_ranks",
    "killed",
    "core_hours_lost_to_resizes",
)


@dataclass(frozen=True)
class Watts:
    """That a core takes without a job, and with one."""

    idle: float
    busy: float

    def kwh(self, core_seconds: float, busy_core_seconds: float) -> float:
        """Of so many, of which so many were jobs'."""
        joules = self.busy * busy_core_seconds + self.idle * (core_seconds - busy_core_seconds)
        return joules / _JOULES_OF_KWH


def measures_of(figures: Sequence[Figures]) -> Sequence[str]:
    """Those that are told with an interval; all figures have the same."""
    told = figures[0].document()
    return (*MEASURES, *(each.name for each in fields(Figures) if each.default is None and each.name in told))


def figures_of(
    outcomes: Sequence[Outcome],
    cores: int,
    watts: Watts | None = None,
    fails: bool = False,
    shares: bool = False,
) -> Figures:
    """Of jobs that have all ended; the first is submitted at 0 s.

    `fails`: whether nodes do; `shares`: whether jobs share a store.
    """
    makespan = max(each.ended for each in outcomes)
    busy = sum(each.core_seconds for each in outcomes)
    return Figures(
        makespan,
        fmean(each.turnaround for each in outcomes),
        fmean(each.wait for each in outcomes),
        fmean(bounded_slowdown(each) for each in outcomes),
        busy / (cores * makespan),
        sum(each.killed for each in outcomes),
        sum(each.resizes for each in outcomes),
        sum(each.computing_core_seconds for each in outcomes) / (cores * makespan),
        sum(each.lost_core_seconds for each in outcomes) / _HOUR,
        None if watts is None else watts.kwh(cores * makespan, busy),
        **(_of_failures(outcomes) if fails else {}),
        core_hours_lost_to_io=sum(each.core_seconds_lost_to_io for each in outcomes) / _HOUR
        if shares
        else None,
    )


def _of_failures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    return {
        "failures": sum(each.failures for each in outcomes),
        "failed": sum(each.failed for each in outcomes),
        "core_hours_lost_to_failures": sum(each.core_seconds_lost_to_failures for each in outcomes) / _HOUR,
        "core_hours_of_saves": sum(each.core_seconds_of_saves for each in outcomes) / _HOUR,
    }


def _lost_to_io(outcomes: Sequence[Outcome]) -> float:
    return sum(each.core_seconds_lost_to_io for each in outcomes) / _HOUR


def bounded_slowdown(outcome: Outcome) -> float:
    """How many times as long as it ran the job took, from its submission on."""
    return max(1.0, outcome.turnaround / max(outcome.ran, SHORTEST_SECONDS))


@dataclass(frozen=True)
class Interval:
    """In which the mean lies with a confidence of 95 % (Student's t); one value alone has no interval."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> "Interval":
        """Of independent values."""
        mean = fmean(values)
        if len(values) < 2:
            return cls(mean, None, None)
        from scipy.stats import t

        half = float(t.ppf((1 + _CONFIDENCE) / 2, len(values) - 1)) * stdev(values) / sqrt(len(values))
        return cls(mean, mean - half, mean + half)
