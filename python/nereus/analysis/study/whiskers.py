# SPDX-License-Identifier: BSD-3-Clause
"""How far the runs reach that a bar of a figure is based on, and what is said of it below the figure."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

Spread = Mapping[str, Any]  # of a measure of a cell, docs/formats/study.md
Reach = tuple[float, float]


@dataclass(frozen=True)
class Whiskers:
    """`of`: from the bar's own cell and the one that it is compared with; `meaning`: in a sentence."""

    of: Callable[[float, Spread, Spread], Reach]
    meaning: str

    def reach(self, value: float, own: Spread, other: Spread) -> Reach | None:
        """None where it is a point, as of a single run."""
        if own["runs"] < 2 and other["runs"] < 2:
            return None
        low, high = self.of(value, own, other)
        return (low, high) if low < high else None


def _quotient(over: Spread, under: Spread) -> Reach:
    if under["min"] <= 0:
        return 0.0, 0.0
    return over["min"] / under["max"], over["max"] / under["min"]


_QUOTIENTS = (
    "Bars are quotients of medians; whiskers reach from the least quotient of two runs to the greatest."
)

OWN = Whiskers(
    lambda value, own, other: (own["min"], own["max"]),
    "Bars are medians; whiskers reach from the least value of a run to the greatest.",
)
OVER = Whiskers(lambda value, own, other: _quotient(own, other), _QUOTIENTS)
UNDER = Whiskers(lambda value, own, other: _quotient(other, own), _QUOTIENTS)
MOVED = Whiskers(
    lambda value, own, other: (value + own["min"] - own["median"], value + own["max"] - own["median"]),
    "Bars are made of medians; whiskers reach from the shortest redistribution of a run to the longest.",
)
CUT = "Arrows mark those that reach beyond the picture."


def view(values: Collection[float], reaches: Collection[Reach]) -> Reach:
    """What a picture shows: all values, and of whiskers as much again on each side.

    Runs are few: one that was disturbed would make everything else too small to be seen.
    """
    span = max(values) - min(values)
    least = max(min(values) - span, min((low for low, _ in reaches), default=min(values)))
    most = min(max(values) + span, max((high for _, high in reaches), default=max(values)))
    return min(least, *values), max(most, *values)


def is_beyond(reach: Reach, shown: Reach) -> bool:
    """Whether a part of it is cut off."""
    return reach[0] < shown[0] or reach[1] > shown[1]
