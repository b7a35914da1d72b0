# SPDX-License-Identifier: BSD-3-Clause
"""What a site looks at: of one simulation, and with intervals over several seeds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from statistics import fmean, stdev

from nereus.simulation.workload.job import Outcome

#: Jobs that run for less count as if they ran so long: else they decide the mean slowdown (Feitelson, 2001).
SHORTEST_SECONDS = 10.0
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Figures:
    """Means are over all jobs. `utilisation`: share of the cores that jobs had, over the makespan;
    `utilisation_by_ranks`: of those that had a rank.
    """

    makespan_seconds: float
    mean_turnaround_seconds: float
    mean_wait_seconds: float
    mean_bounded_slowdown: float
    utilisation: float
    killed: int
    resizes: int
    utilisation_by_ranks: float

    def document(self) -> dict[str, float]:
        """By the names of the keys."""
        return asdict(self)


#: Those that are told with an interval.
MEASURES = (
    "makespan_seconds",
    "mean_turnaround_seconds",
    "mean_wait_seconds",
    "mean_bounded_slowdown",
    "utilisation",
)


def figures_of(outcomes: Sequence[Outcome], cores: int) -> Figures:
    """Of jobs that have all ended; the first is submitted at 0 s."""
    makespan = max(each.ended for each in outcomes)
    return Figures(
        makespan,
        fmean(each.turnaround for each in outcomes),
        fmean(each.wait for each in outcomes),
        fmean(bounded_slowdown(each) for each in outcomes),
        sum(each.core_seconds for each in outcomes) / (cores * makespan),
        sum(each.killed for each in outcomes),
        sum(each.resizes for each in outcomes),
        sum(each.computing_core_seconds for each in outcomes) / (cores * makespan),
    )


def bounded_slowdown(outcome: Outcome) -> float:
    """How many times as long as it ran the job took, from its submission on."""
    ran = outcome.ended - outcome.started
    return max(1.0, outcome.turnaround / max(ran, SHORTEST_SECONDS))


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
