# SPDX-License-Identifier: BSD-3-Clause
"""Cores among jobs, as a strategy says, without a look at each core.

Core by core, each goes to the job for which the next one costs least. Where costs never fall from one core of
a job to its next, that is: the cheapest ones of all, of which the last is found by halving what is left.
"""

import heapq
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.strategy import Strategy

Place = tuple[float, int]
#: For fewer steps than so many for each job, to take them one by one is faster.
_FEW = 64


@dataclass(slots=True)  # a frozen one takes twice as long to make
class Offer:
    """A job that can get, or give, `room` steps: `cost` of each, the first is 1; infinite: neither it nor any
    behind it. Those that cost least come first, of equal ones those of the lowest `place`, which is the job's
    alone. `is_sorted`: costs never fall.
    """

    cost: Callable[[int], float]
    place: Place
    room: int
    is_sorted: bool

    @property
    def key(self) -> tuple[float, Place] | None:
        """Of its first step, by which jobs are in order; without one there is none."""
        if self.room < 1 or (first := self.cost(1)) == inf:
            return None
        return first, self.place


def getting(strategy: Strategy, job: MalleableJob, ranks: int, most: int, step: int, place: Place) -> Offer:
    """Of a job that has so many ranks, and may have `most` now."""
    return Offer(
        lambda number: -strategy.worth(job, ranks + number * step, step),
        place,
        max(0, min(job.most, most) - ranks) // step,
        strategy.falls(job),
    )


def giving(strategy: Strategy, job: MalleableJob, ranks: int, step: int, place: Place) -> Offer:
    """Of a job that has so many ranks. Whoever started last is the first to give."""
    started, number = place
    return Offer(
        lambda number: strategy.worth(job, ranks - (number - 1) * step, step),
        (-started, -number),
        max(0, ranks - strategy.kept(job)) // step,
        strategy.falls(job),
    )


def shared(offers: Sequence[Offer], steps: int, all_at_once: bool) -> list[int]:
    """How many steps each job gets or gives; together as many, or all that there are."""
    if all_at_once:
        return _all_at_once(offers, steps)
    if steps > _FEW * len(offers) and all(offer.is_sorted for offer in offers):
        return by_levels(offers, steps)
    return _one_by_one(offers, steps)


def _all_at_once(offers: Sequence[Offer], steps: int) -> list[int]:
    taken = [0] * len(offers)
    keys = [(key, index) for index, offer in enumerate(offers) if (key := offer.key) is not None]
    for _, index in sorted(keys):
        taken[index] = min(steps, offers[index].room)
        steps -= taken[index]
    return taken


def _one_by_one(offers: Sequence[Offer], steps: int) -> list[int]:
    taken = [0] * len(offers)
    heap = [(*key, index) for index, offer in enumerate(offers) if (key := offer.key) is not None]
    heapq.heapify(heap)
    while steps > 0 and heap:
        _, place, index = heap[0]
        offer = offers[index]
        taken[index] += 1
        steps -= 1
        more = offer.cost(taken[index] + 1) if taken[index] < offer.room else inf
        if more == inf:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, (more, place, index))
    return taken


def by_levels(offers: Sequence[Offer], steps: int) -> list[int]:
    """Of offers that are sorted, in time that grows with the logarithm of the steps."""
    few = [0] * len(offers)  # that each has at least, and at most
    many = [_first_above(offer, 0, min(steps, offer.room), None) for offer in offers]
    while sum(few) < steps < sum(many):
        step, at = _middle(offers, few, many)
        counts = [
            number if index == at else _first_above(offer, few[index], many[index], (step, offers[at].place))
            for index, (offer, number) in enumerate(zip(offers, _halves(few, many), strict=True))
        ]
        if sum(counts) <= steps:
            few = counts
        else:
            counts[at] -= 1
            many = counts
    return few if sum(few) == steps else many


def _halves(few: Sequence[int], many: Sequence[int]) -> list[int]:
    """The step of each job in the middle of those that are left."""
    return [(low + high) // 2 + 1 for low, high in zip(few, many, strict=True)]


def _middle(offers: Sequence[Offer], few: Sequence[int], many: Sequence[int]) -> tuple[float, int]:
    """The cost of a step, and whose it is, with a good part of all that are left on both sides of it."""
    steps = sorted(
        (offer.cost(half), offer.place, index)
        for index, (offer, half) in enumerate(zip(offers, _halves(few, many), strict=True))
        if few[index] < many[index]
    )
    left = sum(many) - sum(few)
    seen = 0
    for cost, _, index in steps:
        seen += many[index] - few[index]
        if 2 * seen >= left:
            return cost, index
    raise AssertionError("nothing is left")


def _first_above(offer: Offer, low: int, high: int, level: tuple[float, Place] | None) -> int:
    """How many of its steps, from `low` to `high`, come before that one of another job; None: are any."""

    def is_above(number: int) -> bool:
        cost = offer.cost(number)
        return cost == inf if level is None else (cost, offer.place) > level

    return low + bisect_left(range(low + 1, high + 1), True, key=is_above)
