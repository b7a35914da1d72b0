# SPDX-License-Identifier: BSD-3-Clause
"""Tests of hypotheses, as the papers use them; all are pure, and say why when they have no answer.

Shapiro-Wilk, then Kruskal-Wallis, then Conover's test with Holm's correction where that rejects:
Martín-Álvarez et al. 2024, section 5.2; "Análisis de métodos de redistribución", section IV.D.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from statistics import fmean, median, stdev
from typing import Any

LEVEL = 0.05
#: Fewest runs of a variant: Shapiro-Wilk is not defined for less, and ranks of less tell nothing.
FEWEST = 3
NOT_ENOUGH, ALL_EQUAL = "not enough runs", "all values are equal"
NO_FIGURE = "the test has no figure for these values"


@dataclass(frozen=True)
class Spread:
    """How values lie; `deviation` is that of the sample, None of one value."""

    median: float
    mean: float
    deviation: float | None
    least: float
    greatest: float
    runs: int

    def document(self) -> dict[str, Any]:
        """As in the report's JSON."""
        return {
            "median": self.median,
            "mean": self.mean,
            "deviation": self.deviation,
            "min": self.least,
            "max": self.greatest,
            "runs": self.runs,
        }


def spread(values: Sequence[float]) -> Spread | None:
    """None of no values."""
    if not values:
        return None
    deviation = stdev(values) if len(values) > 1 else None
    return Spread(median(values), fmean(values), deviation, min(values), max(values), len(values))


@dataclass(frozen=True)
class Verdict:
    """The p of a test, or why there is none."""

    p: float | None
    reason: str = ""

    @property
    def rejected(self) -> bool:
        """Whether the hypothesis that nothing is different, or that all is normal, is rejected."""
        return self.p is not None and self.p < LEVEL


def normality(values: Sequence[float]) -> Verdict:
    """Shapiro-Wilk: are these from a normal distribution?"""
    if len(values) < FEWEST:
        return Verdict(None, NOT_ENOUGH)
    if min(values) == max(values):
        return Verdict(None, ALL_EQUAL)
    from scipy.stats import shapiro

    return _verdict(shapiro, list(values))


@dataclass(frozen=True)
class Differences:
    """What tells variants apart: Kruskal-Wallis over all, and Conover's p of each two where it rejects."""

    verdict: Verdict
    pairs: Mapping[frozenset[str], float]
    runs: int

    def tells_apart(self, one: str, other: str) -> bool:
        """Whether these two are different."""
        return self.pairs.get(frozenset((one, other)), 1.0) < LEVEL


def differences(groups: Mapping[str, Sequence[float]]) -> Differences:
    """Kruskal-Wallis over the variants that have enough runs, then Conover's test."""
    enough = usable(groups)
    runs = sum(map(len, enough.values()))
    if len(enough) < 2:
        return Differences(Verdict(None, NOT_ENOUGH), {}, runs)
    if len({value for values in enough.values() for value in values}) == 1:
        return Differences(Verdict(None, ALL_EQUAL), {}, runs)
    from scipy.stats import kruskal

    verdict = _verdict(kruskal, *map(list, enough.values()))
    return Differences(verdict, _conover(enough) if verdict.rejected else {}, runs)


def usable(groups: Mapping[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """The variants that have enough runs for a test."""
    return {name: values for name, values in groups.items() if len(values) >= FEWEST}


def _conover(groups: Mapping[str, Sequence[float]]) -> dict[frozenset[str], float]:
    """Holm-corrected p of each two. Where no value lies among those of another, the test divides by 0."""
    from scikit_posthocs import posthoc_conover

    names = list(groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = posthoc_conover([list(groups[name]) for name in names], p_adjust="holm").to_numpy()
    return {
        frozenset((one, other)): float(table[row][column])
        for row, one in enumerate(names)
        for column, other in enumerate(names[:row])
        if not isnan(table[row][column])
    }


def _verdict(test: Any, *samples: list[float]) -> Verdict:
    """scipy warns of few or equal values, or refuses them; both are no figure."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            p = float(test(*samples).pvalue)
        except ValueError as error:
            return Verdict(None, str(error))
    return Verdict(None, NO_FIGURE) if isnan(p) else Verdict(p)
