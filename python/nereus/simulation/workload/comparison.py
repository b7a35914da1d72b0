# SPDX-License-Identifier: BSD-3-Clause
"""The same jobs under each order and strategy, for each share of malleable jobs and each seed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from nereus.policy.loading import load_strategy
from nereus.simulation.workload.allocation import allocated
from nereus.simulation.workload.figures import Figures, Interval, figures_of, measures_of
from nereus.simulation.workload.job import Job, Kind, Outcome
from nereus.simulation.workload.kinds import with_kinds
from nereus.simulation.workload.machine import Recorder
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate
from nereus.simulation.workload.sources import Jobs, jobs_of

NO_STRATEGY = "none"


@dataclass(frozen=True)
class Variant:
    """What rows of a table have in common that differ in their seeds."""

    order: str
    strategy: str
    malleable_percent: float


@dataclass(frozen=True)
class Case:
    """One simulation, from which rows of several seeds come where nothing is drawn."""

    variant: Variant
    seed: int

    @property
    def text(self) -> str:
        """For people."""
        strategy = "" if self.variant.strategy == NO_STRATEGY else f", {self.variant.strategy}"
        share = f"{self.variant.malleable_percent:g} % malleable"
        return f"{self.variant.order}{strategy}, {share}, seed {self.seed}"


@dataclass(frozen=True)
class Row:
    """What one seed of a variant comes to."""

    variant: Variant
    seed: int
    figures: Figures

    def document(self) -> dict[str, Any]:
        """Flat."""
        return {**asdict(self.variant), "seed": self.seed, **self.figures.document()}


class Comparison:
    """ConfigError where a trace cannot be used, PolicyError where a strategy can't, when it is made."""

    def __init__(self, workload: Workload, skip_bad: bool = False) -> None:
        self.workload, self.skip_bad = workload, skip_bad
        self._of_seed: dict[int, Jobs] = {}
        self._strategies = {name: load_strategy(name) for name in workload.strategy}
        first = self._jobs(workload.seed)
        self.left_out = first.left_out
        self.jobs_each = len(first.all)
        self._has_own_malleable = any(job.kind is Kind.MALLEABLE for job in first.all)

    @property
    def cases(self) -> list[Case]:
        """All that are to be simulated."""
        return list(dict.fromkeys(self._case(variant, seed) for variant, seed in self._all()))

    def simulated(self, case: Case, ended: Callable[[], None] = lambda: None) -> Figures:
        """`ended` is told of the end of each job."""
        found, outcomes = self.workload, self.outcomes(case, ended)
        return figures_of(
            outcomes, found.cores, found.watts, found.failures is not None, found.storage is not None
        )

    def outcomes(
        self, case: Case, ended: Callable[[], None] = lambda: None, recorder: Recorder | None = None
    ) -> list[Outcome]:
        """What became of each job; `recorder` as of simulate()."""
        failures, storage = self.workload.failures, self.workload.storage
        return simulate(
            self._jobs_with_kinds(case.variant.malleable_percent, case.seed),
            ORDERS[case.variant.order].make(self.workload.cores, self.workload.rules),
            self._strategies.get(case.variant.strategy),
            ended=ended,
            recorder=recorder,
            cost=None if self.workload.resize_cost is None else self.workload.resize_cost.made(),
            speedup=self.workload.speedup_of_jobs,
            step=self.workload.step,
            failures=None if failures is None else failures.made(self.workload.cores_per_node, case.seed),
            storage=None if storage is None else storage.made,
        )

    def rows(self, found: Mapping[Case, Figures]) -> list[Row]:
        """In the order in which they are told; `found`: of all cases."""
        return [Row(variant, seed, found[self._case(variant, seed)]) for variant, seed in self._all()]

    def _all(self) -> Iterator[tuple[Variant, int]]:
        chosen = self.workload
        for order in dict.fromkeys(chosen.order):
            for percent in dict.fromkeys(chosen.malleable):
                is_malleable = percent > 0 or self._has_own_malleable
                for strategy in dict.fromkeys(chosen.strategy) if is_malleable else (NO_STRATEGY,):
                    for seed in range(chosen.seed, chosen.seed + chosen.seeds):
                        yield Variant(order, strategy, percent), seed

    def _case(self, variant: Variant, seed: int) -> Case:
        """The first seed for all where nothing is drawn."""
        shares = (variant.malleable_percent, self.workload.moldable)
        is_drawn = (
            self.workload.generated is not None
            or self.workload.failures is not None
            or any(0 < share < 100 for share in shares)
        )
        return Case(variant, seed if is_drawn else self.workload.seed)

    def _jobs_with_kinds(self, malleable: float, seed: int) -> list[Job]:
        jobs = with_kinds(self._jobs(seed), self.workload, malleable, seed)
        return [allocated(job, self.workload) for job in jobs]

    def _jobs(self, seed: int) -> Jobs:
        """Only drawn ones differ by the seed; those of the latest seed are kept."""
        key = seed if self.workload.generated is not None else self.workload.seed
        if key not in self._of_seed:
            self._of_seed = {key: jobs_of(self.workload, key, self.skip_bad)}
        return self._of_seed[key]


def summary(rows: list[Row]) -> dict[Variant, dict[str, Interval]]:
    """Each measure of each variant, over its seeds."""
    by_variant: dict[Variant, list[Row]] = {}
    for row in rows:
        by_variant.setdefault(row.variant, []).append(row)
    names = measures_of([row.figures for row in rows])
    return {
        variant: {name: Interval.of([getattr(row.figures, name) for row in same]) for name in names}
        for variant, same in by_variant.items()
    }
