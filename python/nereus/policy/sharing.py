# SPDX-License-Identifier: BSD-3-Clause
"""Which jobs get the cores that are free (paper, section 4.3): evenly, where they speed up most, or where
they speed up most and write least.

Algorithms 5 and 6 give one core at a time to the job that gains most by it. The same comes out here of one
threshold: each job gets all cores that gain it more, and the last ones go one at a time. Gains of a job
must not rise for that; where they would, as behind a step of a measured curve, their mean up to there
counts (concave hull), so that a job is not left before a step that is worth it; and it gets all of them or
none.
"""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, isfinite
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve, Performance

Counts = NDArray[np.int64]
Gains = NDArray[np.float64]

_MOST_ROUNDS = 80  # halvings of the interval in which the threshold lies
_SAME = 1e-11  # thresholds that differ by less, relatively, have the same gains between them
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


def by_low_io(jobs: Sequence[Sharer], free: int) -> dict[str, int]:
    """Algorithm 6 as section 5.2 tells of it: jobs that write no more than the mean of all come first, those
    of them that speed up most (Algorithm 5). Cores by which none of these gets faster go to the others.
    """
    ratios = {job.name: io_ratio(job, job.ranks) for job in jobs}
    mean = fmean(ratios.values()) if ratios else 0.0
    # Equal ratios may differ from their mean in the last digits.
    low = [job for job in jobs if ratios[job.name] <= mean * (1 + _SAME)]
    more = by_speedup(low, free)
    others = [job for job in jobs if job.name not in more]
    return {**more, **by_speedup(others, free - sum(more.values()))}


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
        gained = alone * (b / (ranks * (ranks + 1)) - c) / (now * then)  # alone / then - alone / now
        weighted = gained * (then / (then + io)) ** self._io_weight
        return np.where(more < self.limits[at], _without_noise(weighted), 0.0)


def _without_noise(gains: Gains) -> Gains:
    """Rounded to 12 digits: what differs in the last ones is the same."""
    mantissa, exponent = np.frexp(gains)
    rounded: Gains = np.ldexp(np.rint(mantissa * 2.0**40), exponent - 40)
    return rounded


class _TableGains:
    """Of any other model: the gain of each rank, up to the fastest number of them."""

    def __init__(self, jobs: Sequence[Sharer], io_weight: float, free: int) -> None:
        self._steps = [_steps(job, io_weight, free) for job in jobs]
        self._hulls = [hull(steps) for steps in self._steps]
        self.limits: Counts = np.array([len(each) for each in self._hulls], dtype=np.int64)

    def next(self, more: Counts, at: slice = slice(None)) -> Gains:
        pairs = zip(self._hulls[at], more, strict=True)
        return np.array([steps[each] if each < len(steps) else 0.0 for steps, each in pairs], dtype=float)

    def best(self, job: int, more: int, free: int) -> tuple[float, int]:
        """The number of the next cores, of those that are free, that gain most for each, and that gain."""
        sums = np.cumsum(self._steps[job][more : more + free])
        if not len(sums):
            return 0.0, 0
        means = sums / np.arange(1, len(sums) + 1)
        return float(means.max()), int(means.argmax()) + 1


class _AllGains:
    def __init__(self, first: _CurveGains, second: _TableGains) -> None:
        self._first, self._second = first, second
        self.curves = len(first.limits)
        self.limits: Counts = np.concatenate([first.limits, second.limits])

    def next(self, more: Counts) -> Gains:
        at = self.curves
        return np.concatenate([self._first.next(more[:at]), self._second.next(more[at:])])

    def best(self, job: int, more: Counts, free: int) -> tuple[float, int]:
        """What the job would get at once, and its gain for each of these."""
        if job >= self.curves:
            return self._second.best(job - self.curves, int(more[job]), free)
        return float(self._first.next(more[job : job + 1], slice(job, job + 1))[0]), 1


def _steps(job: Sharer, io_weight: float, free: int) -> list[float]:
    most = min(job.most, job.ranks + free)
    if isfinite(job.between.fastest):
        most = min(most, floor(job.between.fastest) + 1)
    alone = job.between.seconds(1)
    score = [alone / job.between.seconds(ranks) for ranks in range(job.ranks, most + 1)]
    return [
        (later - earlier) * (1 - io_ratio(job, job.ranks + index + 1)) ** io_weight
        for index, (earlier, later) in enumerate(pairwise(score))
    ]


def hull(steps: Iterable[float]) -> list[float]:
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
    few = np.zeros_like(gains.limits)
    many = _those_above(gains, 0.0, few, gains.limits)
    if many.sum() <= free:
        return many
    low, high = 0.0, float(gains.next(few).max())
    for _ in range(_MOST_ROUNDS):
        if (many - few).sum() <= _LAST or high - low <= _SAME * high:
            break
        middle = (low + high) / 2 if low == 0.0 else (low * high) ** 0.5
        between = _those_above(gains, middle, few, many)
        if between.sum() <= free:
            few, high = between, middle
        else:
            many, low = between, middle
    if (many - few).sum() > _LAST:
        few = _in_turn(few, many, gains.curves, free)
    return _one_by_one(gains, few, free - int(few.sum()))


def _in_turn(few: Counts, many: Counts, curves: int, free: int) -> Counts:
    """Where gains are all the same: to the first as many as it may have, then to the next.

    Curves alone, of which each rank counts.
    """
    open_to = (many - few)[:curves]
    given = np.minimum(open_to, np.maximum(0, free - few.sum() - (open_to.cumsum() - open_to)))
    more: Counts = np.concatenate([given, np.zeros(len(few) - curves, dtype=np.int64)])
    return few + more


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
    waiting = [(-float(gain), job, 1) for job, gain in enumerate(gains.next(more)[: gains.curves])]
    waiting += [_offer(gains, job, more, free) for job in range(gains.curves, len(more))]
    heapq.heapify(waiting)
    while free > 0 and waiting:
        gain, job, number = heapq.heappop(waiting)
        if gain >= 0:
            break
        if number <= free:
            more[job] += number
            free -= number
        heapq.heappush(waiting, _offer(gains, job, more, free))
    return more


def _offer(gains: _AllGains, job: int, more: Counts, free: int) -> tuple[float, int, int]:
    gain, number = gains.best(job, more, free)
    return -gain, job, number
