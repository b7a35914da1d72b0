# SPDX-License-Identifier: BSD-3-Clause
"""What malleable jobs change: figures beside those without malleable jobs, seed by seed.

Both have the same jobs, so that what the seeds differ in is no part of the interval.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from nereus.simulation.workload.comparison import NO_STRATEGY, Row, Variant
from nereus.simulation.workload.figures import Interval, measures_of

BySeed = Mapping[int, Row]


@dataclass(frozen=True)
class Line:
    """`points`: by percent of malleable jobs."""

    name: str
    points: Mapping[float, BySeed]


def lines_of(rows: Sequence[Row]) -> list[Line]:
    """Rows without a strategy belong to the lines of all strategies of their order."""
    found: dict[tuple[str, str], dict[float, dict[int, Row]]] = {}
    for row in rows:
        of_line = found.setdefault((row.variant.order, row.variant.strategy), {})
        of_line.setdefault(row.variant.malleable_percent, {})[row.seed] = row
    return [
        Line(order if strategy == NO_STRATEGY else f"{order}, {strategy}", _shared(found, order) | points)
        for (order, strategy), points in found.items()
        if strategy != NO_STRATEGY or not any(o == order and s != NO_STRATEGY for o, s in found)
    ]


def _shared(
    found: Mapping[tuple[str, str], dict[float, dict[int, Row]]], order: str
) -> dict[float, dict[int, Row]]:
    return found.get((order, NO_STRATEGY), {})


def change(line: Line, value: Callable[[Row], float]) -> Iterator[tuple[float, Interval]]:
    """For each percentage: percent more than at 0 %; nothing where there are no such, or they are 0."""
    base = {seed: value(row) for seed, row in line.points.get(0, {}).items()}
    for percent, seeds in line.points.items():
        quotients = [(value(row), base.get(seed, 0.0)) for seed, row in seeds.items()]
        if all(first > 0 for _, first in quotients):
            yield percent, Interval.of([100 * (own / first - 1) for own, first in quotients])


def changes_of(rows: Sequence[Row]) -> dict[Variant, dict[str, Interval]]:
    """Percent, of each variant with malleable jobs, where there is one without to compare it with."""
    found: dict[Variant, dict[str, Interval]] = {}
    for line in lines_of(rows):
        for name in measures_of([row.figures for row in rows]):
            for percent, interval in change(line, attrgetter(f"figures.{name}")):
                variant = next(iter(line.points[percent].values())).variant
                if percent > 0:
                    found.setdefault(variant, {})[name] = interval
    return found
