# SPDX-License-Identifier: BSD-3-Clause
"""Finds what repeats in a sequence of symbols. Pure: knows nothing of calls and times.

A run is a part that repeats with a period: each symbol is that one period before it. Candidates for periods
are distances between equal short words, so that a look at a sequence takes a time proportional to its length.
A piece is made of runs with the same period, between which few other symbols may stand: what a program does
after every tenth iteration. What is left between pieces is looked at in the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Symbols = npt.NDArray[np.int64]

_CANDIDATES = 40
_WORDS = (1, 4)  # lengths of words between which distances are taken
_LEAST_TIMES = 3
_LEAST_LENGTH = 10  # of a run in a long sequence: shorter ones come by chance
_NEARLY = 0.9  # a shorter period that covers so much of what a longer one does is the iteration
# With so many interruptions, a period that has them in it is the iteration, if it is not longer than this.
_MANY = 8
_LONGEST_UNROLLED = 96


@dataclass(frozen=True)
class Run:
    """`times` times `period` symbols from `first` on."""

    first: int
    period: int
    times: int

    @property
    def end(self) -> int:
        """Behind its last symbol."""
        return self.first + self.period * self.times


@dataclass(frozen=True)
class Piece:
    """A part of a sequence: runs of the same period, or none, where it does not repeat."""

    first: int
    end: int
    runs: tuple[Run, ...] = ()

    @property
    def period(self) -> int:
        """Symbols of an iteration; 0 where nothing repeats."""
        return self.runs[0].period if self.runs else 0

    @property
    def times(self) -> int:
        """Iterations of all runs."""
        return sum(run.times for run in self.runs)

    @property
    def covered(self) -> int:
        """Symbols in whole iterations."""
        return self.period * self.times

    @property
    def between(self) -> list[tuple[int, int]]:
        """First and end of what stands between its runs."""
        gaps = zip(self.runs, self.runs[1:], strict=False)
        return [(before.end, after.first) for before, after in gaps if after.first > before.end]


def pieces(symbols: Symbols, first: int = 0, end: int | None = None) -> list[Piece]:
    """The whole sequence from `first` to `end`, cut into pieces."""
    end = len(symbols) if end is None else end
    found = _best(symbols[first:end], len(symbols))
    if found is None:
        return [Piece(first, end)] if end > first else []
    moved = [Run(run.first + first, run.period, run.times) for run in found]
    made: list[Piece] = []
    at = first
    for group in _joined(moved):
        made += pieces(symbols, at, group[0].first)
        at = group[-1].end
        made.append(Piece(group[0].first, at, tuple(group)))
    return made + pieces(symbols, at, end)


def _best(symbols: Symbols, whole: int) -> list[Run] | None:
    """The runs of the period that is the iteration; None where nothing repeats."""
    least = min(_LEAST_LENGTH, max(_LEAST_TIMES, whole // 2))
    of_periods = {period: runs_of(symbols, period, least) for period in _periods(symbols)}
    covered = {period: sum(r.end - r.first for r in runs) for period, runs in of_periods.items() if runs}
    if not covered:
        return None
    most = max(covered.values())
    shortest = min(period for period, length in covered.items() if length >= _NEARLY * most)
    if len(of_periods[shortest]) - 1 <= _MANY:
        return of_periods[shortest]
    whole_ones = [
        period
        for period, length in covered.items()
        if shortest < period <= _LONGEST_UNROLLED
        and length >= covered[shortest]
        and len(of_periods[period]) - 1 <= _MANY
    ]
    return of_periods[min(whole_ones, default=shortest)]


def _periods(symbols: Symbols) -> list[int]:
    """Distances between equal words, those first by which most symbols come again."""
    votes: dict[int, int] = {}
    for length in _WORDS:
        words = _words(symbols, length)
        order = np.argsort(words, kind="stable")
        same = words[order][1:] == words[order][:-1]
        distances, numbers = np.unique(np.diff(order)[same], return_counts=True)
        for distance, number in zip(distances.tolist(), numbers.tolist(), strict=True):
            if distance * _LEAST_TIMES <= len(symbols):
                votes[distance] = max(votes.get(distance, 0), min(number * distance, len(symbols)))
    return sorted(votes, key=lambda distance: (-votes[distance], distance))[:_CANDIDATES]


def _words(symbols: Symbols, length: int) -> npt.NDArray[np.uint64]:
    """A number for each word of so many symbols."""
    if len(symbols) < length:
        return np.empty(0, np.uint64)
    size = len(symbols) - length + 1
    words = np.zeros(size, np.uint64)
    for place in range(length):
        words = (
            words * np.uint64(0x9E3779B97F4A7C15)
            + symbols[place : place + size].astype(np.uint64)
            + np.uint64(1)
        )
    return words


def runs_of(symbols: Symbols, period: int, least: int) -> list[Run]:
    """All runs with that period, of `least` symbols or more, one behind the other."""
    again = np.concatenate([[False], symbols[period:] == symbols[:-period], [False]])
    changes = np.flatnonzero(again[1:] != again[:-1])
    found: list[Run] = []
    at = 0
    for begin, end in zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True):
        begin = max(begin, at)
        times = (end + period - begin) // period
        if times >= _LEAST_TIMES and times * period >= least:
            found.append(Run(begin, period, times))
            at = found[-1].end
    return found


def _joined(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs between which little stands, by groups."""
    groups: list[list[Run]] = []
    for run in runs:
        if groups and run.first - groups[-1][-1].end <= _little(groups[-1], run):
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups


def _little(before: Sequence[Run], after: Run) -> int:
    """How many symbols may stand between runs of one piece: fewer than in the runs around."""
    around = min(before[-1].end - before[-1].first, after.end - after.first)
    return min(around, max(2 * after.period, 64))
