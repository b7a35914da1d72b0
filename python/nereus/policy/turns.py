# SPDX-License-Identifier: BSD-3-Clause
"""Who may write now: turns for the store that jobs share.

A turn lasts from the grant to the word that the phase is over, and as long as its lease is renewed. Each
grant has an epoch, greater than all before, and each request a number, greater than all of its job before:
what is said of older ones changes nothing, so that messages may be lost, doubled or late. Orders: everybody
at once; one after the other, first come first served, as CLARISSE does (paper, section 4.3); or one of each
set of jobs with about the same period, as in IO-Sets (Boito, Pallez, Teylo and Vidal, 2023).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf, log10
from typing import Protocol


@dataclass(frozen=True)
class Request:
    """`number`: of the I/O phase among those of the job, from 1, the same when it is asked for again;
    `period`: from one I/O phase to the next, s, where that is known.
    """

    job: str
    number: int
    period: float | None = None

    def __post_init__(self) -> None:
        if self.number < 1 or not (self.period is None or 0 < self.period < inf):
            raise ValueError(f"{self}: numbers from 1 and periods above 0 are allowed")


@dataclass(frozen=True)
class Grant:
    job: str
    epoch: int
    until: float  # its lease


class Order(Protocol):
    """Where nobody writes, somebody does: the first that asked, if all are refused."""

    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        """Whether the job may write beside those that do."""


class AllAtOnce:
    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        return True


class OneByOne:
    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        return not any(True for _ in writing)


class OneOfEachSet:
    """Sets are powers of ten of the period, rounded; jobs without a known period are one more."""

    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        return self._set(request) not in {self._set(other) for other in writing}

    @staticmethod
    def _set(request: Request) -> int | None:
        return round(log10(request.period)) if request.period else None


class Turns:
    """Given to jobs in the sequence in which they asked, as far as the order admits them."""

    def __init__(self, order: Order, lease: float, last_epoch: int = 0) -> None:
        self._order, self._lease, self._epoch = order, lease, last_epoch
        self._waiting: dict[str, Request] = {}
        self._writing: dict[str, tuple[Request, Grant]] = {}
        # Of each job: the phase that it asked for last, and the last of those that are over.
        self._latest: dict[str, int] = {}
        self._finished: dict[str, int] = {}

    @property
    def writing(self) -> list[Grant]:
        return [grant for _, grant in self._writing.values()]

    @property
    def waiting(self) -> list[Request]:
        return list(self._waiting.values())

    @property
    def last_epoch(self) -> int:
        return self._epoch

    def change_order(self, order: Order, now: float) -> list[Grant]:
        """From now on; who writes goes on, and who waits may write if the new order admits it."""
        self._order = order
        return self._admit(now)

    def ask(self, request: Request, now: float) -> list[Grant]:
        """Once more for the phase that has its turn: that grant, of which the job may not have heard; its
        lease begins anew. For a later phase: the one before is over.
        """
        job = request.job
        if request.number <= self._finished.get(job, 0) or request.number < self._latest.get(job, 0):
            return []
        self._latest[job] = request.number
        if job in self._writing:
            held, grant = self._writing[job]
            if request.number == held.number:
                self.renew(job, grant.epoch, now)
                return [self._writing[job][1]]
            del self._writing[job]
            self._finished[job] = held.number
            self._waiting[job] = request
            return self._admit(now)
        self._waiting[job] = request
        return self._admit(now, [request])  # nothing was freed: the others wait as before

    def renew(self, job: str, epoch: int, now: float) -> bool:
        """Whether it still has its turn."""
        if not self.has(job, epoch):
            return False
        request, grant = self._writing[job]
        self._writing[job] = request, replace(grant, until=now + self._lease)
        return True

    def has(self, job: str, epoch: int) -> bool:
        return job in self._writing and self._writing[job][1].epoch == epoch

    def is_over(self, job: str, number: int) -> bool:
        """Whether that phase, or a later one, is."""
        return number <= self._finished.get(job, 0)

    def done(self, job: str, number: int, now: float) -> list[Grant]:
        """The job says that a phase is over; to whom its turn is given next.

        A phase has one turn at most that counts. Which one the job knows of does not matter: it may have
        gone on without, just when it was granted.
        """
        if job in self._waiting and self._waiting[job].number <= number:
            del self._waiting[job]
        if job in self._writing and self._writing[job][0].number <= number:
            del self._writing[job]
        self._finished[job] = max(number, self._finished.get(job, 0))
        return self._admit(now)

    def gone(self, job: str, now: float) -> list[Grant]:
        """The job ended, whatever it waited for or had."""
        self._waiting.pop(job, None)
        self._writing.pop(job, None)
        self._latest.pop(job, None)
        self._finished.pop(job, None)
        return self._admit(now)

    def expire(self, now: float) -> list[Grant]:
        """Takes turns back whose lease is over."""
        late = [grant.job for grant in self.writing if grant.until <= now]
        for job in late:
            del self._writing[job]
        return self._admit(now) if late else []

    def resume(self, held: Iterable[tuple[Request, Grant]]) -> None:
        """Before anything is asked: turns that jobs have from before a restart.

        Nobody else gets them until they are done or over.
        """
        for request, grant in held:
            self._writing[request.job] = request, grant
            self._latest[request.job] = request.number
            self._epoch = max(self._epoch, grant.epoch)

    def _admit(self, now: float, asking: Iterable[Request] | None = None) -> list[Grant]:
        """Of those that ask, or of all that wait."""
        granted = []
        for request in self.waiting if asking is None else asking:
            if not self._order.admits(request, (writing for writing, _ in self._writing.values())):
                continue
            granted.append(self._grant(request, now))
        if not self._writing and self._waiting:
            granted.append(self._grant(self.waiting[0], now))
        return granted

    def _grant(self, request: Request, now: float) -> Grant:
        del self._waiting[request.job]
        self._epoch += 1
        grant = Grant(request.job, self._epoch, now + self._lease)
        self._writing[request.job] = request, grant
        return grant
