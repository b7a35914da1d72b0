# SPDX-License-Identifier: BSD-3-Clause
"""How a job's time depends on its ranks: a speed-up is how many times as fast as on one rank it is.

amdahl: Amdahl, AFIPS 1967. downey: A. B. Downey, "A model for speedup of parallel programs", UC Berkeley,
report CSD-97-933, 1997. measured: points of one's own.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from dataclasses import dataclass
from math import exp, log
from typing import ClassVar


class Speedup(ABC):
    """Of jobs, each of which asks for a number of ranks.

    `is_concave`: whether each further rank adds no more than the one before, however many there are.
    """

    is_concave: ClassVar = False

    def time_factor(self, ranks: int, asked: int) -> float:
        """How many times as long as on `asked` ranks it takes: exactly 1 on these."""
        return 1.0 if ranks == asked else self._time_factor(ranks, asked)

    @abstractmethod
    def _time_factor(self, ranks: int, asked: int) -> float:
        """On other ranks."""


@dataclass(frozen=True)
class Amdahl(Speedup):
    """`parallel_fraction`: of the time on the ranks asked for, the share that ranks divide among them."""

    is_concave: ClassVar = True
    parallel_fraction: float

    def _time_factor(self, ranks: int, asked: int) -> float:
        return (1 - self.parallel_fraction) + self.parallel_fraction * asked / ranks


@dataclass(frozen=True)
class Downey(Speedup):
    """`parallelism`: how many ranks a job keeps busy on average; `variance`: how much that number varies.

    `is_of_ranks`: the parallelism is a multiple of the ranks that a job asks for, and at least 1.
    """

    is_concave: ClassVar = True
    parallelism: float
    variance: float
    is_of_ranks: bool = False

    def _time_factor(self, ranks: int, asked: int) -> float:
        parallelism = max(1.0, self.parallelism * asked) if self.is_of_ranks else self.parallelism
        return downey_speedup(asked, parallelism, self.variance) / downey_speedup(
            ranks, parallelism, self.variance
        )


def downey_speedup(ranks: float, parallelism: float, variance: float) -> float:
    """The model has two cases: low variance, up to 1, and high variance. They agree at 1."""
    if variance <= 1:
        return _of_low_variance(ranks, parallelism, variance)
    if ranks >= parallelism + parallelism * variance - variance:
        return parallelism
    return ranks * parallelism * (variance + 1) / (variance * (ranks + parallelism - 1) + parallelism)


def _of_low_variance(ranks: float, parallelism: float, variance: float) -> float:
    if ranks >= 2 * parallelism - 1:
        return parallelism
    if ranks <= parallelism:
        return parallelism * ranks / (parallelism + variance * (ranks - 1) / 2)
    return parallelism * ranks / (variance * (parallelism - 0.5) + ranks * (1 - variance / 2))


@dataclass(frozen=True)
class Measured(Speedup):
    """Seconds at some numbers of ranks, rising: straight lines between them where both axes are logarithmic.

    Below the first point, half the ranks take twice as long; beyond the last there is no gain.
    """

    ranks: tuple[int, ...]
    seconds: tuple[float, ...]

    def _time_factor(self, ranks: int, asked: int) -> float:
        return self.seconds_on(ranks) / self.seconds_on(asked)

    def seconds_on(self, ranks: int) -> float:
        """Of the program that was measured."""
        place = bisect_left(self.ranks, ranks)
        if place == len(self.ranks):
            return self.seconds[-1]
        if place == 0:
            return self.seconds[0] * self.ranks[0] / ranks
        before, after = self.ranks[place - 1], self.ranks[place]
        share = log(ranks / before) / log(after / before)
        return self.seconds[place - 1] * exp(share * log(self.seconds[place] / self.seconds[place - 1]))
