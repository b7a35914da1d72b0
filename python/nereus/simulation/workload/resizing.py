# SPDX-License-Identifier: BSD-3-Clause
"""Malleable jobs that run: they take cores that are idle, and give cores to the first job that waits."""

from collections.abc import Callable
from contextlib import closing

from nereus.policy.strategies import Strategy
from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.shares import Offer, getting, giving, shared
from nereus.simulation.workload.orders.order import SizingOrder
from nereus.simulation.workload.ranking import Ranking
from nereus.simulation.workload.running import Running


class Malleable:
    """Looks only at jobs that can grow, or give, the next one first: a decision costs what it moves.

    `step`: cores that are given at once; all sizes, and the free cores, are multiples of it.
    """

    def __init__(
        self,
        order: SizingOrder,
        strategy: Strategy,
        resize: Callable[[Running, int, float], None],
        step: int = 1,
    ) -> None:
        self._order, self._strategy, self._resize, self._step = order, strategy, resize, step
        self._jobs: dict[int, tuple[Running, MalleableJob]] = {}
        self._can_grow = Ranking()
        self._can_give = Ranking()
        self._to_give = 0  # cores, of all of them
        self._given: dict[int, int] = {}  # cores that jobs have until their resizes are done

    def started(self, running: Running) -> None:
        """A malleable job has."""
        self._jobs[running.request.number] = running, _as_seen(running)
        self._to_give += self._above_kept(running)
        self._sort(running)

    def ended(self, running: Running) -> None:
        """Any job has."""
        number = running.request.number
        if number in self._jobs:
            self._to_give -= self._above_kept(running)
            del self._jobs[number]
        self._given.pop(number, None)  # of one that failed in its resize
        self._can_give.put(number, None)
        self._can_grow.put(number, None)

    def resized(self, running: Running) -> None:
        """A resize that took time is done."""
        self._given.pop(running.request.number, None)
        self._to_give += self._above_kept(running)
        self._sort(running)

    def has(self, running: Running) -> bool:
        """Whether it may be resized at all."""
        return running.request.number in self._jobs

    def shrink(self, running: Running, resize: Callable[[], None]) -> None:
        """It lost cores that nobody asked for."""
        self._to_give -= self._above_kept(running)
        resize()
        self._to_give += self._above_kept(running)
        self._sort(running)

    def give_to_first(self, free: int, now: float) -> bool:
        """Whether the first waiting job lacked cores and can start now."""
        first = self._order.first()
        lacks = 0 if first is None else first.least - free - sum(self._given.values())
        if not 0 < lacks <= self._to_give:
            return False
        steps = -(-lacks // self._step)
        return self._share(self._can_give, self._giving, steps, -self._step, now) == steps and not self._given

    def take_idle(self, free: int, now: float) -> None:
        """Cores that are free, as far as jobs may have them; none while the first waiting job gets any."""
        if self._given and self._order.first() is not None:
            return
        self._share(self._can_grow, self._getting, free // self._step, self._step, now)

    def _share(
        self, ranking: Ranking, offer: Callable[[Running], Offer], steps: int, each: int, now: float
    ) -> int:
        """Among those that are first: so many steps change as many jobs at most. How many were shared."""
        chosen, offers, left = [], [], steps
        with closing(ranking.rising()) as numbers:
            while left > 0 and (number := next(numbers, None)) is not None:
                running, _ = self._jobs[number]
                chosen.append(running)
                offers.append(offer(running))
                left -= offers[-1].room if self._strategy.all_at_once else 1
        if not chosen:  # as most often
            return 0
        counts = shared(offers, steps, self._strategy.all_at_once)
        for running, count in zip(chosen, counts, strict=True):
            if count > 0:
                self._change(running, count * each, now)
        return sum(counts)

    def _change(self, running: Running, more: int, now: float) -> None:
        self._to_give -= self._above_kept(running)
        self._resize(running, running.outcome.ranks + more, now)
        if more < 0 and running.is_resizing:
            self._given[running.request.number] = -more
        self._to_give += self._above_kept(running)
        self._sort(running)

    def _sort(self, running: Running) -> None:
        number, can = running.request.number, not running.is_resizing
        self._can_grow.put(number, self._getting(running).key if can else None)
        self._can_give.put(number, self._giving(running).key if can else None)

    def _getting(self, running: Running) -> Offer:
        outcome, (_, job) = running.outcome, self._jobs[running.request.number]
        place = outcome.started, running.request.number
        return getting(self._strategy, job, outcome.ranks, job.most, self._step, place)

    def _giving(self, running: Running) -> Offer:
        outcome, (_, job) = running.outcome, self._jobs[running.request.number]
        place = outcome.started, running.request.number
        return giving(self._strategy, job, outcome.ranks, self._step, place)

    def _above_kept(self, running: Running) -> int:
        if running.is_resizing:
            return 0
        _, job = self._jobs[running.request.number]
        return max(0, running.outcome.ranks - self._strategy.kept(job))


def _as_seen(running: Running) -> MalleableJob:
    """By a strategy. With idle cores a job is slower on the ranks that it asked for than around them."""
    job, request = running.outcome.job, running.request
    is_concave = request.speedup.is_concave and request.idle == 0

    def io_share(ranks: int) -> float:
        return min(1.0, job.io_share / request.time_factor(ranks)) if job.io_share else 0.0

    seconds = request.time_factor
    return MalleableJob(job.name, job.least, job.ranks, job.most, seconds, is_concave, io_share)
