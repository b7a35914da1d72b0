# SPDX-License-Identifier: BSD-3-Clause
"""How long a job takes on how many ranks: fitted to what was measured, so that a speed-up can be asked for.

In:  measured times, of computing and communication (a period without its I/O, or an iteration).
Out: T(P) = a + b / P + c P with a, b, c >= 0, or, where that does not fit, straight lines over 1 / P that
     only fall with more ranks. The paper (section 4.1) says that it interpolates; this has few parameters, so
     that a few measured sizes are enough, and tells how far it is off.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import floor, inf, isfinite, sqrt
from statistics import median
from typing import Protocol

import numpy as np

from nereus.policy.parameters import Parameters


@dataclass(frozen=True)
class Measured:
    ranks: int
    seconds: float

    def __post_init__(self) -> None:
        if self.ranks < 1 or not (isfinite(self.seconds) and self.seconds > 0):
            raise ValueError(f"{self}: ranks >= 1 and seconds > 0 are allowed")


class Performance(Protocol):
    @property
    def error(self) -> float:
        """Root mean square of the relative deviations from what was measured."""

    @property
    def fastest(self) -> float:
        """Ranks with which it takes the shortest time; infinite where more are always better."""

    def seconds(self, ranks: float) -> float: ...

    def times(self, factor: float) -> "Performance":
        """Of so many iterations, where this is of one."""


@dataclass(frozen=True)
class Curve:
    """T(P) = fixed + divided / P + per_rank * P."""

    fixed: float
    divided: float
    per_rank: float
    error: float = 0.0

    @property
    def fastest(self) -> float:
        return sqrt(self.divided / self.per_rank) if self.per_rank > 0 else inf

    def seconds(self, ranks: float) -> float:
        return self.fixed + self.divided / ranks + self.per_rank * ranks

    def times(self, factor: float) -> "Curve":
        return Curve(self.fixed * factor, self.divided * factor, self.per_rank * factor, self.error)


@dataclass(frozen=True)
class Falling:
    """Straight lines over 1 / P between points.

    There is no gain beyond the last; below the first, half the ranks take twice as long.
    """

    ranks: tuple[int, ...]  # rising
    seconds_at: tuple[float, ...]  # not rising
    error: float = 0.0

    @property
    def fastest(self) -> float:
        return self.ranks[self.seconds_at.index(self.seconds_at[-1])]

    def seconds(self, ranks: float) -> float:
        if ranks < self.ranks[0]:
            return self.seconds_at[0] * self.ranks[0] / ranks
        at = bisect_right(self.ranks, ranks) - 1
        if at == len(self.ranks) - 1:
            return self.seconds_at[-1]
        fewer, more = self.ranks[at], self.ranks[at + 1]
        share = (1 / fewer - 1 / ranks) / (1 / fewer - 1 / more)
        return self.seconds_at[at] + share * (self.seconds_at[at + 1] - self.seconds_at[at])

    def times(self, factor: float) -> "Falling":
        return replace(self, seconds_at=tuple(each * factor for each in self.seconds_at))


def fit(measured: Iterable[Measured], parameters: Parameters | None = None) -> Performance:
    """ValueError where nothing was measured. One size alone tells of no gain: the result does not fall."""
    medians = _medians(measured)
    if len(medians) > 1:
        curve = _curve(medians)
        if curve is not None and curve.error <= (parameters or Parameters()).worst_fit:
            return curve
    return _falling(medians)


def fewest_ranks(model: Performance, seconds: float, most: int) -> int | None:
    """The fewest that take no longer; None where not even `most` are so fast."""
    low, high = 1, _fastest_up_to(model, most)
    if model.seconds(high) > seconds:
        return None
    while low < high:  # times fall up to the fastest
        middle = (low + high) // 2
        low, high = (low, middle) if model.seconds(middle) <= seconds else (middle + 1, high)
    return low


def _fastest_up_to(model: Performance, most: int) -> int:
    if model.fastest >= most:
        return most
    below = max(1, floor(model.fastest))
    return min(below, below + 1, key=model.seconds)


def _medians(measured: Iterable[Measured]) -> list[Measured]:
    by_ranks: dict[int, list[float]] = {}
    for each in measured:
        by_ranks.setdefault(each.ranks, []).append(each.seconds)
    if not by_ranks:
        raise ValueError("no times were measured")
    return [Measured(ranks, median(times)) for ranks, times in sorted(by_ranks.items())]


def _curve(medians: list[Measured]) -> Curve | None:
    """By least squares of relative deviations; with two sizes there is nothing that a cost of each rank
    rests on. None where rounding keeps the solver from an end.
    """
    from scipy.optimize import nnls

    ranks = np.array([each.ranks for each in medians], dtype=float)
    times = np.array([each.seconds for each in medians])
    columns = [np.ones_like(ranks), 1 / ranks, ranks][: len(medians)]
    matrix = np.column_stack(columns) / times[:, None]
    lengths = np.linalg.norm(matrix, axis=0)  # of the order of 1 and of 1e-3: else it may go in circles
    try:
        found, _ = nnls(matrix / lengths, np.ones_like(times))
    except RuntimeError:
        return None
    curve = Curve(*(float(each) for each in found / lengths), *[0.0] * (3 - len(columns)))
    return replace(curve, error=_error(curve, medians))


def _falling(medians: list[Measured]) -> Falling:
    if len(medians) == 1:
        return Falling((medians[0].ranks,), (medians[0].seconds,))
    from scipy.optimize import isotonic_regression

    ranks = tuple(each.ranks for each in medians)
    fallen = isotonic_regression([each.seconds for each in medians], increasing=False).x
    made = Falling(ranks, tuple(float(time) for time in fallen))
    return replace(made, error=_error(made, medians))


def _error(model: Performance, medians: list[Measured]) -> float:
    deviations = [model.seconds(each.ranks) / each.seconds - 1 for each in medians]
    return sqrt(sum(deviation**2 for deviation in deviations) / len(deviations))
