# SPDX-License-Identifier: BSD-3-Clause
"""The same jobs under each order and strategy, for each share of malleable jobs and each seed."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from nereus.simulation.workload.allocation import allocated
from nereus.simulation.workload.figures import Figures, Interval, figures_of, measures_of
from nereus.simulation.workload.job import Job, Kind
from nereus.simulation.workload.kinds import with_kinds
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate
from nereus.simulation.workload.sources import Jobs, jobs_of
from nereus.simulation.workload.strategies import STRATEGIES

NO_STRATEGY = "none"


@dataclass(frozen=True)
class Variant:
    """What rows of a table have in common that differ in their seeds."""

    order: str
    strategy: str
    malleable_percent: float


@dataclass(frozen=True)
class Row:
    """One simulation."""

    variant: Variant
    seed: int
    figures: Figures

    def document(self) -> dict[str, Any]:
        """Flat."""
        return {**asdict(self.variant), "seed": self.seed, **self.figures.document()}


class Comparison:
    """ConfigError where a trace cannot be used, when it is made."""

    def __init__(self, workload: Workload, skip_bad: bool = False) -> None:
        self._workload = workload
        self._of_seed: dict[int, Jobs] = {}
        self._skip_bad = skip_bad
        self._simulated: dict[tuple[Variant, int], Figures] = {}
        first = self._jobs(workload.seed)
        self.left_out = first.left_out
        self._jobs_each = len(first.all)
        self._has_own_malleable = any(job.kind is Kind.MALLEABLE for job in first.all)

    @property
    def jobs(self) -> int:
        """That are to end in all simulations together."""
        keys = {self._key(variant, seed) for variant, seed in self._all()}
        return self._jobs_each * len(keys)

    def rows(self, ended: Callable[[str], None] = lambda latest: None) -> list[Row]:
        """`ended` is told at the end of each job of which order it is."""
        return [Row(variant, seed, self._figures(variant, seed, ended)) for variant, seed in self._all()]

    def _all(self) -> Iterator[tuple[Variant, int]]:
        """In the order in which they are told."""
        chosen = self._workload
        for order in dict.fromkeys(chosen.order):
            for percent in dict.fromkeys(chosen.malleable):
                is_malleable = percent > 0 or self._has_own_malleable
                for strategy in dict.fromkeys(chosen.strategy) if is_malleable else (NO_STRATEGY,):
                    for seed in range(chosen.seed, chosen.seed + chosen.seeds):
                        yield Variant(order, strategy, percent), seed

    def _figures(self, variant: Variant, seed: int, ended: Callable[[str], None]) -> Figures:
        key = self._key(variant, seed)
        if key not in self._simulated:
            jobs = self._jobs_with_kinds(variant.malleable_percent, key[1])
            outcomes = simulate(
                jobs,
                ORDERS[variant.order].make(self._workload.cores, self._workload.rules),
                STRATEGIES.get(variant.strategy),
                self._workload.parallel_fraction,
                lambda: ended(variant.order),
                cost=None if self._workload.resize_cost is None else self._workload.resize_cost.made(),
                speedup=self._workload.speedup_of_jobs,
                step=self._workload.step,
            )
            self._simulated[key] = figures_of(outcomes, self._workload.cores, self._workload.watts)
        return self._simulated[key]

    def _key(self, variant: Variant, seed: int) -> tuple[Variant, int]:
        """The first seed for all where nothing is drawn."""
        shares = (variant.malleable_percent, self._workload.moldable)
        is_drawn = self._workload.generated is not None or any(0 < share < 100 for share in shares)
        return variant, seed if is_drawn else self._workload.seed

    def _jobs_with_kinds(self, malleable: float, seed: int) -> list[Job]:
        jobs = with_kinds(self._jobs(seed), self._workload, malleable, seed)
        return [allocated(job, self._workload) for job in jobs]

    def _jobs(self, seed: int) -> Jobs:
        """Only drawn ones differ by the seed; those of the latest seed are kept."""
        key = seed if self._workload.generated is not None else self._workload.seed
        if key not in self._of_seed:
            self._of_seed = {key: jobs_of(self._workload, key, self._skip_bad)}
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


def document(workload: Workload, comparison: Comparison, rows: list[Row]) -> dict[str, Any]:
    """What `nereus simulate workload --json` prints (docs/reference/simulate-workload.md)."""
    intervals: list[Mapping[str, Any]] = [
        {**asdict(variant), **{name: asdict(each) for name, each in measures.items()}}
        for variant, measures in summary(rows).items()
    ]
    return {
        "cores": workload.cores,
        "left_out": dict(comparison.left_out),
        "rows": [row.document() for row in rows],
        "summary": intervals,
    }
