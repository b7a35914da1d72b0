# SPDX-License-Identifier: BSD-3-Clause
"""Malleable jobs that run: they take cores that are idle, and give cores to the first job that waits."""

from collections.abc import Callable

from nereus.simulation.workload.orders.order import SizingOrder
from nereus.simulation.workload.running import Running
from nereus.simulation.workload.strategies import Strategy


class Malleable:
    """Looks only at jobs that can grow, or give: what a decision costs is the number of its resizes."""

    def __init__(
        self, order: SizingOrder, strategy: Strategy, resize: Callable[[Running, int, float], None]
    ) -> None:
        self._order, self._strategy, self._resize = order, strategy, resize
        self._can_grow: dict[int, Running] = {}  # in the order of their starts
        self._can_give: dict[int, Running] = {}
        self._to_give = 0  # cores, of all of them
        self._given: dict[int, int] = {}  # cores that jobs have until their resizes are done

    def started(self, running: Running) -> None:
        """A malleable job has."""
        self._to_give += self._above_kept(running)
        self._sort(running)

    def ended(self, running: Running) -> None:
        """Any job has."""
        number = running.request.number
        if self._can_give.pop(number, None) is not None:
            self._to_give -= self._above_kept(running)
        self._can_grow.pop(number, None)

    def resized(self, running: Running) -> None:
        """A resize that took time is done."""
        self._given.pop(running.request.number, None)
        self._to_give += self._above_kept(running)
        self._sort(running)

    def give_to_first(self, free: int, now: float) -> bool:
        """Whether the first waiting job lacked cores and can start now."""
        first = self._order.first()
        lacks = 0 if first is None else first.least - free - sum(self._given.values())
        if not 0 < lacks <= self._to_give:
            return False
        while lacks > 0:
            running = next(reversed(self._can_give.values()))
            given = min(lacks, self._above_kept(running))
            self._change(running, -given, now)
            lacks -= given
        return not self._given

    def take_idle(self, free: int, now: float) -> None:
        """Cores that are free, as far as jobs may have them; none while the first waiting job gets any."""
        if self._given and self._order.first() is not None:
            return
        while free > 0 and self._can_grow:
            running = next(iter(self._can_grow.values()))
            taken = min(free, running.outcome.job.most - running.outcome.ranks)
            self._change(running, taken, now)
            free -= taken

    def _change(self, running: Running, more: int, now: float) -> None:
        self._to_give -= self._above_kept(running)
        self._resize(running, running.outcome.ranks + more, now)
        if more < 0 and running.is_resizing:
            self._given[running.request.number] = -more
        self._to_give += self._above_kept(running)
        self._sort(running)

    def _sort(self, running: Running) -> None:
        number, job, ranks = running.request.number, running.outcome.job, running.outcome.ranks
        _put(self._can_grow, number, running if ranks < job.most and not running.is_resizing else None)
        _put(self._can_give, number, running if self._above_kept(running) > 0 else None)

    def _above_kept(self, running: Running) -> int:
        if running.is_resizing:
            return 0
        return max(0, running.outcome.ranks - self._strategy.kept(running.outcome.job))


def _put(jobs: dict[int, Running], number: int, running: Running | None) -> None:
    if running is None:
        jobs.pop(number, None)
    else:
        jobs[number] = running
