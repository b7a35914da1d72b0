# SPDX-License-Identifier: BSD-3-Clause
"""Which jobs get the cores that are free (paper, section 4.3): evenly, where they speed up most, or where
they speed up most and write least.

Algorithms 5 and 6 give one core at a time to the job that gains most by it. The same comes out here of one
threshold: each job gets all cores that gain it more, and the last ones go one at a time. Gains of a job
must not rise for that; where they would, as behind a step of a measured curve, their mean up to there
counts (concave hull), so that a job is not left before a step that is worth it.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, isfinite

import numpy as np
from numpy.typing import NDArray

from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve, Performance

Counts = NDArray[np.int64]
Gains = NDArray[np.float64]

_MOST_ROUNDS = 80  # halvings of the interval in which the threshold lies
_LAST = 64  # cores that are given one at a time, or more where jobs are all alike


@dataclass(frozen=True)
class Sharer:
    """`between`: the time from one I/O phase to the next; `io_seconds`: of such a phase, on any ranks."""

    name: str
    ranks: int
    most: int
    between: Performance
    io_seconds: float = 0.0


def fair(jobs: Sequence[Sharer], free: int) -> dict[str, int]:
    """Cores for each job, evenly; what one may not have goes to the others."""
    more = {job.name: 0 for job in jobs}
    room = {job.name: max(0, job.most - job.ranks) for job in jobs}
    while free > 0 and (open_to := [name for name in more if more[name] < room[name]]):
        each = max(1, free // len(open_to))
        for name in open_to[:free]:
            given = min(each, room[name] - more[name], free)
            more[name] += given
            free -= given
    return more


def by_speedup(jobs: Sequence[Sharer], free: int) -> dict[str, int]:
    """Algorithm 5. Nobody gets a core that does not make it faster."""
    return _greedily(jobs, free, 0.0)


def by_io(jobs: Sequence[Sharer], free: int, parameters: Parameters) -> dict[str, int]:
    """Algorithm 6. What it calls select_balance is the gain of speed-up times (1 - IOR) to the power of
    `io_weight`, with the I/O ratio IOR of equation 3 that the job would have.
    """
    return _greedily(jobs, free, parameters.io_weight)


def io_ratio(job: Sharer, ranks: int) -> float:
    """Equation 3."""
    return job.io_seconds / (job.between.seconds(ranks) + job.io_seconds)


def _greedily(jobs: Sequence[Sharer], free: int, io_weight: float) -> dict[str, int]:
    curves = [job for job in jobs if isinstance(job.between, Curve)]
    rest = [job for job in jobs if not isinstance(job.between, Curve)]
    gains = _AllGains(_CurveGains(curves, io_weight), _TableGains(rest, io_weight, free))
    more = _shared_out(gains, free)
    return {job.name: int(each) for job, each in zip([*curves, *rest], more, strict=True)}


class _CurveGains:
    """Of T(P) = a + b / P + c P, whose speed-up is concave up to the fastest P."""

    def __init__(self, jobs: Sequence[Sharer], io_weight: float) -> None:
        models = [job.between for job in jobs if isinstance(job.between, Curve)]
        self._a, self._b, self._c = (
            np.array([getattr(model, name) for model in models], dtype=float)
            for name in ("fixed", "divided", "per_rank")
        )
        self._ranks = np.array([job.ranks for job in jobs], dtype=float)
        self._io = np.array([job.io_seconds for job in jobs], dtype=float)
        self._alone = self._a + self._b + self._c
        self._io_weight = io_weight
        useful = (
            floor(model.fastest) + 1 if isfinite(model.fastest) else job.most
            for job, model in zip(jobs, models, strict=True)
        )
        limits = [max(0, min(job.most, top) - job.ranks) for job, top in zip(jobs, useful, strict=True)]
        self.limits: Counts = np.array(limits, dtype=np.int64)

    def next(self, more: Counts, at: slice = slice(None)) -> Gains:
        """Of one rank more than `more`, for each job or those `at`; none beyond its limit."""
        a, b, c, alone, io = self._a[at], self._b[at], self._c[at], self._alone[at], self._io[at]
        ranks = self._ranks[at] + more
        now, then = a + b / ranks + c * ranks, a + b / (ranks + 1) + c * (ranks + 1)
        weighted = (alone / then - alone / now) * (then / (then + io)) ** self._io_weight
        return np.where(more < self.limits[at], weighted, 0.0)


class _TableGains:
    """Of any other model: the gain of each rank, up to the fastest number of them."""

    def __init__(self, jobs: Sequence[Sharer], io_weight: float, free: int) -> None:
        self._tables = [_falling_gains(job, io_weight, free) for job in jobs]
        self.limits: Counts = np.array([len(table) for table in self._tables], dtype=np.int64)

    def next(self, more: Counts, at: slice = slice(None)) -> Gains:
        pairs = zip(self._tables[at], more, strict=True)
        return np.array([table[each] if each < len(table) else 0.0 for table, each in pairs], dtype=float)


class _AllGains:
    def __init__(self, first: _CurveGains, second: _TableGains) -> None:
        self._first, self._second = first, second
        self._cut = len(first.limits)
        self.limits: Counts = np.concatenate([first.limits, second.limits])

    def next(self, more: Counts) -> Gains:
        return np.concatenate([self._first.next(more[: self._cut]), self._second.next(more[self._cut :])])

    def next_of(self, job: int, more: Counts) -> float:
        source, place = (self._first, job) if job < self._cut else (self._second, job - self._cut)
        return float(source.next(more[job : job + 1], slice(place, place + 1))[0])


def _falling_gains(job: Sharer, io_weight: float, free: int) -> list[float]:
    most = min(job.most, job.ranks + free)
    if isfinite(job.between.fastest):
        most = min(most, floor(job.between.fastest) + 1)
    alone = job.between.seconds(1)
    score = [alone / job.between.seconds(ranks) for ranks in range(job.ranks, most + 1)]
    steps = [
        (later - earlier) * (1 - io_ratio(job, job.ranks + index + 1)) ** io_weight
        for index, (earlier, later) in enumerate(pairwise(score))
    ]
    return list(_hull(steps))


def _hull(steps: Iterable[float]) -> list[float]:
    """Steps that do not rise and add up to no less anywhere: a later, greater one lifts those before it."""
    blocks: list[tuple[float, int]] = []
    for step in steps:
        mean, number = step, 1
        while blocks and blocks[-1][0] < mean:
            earlier, count = blocks.pop()
            mean, number = (mean * number + earlier * count) / (number + count), number + count
        blocks.append((mean, number))
    return [mean for mean, number in blocks for _ in range(number)]


def _shared_out(gains: _AllGains, free: int) -> Counts:
    """How many more each job gets."""
    few, many = (
        np.zeros_like(gains.limits),
        _those_above(gains, 0.0, np.zeros_like(gains.limits), gains.limits),
    )
    if many.sum() <= free:
        return many
    low, high = 0.0, float(gains.next(few).max())
    for _ in range(_MOST_ROUNDS):
        if (many - few).sum() <= _LAST:
            break
        middle = (low + high) / 2 if low == 0.0 else (low * high) ** 0.5
        between = _those_above(gains, middle, few, many)
        if between.sum() <= free:
            few, high = between, middle
        else:
            many, low = between, middle
    return _one_by_one(gains, few, free - int(few.sum()))


def _those_above(gains: _AllGains, threshold: float, few: Counts, many: Counts) -> Counts:
    """For each job the ranks that gain more than the threshold: from `few` to `many`, by halving."""
    low, high = few.copy(), many.copy()
    while (unknown := low < high).any():
        middle = (low + high) // 2
        above = gains.next(middle) > threshold
        low = np.where(unknown & above, middle + 1, low)
        high = np.where(unknown & ~above, middle, high)
    return low


def _one_by_one(gains: _AllGains, more: Counts, free: int) -> Counts:
    """The last ones, to who gains most; of equal gains to who comes first."""
    more = more.copy()
    waiting = [(-gain, job) for job, gain in enumerate(gains.next(more)) if gain > 0]
    heapq.heapify(waiting)
    while free > 0 and waiting:
        _, job = heapq.heappop(waiting)
        more[job] += 1
        free -= 1
        gain = gains.next_of(job, more)
        if gain > 0:
            heapq.heappush(waiting, (-gain, job))
    return more
