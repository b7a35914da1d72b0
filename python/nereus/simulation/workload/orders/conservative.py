# SPDX-License-Identifier: BSD-3-Clause
"""Conservative backfilling: every waiting job has a reservation, and none is ever put off
(Mu'alem and Feitelson, IEEE TPDS 12, 2001).

A job gets the earliest gap that all reservations before it leave. When a job ends before its limit, the
others move up in their order, each as far as it can without moving another, until none can any more.
"""

from collections.abc import Iterator
from math import inf

import numpy as np

from nereus.simulation.workload.job import Request, Start
from nereus.simulation.workload.orders.order import StartOrder
from nereus.simulation.workload.orders.rules import NO_RULES, Rules
from nereus.simulation.workload.profile import Profile


class Conservative(StartOrder):
    """Of those that wait, the order of submission; beside each, when it starts at the latest."""

    def __init__(self, cores: int, rules: Rules = NO_RULES) -> None:
        super().__init__(cores, rules)
        self._promised = Profile(cores)  # to running and waiting jobs
        for each in rules.reservations:
            self._promised.take(each.begin, each.end, each.cores)
        self._waiting: list[Request] = []
        self._starts = np.empty(0)
        self._ranks = np.empty(0, dtype=np.int64)
        self._ends: dict[int, float] = {}  # of running jobs, at the latest
        self._has_gap = False

    @property
    def wakes(self) -> float:
        """The next reservation."""
        return float(self._starts.min()) if len(self._starts) else inf

    def submitted(self, job: Request, now: float) -> None:
        """Gets its reservation, behind those who came before."""
        self._move_all_up(now)
        start = self._promised.earliest(now, job.ranks, job.limit)
        self._promised.take(start, start + job.limit, job.ranks)
        self._waiting.append(job)
        self._starts = np.append(self._starts, start)
        self._ranks = np.append(self._ranks, job.ranks)

    def starting(self, now: float) -> Iterator[Start]:
        """Whose reservation has come."""
        self._move_all_up(now)
        due = np.flatnonzero(self._starts <= now)
        if not len(due):
            return
        jobs = [self._waiting[place] for place in due]
        for place in reversed(due):
            del self._waiting[place]
        self._starts, self._ranks = np.delete(self._starts, due), np.delete(self._ranks, due)
        for job in jobs:
            self.free -= job.ranks
            self._ends[job.number] = now + job.limit
            yield Start(job, job.ranks)

    def ended(self, job: Request, now: float) -> None:
        """Where it ended early, there is a gap."""
        self.free += job.ranks
        end = self._ends.pop(job.number)
        if now < end:
            self._promised.give(now, end, job.ranks)
            self._has_gap = True

    def broke(self, cores: int, until: float, now: float) -> None:
        """What was promised cannot be kept: all who wait get new reservations, in their order."""
        super().broke(cores, until, now)
        for job, start in zip(self._waiting, self._starts.tolist(), strict=True):
            self._promised.give(start, start + job.limit, job.ranks)
        self._promised.take(now, until, cores)
        for place, job in enumerate(self._waiting):
            start = self._starts[place] = self._promised.earliest(now, job.ranks, job.limit)
            self._promised.take(start, start + job.limit, job.ranks)

    def _move_all_up(self, now: float) -> None:
        self._promised.forget(now)
        while self._has_gap:
            self._has_gap = self._moved_up(now)

    def _moved_up(self, now: float) -> bool:
        """Whether any job has: each is tried once."""
        place, moved = 0, False
        while (found := self._next_moved(place, now)) is not None:
            place, moved = found + 1, True
        return moved

    def _next_moved(self, place: int, now: float) -> int | None:
        """The first job from that place on that has."""
        return next((each for each in self._candidates(place) if self._move_up(each, now)), None)

    def _candidates(self, place: int) -> Iterator[int]:
        """Those from there on for whom enough cores are free at some time before their reservations."""
        free = self._promised.most_before(self._starts[place:])
        yield from (place + int(each) for each in (free >= self._ranks[place:]).nonzero()[0])

    def _move_up(self, place: int, now: float) -> bool:
        job, start = self._waiting[place], float(self._starts[place])
        earlier = self._promised.earlier(now, job.ranks, job.limit, start)
        if earlier == start:
            return False
        self._promised.give(start, start + job.limit, job.ranks)
        self._promised.take(earlier, earlier + job.limit, job.ranks)
        self._starts[place] = earlier
        return True
