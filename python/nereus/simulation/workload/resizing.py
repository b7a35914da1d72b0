# SPDX-License-Identifier: BSD-3-Clause
"""Malleable jobs that run: they take cores that are idle, and give cores to the first job that waits."""

from collections.abc import Callable

from nereus.simulation.workload.orders.order import SizingOrder
from nereus.simulation.workload.ranking import Ranking
from nereus.simulation.workload.running import Running
from nereus.simulation.workload.strategies import Strategy


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
        self._jobs: dict[int, Running] = {}
        self._can_grow = Ranking()
        self._can_give = Ranking()
        self._to_give = 0  # cores, of all of them
        self._given: dict[int, int] = {}  # cores that jobs have until their resizes are done

    def started(self, running: Running) -> None:
        """A malleable job has."""
        self._jobs[running.request.number] = running
        self._to_give += self._above_kept(running)
        self._sort(running)

    def ended(self, running: Running) -> None:
        """Any job has."""
        number = running.request.number
        if self._jobs.pop(number, None) is not None:
            self._to_give -= self._above_kept(running)
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
        given: dict[int, int] = {}
        while lacks > 0 and (number := self._can_give.first()) is not None:
            running, before = self._jobs[number], given.get(number, 0)
            more = self._at_once(lacks, self._above_kept(running) - before)
            given[number] = before + more
            lacks -= more
            self._rank_givers(running, running.outcome.ranks - given[number])
        for number, cores in given.items():
            self._change(self._jobs[number], -cores, now)
        return not self._given

    def take_idle(self, free: int, now: float) -> None:
        """Cores that are free, as far as jobs may have them; none while the first waiting job gets any."""
        if self._given and self._order.first() is not None:
            return
        taken: dict[int, int] = {}
        while free > 0 and (number := self._can_grow.first()) is not None:
            running, before = self._jobs[number], taken.get(number, 0)
            ranks = running.outcome.ranks + before
            more = self._at_once(free, running.outcome.job.most - ranks)
            taken[number] = before + more
            free -= more
            self._rank_takers(running, ranks + more)
        for number, cores in taken.items():
            self._change(self._jobs[number], cores, now)

    def _at_once(self, cores: int, room: int) -> int:
        return min(cores, room) if self._strategy.all_at_once else self._step

    def _change(self, running: Running, more: int, now: float) -> None:
        self._to_give -= self._above_kept(running)
        self._resize(running, running.outcome.ranks + more, now)
        if more < 0 and running.is_resizing:
            self._given[running.request.number] = -more
        self._to_give += self._above_kept(running)
        self._sort(running)

    def _sort(self, running: Running) -> None:
        self._rank_takers(running, running.outcome.ranks)
        self._rank_givers(running, running.outcome.ranks)

    def _rank_takers(self, running: Running, ranks: int) -> None:
        """As if it had so many."""
        job, request, started = running.outcome.job, running.request, running.outcome.started
        can = ranks < job.most and not running.is_resizing
        key = (
            (-self._strategy.worth(job, request, ranks + self._step, self._step), started, request.number)
            if can
            else None
        )
        self._can_grow.put(request.number, key)

    def _rank_givers(self, running: Running, ranks: int) -> None:
        """As if it had so many."""
        job, request, started = running.outcome.job, running.request, running.outcome.started
        can = ranks > self._strategy.kept(job) and not running.is_resizing
        key = (
            (self._strategy.worth(job, request, ranks, self._step), -started, -request.number)
            if can
            else None
        )
        self._can_give.put(request.number, key)

    def _above_kept(self, running: Running) -> int:
        if running.is_resizing:
            return 0
        return max(0, running.outcome.ranks - self._strategy.kept(running.outcome.job))
