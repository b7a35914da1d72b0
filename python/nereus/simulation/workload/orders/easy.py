# SPDX-License-Identifier: BSD-3-Clause
"""EASY backfilling: later jobs start earlier where that does not delay the first one (Lifka, JSSPP 1995).

The first waiting job has a reservation: the earliest time at which enough cores are free, if running jobs
go on up to their limits. Another job starts now if its limit ends by then, or if it takes only cores that
the first one leaves free then.
"""

from collections.abc import Iterator
from math import inf

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
        for each in rules.reservations:
            self._promised.take(each.begin, each.end, each.cores)
        self._asked = -inf
        self._running: dict[int, tuple[int, float]] = {}  # ranks, and when it is killed

    @property
    def wakes(self) -> float:
        """When cores are free again that were reserved."""
        return min((each.end for each in self.reservations if each.end > self._asked), default=inf)

    def submitted(self, job: Request, now: float) -> None:
        """At the end of the queue."""
        self._waiting.append(job)

    def first(self) -> Request | None:
        """The head of the queue."""
        return self._waiting.first()

    def starting(self, now: float) -> Iterator[Start]:
        """From the head on, as long as they fit; then those behind it that do not delay it."""
        self._asked = now
        while (head := self._waiting.first()) is not None and head.least <= self.free:
            ranks = self._most_ranks(head, now)
            if ranks < head.least:
                break
            self._waiting.pop_first()
            yield self._start(head, ranks, now)
        if head is not None and self.free > 0:
            yield from (self._backfill_around if self.reservations else self._backfill)(head, now)

    def ended(self, job: Request, now: float) -> None:
        """What it had up to its limit is free."""
        ranks, end = self._running.pop(job.number)
        self.free += ranks
        self._promised.give(now, end, ranks)
        self._promised.forget(now)

    def broke(self, cores: int, until: float, now: float) -> None:
        """Nobody is promised these until they are back."""
        super().broke(cores, until, now)
        self._promised.take(now, until, cores)

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

    def _most_ranks(self, job: Request, now: float) -> int:
        """On which it can start; 0 if only reservations keep it from that."""
        if not self.reservations:
            return min(job.ranks, self.free)
        sizes = dict.fromkeys(min(job.ranks, cores) for cores, _ in self._promised.lowest(now))
        return next((ranks for ranks in sizes if ranks >= job.least and self._fits(job, ranks, now)), 0)

    def _fits(self, job: Request, ranks: int, now: float) -> bool:
        return self._promised.earliest(now, ranks, job.limit_on(ranks)) == now

    def _backfill_around(self, head: Request, now: float) -> Iterator[Start]:
        """As above, where cores get fewer later: who starts leaves the head and reservations their times."""
        limit = head.limit_on(head.least)
        reserved = self._promised.earliest(now, head.least, limit)
        self._promised.take(reserved, reserved + limit, head.least)
        place = 0
        while found := self._next_that_fits(place, now):
            place, job = found
            self._waiting.remove(place)
            yield self._start(job, job.least, now)
        self._promised.give(reserved, reserved + limit, head.least)

    def _next_that_fits(self, place: int, now: float) -> tuple[int, Request] | None:
        (free, until), *between = self._promised.lowest(now)
        spare = between.pop()[0] if between else free
        return self._waiting.next_that_fits(place, now, free, until, spare, between)

    def _start(self, job: Request, ranks: int, now: float) -> Start:
        self._run(job, ranks, now + job.limit_on(ranks), now)
        return Start(job, ranks)

    def _run(self, job: Request, ranks: int, end: float, now: float) -> None:
        self.free -= ranks
        self._running[job.number] = ranks, end
        self._promised.take(now, end, ranks)
