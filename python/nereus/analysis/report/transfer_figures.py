# SPDX-License-Identifier: BSD-3-Clause
"""Figures that compare ways to move data with one another: progress, ratios, preferred ways. All are pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Cell = tuple[int, int]


@dataclass(frozen=True)
class Course:
    """How a resize went, in medians: all that its progress depends on."""

    #: Seconds of the redistribution, as equations 1 and 2 have it (Martín-Álvarez et al. 2025, section 5.4).
    #: A bench takes those from the request until the resize was done, the making of processes among them.
    seconds: float
    #: Iterations that the application ended meanwhile.
    iterations: float
    #: Seconds of an iteration afterwards.
    iteration_seconds: float
    #: Whether data moved while the application went on.
    background: bool


def common_iteration(courses: Sequence[Course]) -> float:
    """The iteration up to which ways are compared: the fewest that any background way ended meanwhile.

    Martín-Álvarez et al. 2025, section 5.4. Without a background way it is 0: times are compared as they are.
    """
    return min((course.iterations for course in courses if course.background), default=0.0)


def progress_seconds(course: Course, common: float) -> float:
    """Seconds of a course until its data has moved and iteration number `common` is ended.

    Martín-Álvarez et al. 2025, section 5.4, equation 1 for blocking ways: the redistribution, then iterations
    of the drains; equation 2 for background ways: the redistribution alone, for they have ended that
    iteration meanwhile. One formula serves both, since iterations that a way has ended are not waited for.
    """
    return course.seconds + max(0.0, common - course.iterations) * course.iteration_seconds


def same_iteration_seconds(course: Course, latest: float) -> float:
    """Seconds of a course until iteration `latest` is ended, the most that any way ended meanwhile.

    Equation 2 gives a way no credit for iterations beyond the common one; here all of them count.
    """
    return course.seconds + max(0.0, latest - course.iterations) * course.iteration_seconds


def ratio(over: float | None, under: float | None) -> float | None:
    """None where either is not known or there is nothing to compare with."""
    return over / under if over is not None and under else None


@dataclass(frozen=True)
class Time:
    """A median, and the median distance from it."""

    median: float
    deviation: float


def quotient_reach(over: Time, under: Time) -> tuple[float, float]:
    """From where to where the quotient of two medians lies, by the distances from both.

    Upwards it is not told where the lower one may be 0.
    """
    value = over.median / under.median
    least = max(0.0, over.median - over.deviation) / (under.median + under.deviation)
    if under.deviation >= under.median:
        return least, value
    return least, (over.median + over.deviation) / (under.median - under.deviation)


def preferred(cells: Mapping[Cell, Mapping[str, Time]]) -> dict[Cell, str]:
    """The way that moves the data in the shortest time, for each pair of sizes.

    Ways whose medians differ from the best one by no more than its deviation and their own count as equal;
    among them the one that is among the best in most cells is taken. After Martín-Álvarez et al., "Análisis
    de métodos de redistribución", section IV.D, where a Conover-Iman test finds the equal ones; a bench has
    too few trials for it.
    """
    equal = {cell: _equal(ways) for cell, ways in cells.items() if ways}
    often = Counter(way for ways in equal.values() for way in ways)
    order = {
        cell: sorted(ways, key=lambda way: (-often[way], _medians(cells[cell])[way]))
        for cell, ways in equal.items()
    }
    return {cell: ways[0] for cell, ways in order.items()}


def _medians(ways: Mapping[str, Time]) -> dict[str, float]:
    return {way: time.median for way, time in ways.items()}


def _equal(ways: Mapping[str, Time]) -> list[str]:
    best = min(ways.values(), key=lambda time: time.median)
    return [way for way, time in ways.items() if time.median - best.median <= best.deviation + time.deviation]
