# SPDX-License-Identifier: BSD-3-Clause
"""First come, first served: nobody starts before one who came earlier."""

from collections import deque
from collections.abc import Iterator

from nereus.simulation.workload.job import Request, Start
from nereus.simulation.workload.orders.order import SizingOrder
from nereus.simulation.workload.orders.rules import NO_RULES, Rules


class FirstComeFirstServed(SizingOrder):
    """Without limits of jobs too."""

    def __init__(self, cores: int, rules: Rules = NO_RULES) -> None:
        super().__init__(cores, rules)
        self._queue: deque[Request] = deque()
        self._running: dict[int, int] = {}

    def submitted(self, job: Request, now: float) -> None:
        """At the end of the queue."""
        self._queue.append(job)

    def first(self) -> Request | None:
        """The head of the queue."""
        return self._queue[0] if self._queue else None

    def starting(self, now: float) -> Iterator[Start]:
        """From the head on, as long as they fit."""
        while self._queue and self._queue[0].least <= self.free:
            job = self._queue.popleft()
            ranks = self._running[job.number] = min(job.ranks, self.free)
            self.free -= ranks
            yield Start(job, ranks)

    def ended(self, job: Request, now: float) -> None:
        """Its cores are free."""
        self.free += self._running.pop(job.number)

    def resized(self, job: Request, ranks: int, end: float, now: float) -> None:
        """Only the number of free cores changes."""
        self.free += self._running[job.number] - ranks
        self._running[job.number] = ranks
