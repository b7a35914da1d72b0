# SPDX-License-Identifier: BSD-3-Clause
"""EASY backfilling: later jobs start earlier where that does not delay the first one (Lifka, JSSPP 1995).

The first waiting job has a reservation: the earliest time at which enough cores are free, if running jobs
go on up to their limits. Another job starts now if its limit ends by then, or if it takes only cores that
the first one leaves free then.
"""

from collections.abc import Iterator

from nereus.simulation.workload.job import Request, Start
from nereus.simulation.workload.orders.order import SizingOrder
from nereus.simulation.workload.orders.rules import NO_RULES, Rules
from nereus.simulation.workload.prioritised import Prioritised
from nereus.simulation.workload.profile import Profile
from nereus.simulation.workload.waiting import Waiting


class Easy(SizingOrder):
    """The reservation is made anew whenever something happens, so that it only gets earlier."""

    def __init__(self, cores: int, rules: Rules = NO_RULES) -> None:
        super().__init__(cores, rules)
        self._waiting: Waiting | Prioritised = Waiting()
        self._promised = Profile(cores)  # to running jobs
        self._running: dict[int, tuple[int, float]] = {}  # ranks, and when it is killed

    def submitted(self, job: Request, now: float) -> None:
        """At the end of the queue."""
        self._waiting.append(job)

    def first(self) -> Request | None:
        """The head of the queue."""
        return self._waiting.first()

    def starting(self, now: float) -> Iterator[Start]:
        """From the head on, as long as they fit; then those behind it that do not delay it."""
        while (head := self._waiting.first()) is not None and head.least <= self.free:
            self._waiting.pop_first()
            yield self._start(head, min(head.ranks, self.free), now)
        if head is not None and self.free > 0:
            yield from self._backfill(head, now)

    def ended(self, job: Request, now: float) -> None:
        """What it had up to its limit is free."""
        ranks, end = self._running.pop(job.number)
        self.free += ranks
        self._promised.give(now, end, ranks)
        self._promised.forget(now)

    def resized(self, job: Request, ranks: int, end: float, now: float) -> None:
        """Promised to it is another number of cores, up to another time."""
        self.ended(job, now)
        self._run(job, ranks, end, now)

    def _backfill(self, head: Request, now: float) -> Iterator[Start]:
        reserved = self._promised.earliest(now, head.least, 0.0)
        spare = self._promised.free_at(reserved) - head.least
        place = 0
        while found := self._waiting.next_that_fits(place, now, self.free, reserved, min(spare, self.free)):
            place, job = found
            self._waiting.remove(place)
            if now + job.limit_on(job.least) > reserved:
                spare -= job.least
            yield self._start(job, job.least, now)

    def _start(self, job: Request, ranks: int, now: float) -> Start:
        self._run(job, ranks, now + job.limit_on(ranks), now)
        return Start(job, ranks)

    def _run(self, job: Request, ranks: int, end: float, now: float) -> None:
        self.free -= ranks
        self._running[job.number] = ranks, end
        self._promised.take(now, end, ranks)
