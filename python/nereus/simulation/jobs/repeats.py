# SPDX-License-Identifier: BSD-3-Clause
"""The same comparison again and again, each time with another seed and other times of the jobs.

One run of jobs that write in turns says little: whether periods fall into step depends on the last digits of
their times. What is left over many runs, with times that are known to a few percent, is a result.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nereus.simulation.jobs.comparison import Comparison
from nereus.simulation.jobs.results import Result, Sizes
from nereus.simulation.jobs.scenario import Job, Scenario

#: What is told of each policy: the figures of the document of one run.
FIGURES: Mapping[str, Callable[[Result], float]] = {
    "flops": lambda result: result.flops,
    "delay_seconds": lambda result: result.delay,
    "io_seconds": lambda result: result.service + result.delay,
    "makespan_seconds": lambda result: result.makespan,
}
#: Between these shares of the values lies the interval that is told.
_LOW, _HIGH = 0.025, 0.975


@dataclass(frozen=True)
class Interval:
    """Of values: their median, and between what 95 % of them lie."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Interval":
        low, median, high = np.quantile(values, [_LOW, 0.5, _HIGH])
        return cls(float(median), float(low), float(high))

    def document(self) -> dict[str, float]:
        return {"median": self.median, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Distribution:
    """Of one figure of a policy over all repeats.

    `over_first`: its quotient with that of the first policy in the same repeat; `above`: the share of repeats
    in which it is above 1. Both are None where that of the first policy is 0 in some repeat.
    """

    values: Interval
    over_first: Interval | None
    above: float | None

    def document(self) -> dict[str, Any]:
        over = self.over_first.document() if self.over_first is not None else None
        return {**self.values.document(), "over_first": over, "above_first": self.above}


Distributions = Mapping[int, Mapping[str, Mapping[str, Distribution]]]  # by cores, policy and figure


class Repeats:
    """`scenarios`: one for each number of cores; `vary`: by what share each time of a job differs at most."""

    def __init__(self, scenarios: Sequence[Scenario], names: Sequence[str], count: int, vary: float) -> None:
        first = scenarios[0].seed
        self._comparisons = [
            Comparison([varied(scenario, first + number, vary) for scenario in scenarios], names)
            for number in range(count)
        ]

    @property
    def jobs(self) -> int:
        return sum(comparison.jobs for comparison in self._comparisons)

    def distributions(self, ended: Callable[[str], None] = lambda latest: None) -> Distributions:
        """`ended` as of Comparison.results()."""
        return _distributions([comparison.results(ended) for comparison in self._comparisons])


def varied(scenario: Scenario, seed: int, vary: float) -> Scenario:
    """With another seed; the same times for all numbers of cores and policies of this seed."""
    chosen = random.Random(seed)
    jobs = [_varied(job, vary, chosen) for job in scenario.jobs]
    return scenario.model_copy(update={"seed": seed, "jobs": jobs})


def _varied(job: Job, vary: float, chosen: random.Random) -> Job:
    def times(value: float) -> float:
        return value * (1 + chosen.uniform(-vary, vary))

    changed: dict[str, Any] = {}
    if job.time is not None:
        own = {name: times(getattr(job.time, name)) for name in type(job.time).model_fields}
        changed["time"] = job.time.model_copy(update=own)
    if job.times is not None:
        factor = times(1.0)
        changed["times"] = [[ranks, seconds * factor] for ranks, seconds in job.times]
    changed |= {
        name: times(value) for name in ("io_seconds", "io_bytes") if (value := getattr(job, name)) is not None
    }
    return job.model_copy(update=changed)


def _distributions(repeats: Sequence[Sizes]) -> Distributions:
    return {cores: dict(_of_policies([repeat[cores] for repeat in repeats])) for cores in repeats[0]}


def _of_policies(repeats: Sequence[Sequence[Result]]) -> Iterator[tuple[str, dict[str, Distribution]]]:
    for results in zip(*repeats, strict=True):
        firsts = [repeat[0] for repeat in repeats]
        yield results[0].policy, {name: _of(read, results, firsts) for name, read in FIGURES.items()}


def _of(read: Callable[[Result], float], results: Sequence[Result], firsts: Sequence[Result]) -> Distribution:
    values, base = [read(result) for result in results], [read(result) for result in firsts]
    if min(base) <= 0:
        return Distribution(Interval.of(values), None, None)
    over = [value / first for value, first in zip(values, base, strict=True)]
    return Distribution(Interval.of(values), Interval.of(over), sum(each > 1 for each in over) / len(over))


def document(found: Distributions, repeat: int, vary: float) -> dict[str, Any]:
    """What `nereus simulate --repeat N --json` prints (docs/reference/simulate.md)."""
    sizes = {
        str(cores): {
            "policies": {
                policy: {name: each.document() for name, each in figures.items()}
                for policy, figures in policies.items()
            }
        }
        for cores, policies in found.items()
    }
    return {"repeat": repeat, "vary": vary, "cores": sizes}
