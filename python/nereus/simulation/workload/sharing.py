# SPDX-License-Identifier: BSD-3-Clause
"""The machine where jobs share a store: those that do I/O slow one another down."""

from functools import partial

from nereus.simulation.workload.failures import Failures
from nereus.simulation.workload.hindered import Hindered
from nereus.simulation.workload.job import Outcome, Start
from nereus.simulation.workload.machine import Given, Machine
from nereus.simulation.workload.running import Running
from nereus.simulation.workload.storage import Storage, Store


class SharingMachine(Machine):
    """The store says when jobs that do I/O are done, or resized; limits are in the heap of ends."""

    def __init__(self, given: Given, storage: Storage | None) -> None:
        super().__init__(given)
        self._storage = storage
        self._store = None if storage is None else Store(storage)
        self._failures: Failures | None = None

    def _next_event(self) -> float:
        first = super()._next_event()
        return first if self._store is None else min(first, self._store.next_step()[0])

    def _end_until(self, now: float) -> None:
        while self._store is not None:
            when, number = self._store.next_step()
            if when > now:
                break
            running = self._running[number]
            assert isinstance(running, Hindered)
            running.reach_step()
            super()._come_due(running, now)
        super()._end_until(now)

    def _come_due(self, running: Running, now: float) -> None:
        assert isinstance(running, Hindered)
        if running.is_at_limit(now):
            running.kill(now)
            self._end_for_good(running, now)
        else:
            super()._come_due(running, now)

    def _leave(self, running: Running, now: float) -> None:
        super()._leave(running, now)
        if self._store is not None and isinstance(running, Hindered) and running.own is not None:
            self._store.leave(running.request.number, now)

    def _started(self, start: Start, now: float) -> Hindered:
        outcome = Outcome(self._jobs[start.request.number], now, start.ranks)
        return self._sharing(Hindered(start.request, outcome, now, self._failures))

    def _sharing(self, running: Hindered) -> Hindered:
        """It has its share from now on, if it does I/O."""
        if self._store is not None and running.outcome.job.io_share > 0:
            running.own = partial(self._store.own, running.request.number)
        return running

    def _expect(self, running: Running, now: float) -> None:
        super()._expect(running, now)
        assert isinstance(running, Hindered)
        if self._store is not None and self._storage is not None and running.own is not None:
            demand = running.demand * self._storage.job_bandwidth
            self._store.join(running.request.number, demand, now, running.counted, running.next_step)
