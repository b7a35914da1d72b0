# SPDX-License-Identifier: BSD-3-Clause
"""Times of the same work without something and with it, in turns: what it adds, and whether that can be told.

Bosilca et al., Euro-Par 2017, section 6.1, decide that by Student's t-test. Here it is the one for pairs,
since neighbours in time share what else the machine does.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from statistics import median

#: Below it a difference counts as one.
LEVEL = 0.05
_CONFIDENCE = 0.95
_ROUNDING = 1e-9  # of a time
#: With fewer values an interval of their median would have to go beyond them.
_FEWEST_FOR_INTERVAL = 6


@dataclass(frozen=True)
class Paired:
    """Seconds; the values of one place were measured one after the other."""

    without: Sequence[float]
    with_it: Sequence[float]

    @property
    def added(self) -> float:
        """Median of the differences, in seconds."""
        return median(b - a for a, b in zip(self.without, self.with_it, strict=True))

    @property
    def quotients(self) -> list[float]:
        """With it over without it, pair by pair."""
        return [b / a for a, b in zip(self.without, self.with_it, strict=True)]

    @property
    def overhead_percent(self) -> float:
        """Median of what is added, as a share of the time without it."""
        return 100 * (median(self.quotients) - 1)

    @property
    def interval_percent(self) -> tuple[float, float] | None:
        """In which that median lies with 95 % confidence, from the order of the values; None of few."""
        if len(self.without) < _FEWEST_FOR_INTERVAL:
            return None
        from scipy.stats import quantile_test

        bounds = quantile_test(self.quotients, q=1, p=0.5).confidence_interval(_CONFIDENCE)
        if isnan(bounds.low) or isnan(bounds.high):
            return None
        return 100 * (float(bounds.low) - 1), 100 * (float(bounds.high) - 1)

    @property
    def p_value(self) -> float | None:
        """Of Student's t-test for pairs, two-sided; None for one pair, and for equal differences."""
        if len(self.without) < 2:
            return None
        differences = [b - a for a, b in zip(self.without, self.with_it, strict=True)]
        if max(differences) - min(differences) <= _ROUNDING * max(map(abs, self.without)):
            return None
        from scipy.stats import ttest_rel

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = float(ttest_rel(self.with_it, self.without).pvalue)
        return None if isnan(p) else p
