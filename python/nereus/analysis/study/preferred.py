# SPDX-License-Identifier: BSD-3-Clause
"""The fastest variant for each pair of sizes, and what is done where several are equally fast. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from nereus.analysis.study.statistics import ALL_EQUAL, Differences, usable

Cell = tuple[int, int]


class Rule(StrEnum):
    """Which cells decide between equal variants."""

    #: Martín-Álvarez et al. 2024, section 5.4.3.
    NEAREST = "nearest"
    #: "Análisis de métodos de redistribución", section IV.D.
    ALL = "all"


@dataclass(frozen=True)
class Fastest:
    """Variants that no test tells from the one with the least median, by their medians."""

    medians: Mapping[str, float]
    reason: str = ""

    @property
    def equal(self) -> list[str]:
        """Their names, the least median first."""
        return sorted(self.medians, key=lambda name: (self.medians[name], name))


def fastest(groups: Mapping[str, Sequence[float]], found: Differences) -> Fastest:
    """Those that are as fast as the fastest; none, with the reason, where no test could be made."""
    if found.verdict.p is None and found.verdict.reason != ALL_EQUAL:
        return Fastest({}, found.verdict.reason)
    medians = {name: median(values) for name, values in usable(groups).items()}
    best = min(medians, key=lambda name: (medians[name], name))
    return Fastest({n: m for n, m in medians.items() if n == best or not found.tells_apart(n, best)})


def preferred(cells: Mapping[Cell, Fastest], rule: Rule) -> dict[Cell, str | None]:
    """The variant of each cell; None where no test could be made.

    Among equal ones it is that which is among the equal ones of most deciding cells; where that ties again,
    cells that are farther away decide, in the end the least median.
    """
    sizes = sorted({size for cell in cells for size in cell})
    place = {cell: (sizes.index(cell[0]), sizes.index(cell[1])) for cell in cells}
    return {cell: _decided(cell, cells, place, rule) for cell in cells}


def _decided(cell: Cell, cells: Mapping[Cell, Fastest], place: Mapping[Cell, Cell], rule: Rule) -> str | None:
    left = cells[cell].equal
    for ring in _rings(cell, place, rule):
        if len(left) < 2:
            break
        votes = Counter(name for near in ring for name in cells[near].medians)
        most = max(votes[name] for name in left)
        left = [name for name in left if votes[name] == most]
    return left[0] if left else None


def _rings(cell: Cell, place: Mapping[Cell, Cell], rule: Rule) -> list[list[Cell]]:
    """Other cells, those together that decide together, in their turn."""
    others = [other for other in place if other != cell]
    if rule is Rule.ALL:
        return [others]
    distances: dict[int, list[Cell]] = {}
    for other in others:
        distances.setdefault(_steps(place[cell], place[other]), []).append(other)
    return [distances[steps] for steps in sorted(distances)]


def _steps(one: Cell, other: Cell) -> int:
    """In the grid of sizes, diagonal ones too."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
