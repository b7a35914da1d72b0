# SPDX-License-Identifier: BSD-3-Clause
"""Who may write now: turns for the store that jobs share.

A turn lasts from the grant to the word that the phase is over, and as long as its lease is renewed. Each
grant has an epoch, greater than all before: what is said of an older one is late and changes nothing, so
that messages may be lost, doubled or late. Orders: everybody at once; one after the other, first come first
served, as CLARISSE does (paper, section 4.3); or one of each set of jobs with about the same period, as in
IO-Sets (Boito, Pallez, Teylo and Vidal, 2023).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import log10
from typing import Protocol


@dataclass(frozen=True)
class Request:
    """`period`: from one I/O phase of the job to the next, s, where that is known."""

    job: str
    since: float
    period: float | None = None


@dataclass(frozen=True)
class Grant:
    job: str
    epoch: int
    until: float  # its lease


class Order(Protocol):
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

    @property
    def writing(self) -> list[Grant]:
        return [grant for _, grant in self._writing.values()]

    @property
    def waiting(self) -> list[Request]:
        return list(self._waiting.values())

    @property
    def last_epoch(self) -> int:
        return self._epoch

    def ask(self, request: Request, now: float) -> list[Grant]:
        """Once more by a job that has its turn: the same grant, of which it may not have heard."""
        if request.job in self._writing:
            return [self._writing[request.job][1]]
        self._waiting.setdefault(request.job, request)
        return self._admit(now)

    def renew(self, job: str, epoch: int, now: float) -> bool:
        """Whether it still has its turn."""
        if not self._has(job, epoch):
            return False
        request, grant = self._writing[job]
        self._writing[job] = request, replace(grant, until=now + self._lease)
        return True

    def done(self, job: str, epoch: int, now: float) -> list[Grant]:
        """To whom it is given next; nobody, where the turn was over before."""
        if not self._has(job, epoch):
            return []
        del self._writing[job]
        return self._admit(now)

    def gone(self, job: str, now: float) -> list[Grant]:
        """The job ended, whatever it waited for or had."""
        self._waiting.pop(job, None)
        self._writing.pop(job, None)
        return self._admit(now)

    def expire(self, now: float) -> list[Grant]:
        """Takes turns back whose lease is over."""
        late = [grant.job for grant in self.writing if grant.until <= now]
        for job in late:
            del self._writing[job]
        return self._admit(now) if late else []

    def resume(self, held: Iterable[tuple[Request, Grant]]) -> None:
        """Turns that jobs have from before a restart: nobody else gets them until they are done or over."""
        for request, grant in held:
            self._writing[request.job] = request, grant
            self._epoch = max(self._epoch, grant.epoch)

    def _has(self, job: str, epoch: int) -> bool:
        return job in self._writing and self._writing[job][1].epoch == epoch

    def _admit(self, now: float) -> list[Grant]:
        granted = []
        for request in self.waiting:
            if not self._order.admits(request, [writing for writing, _ in self._writing.values()]):
                continue
            del self._waiting[request.job]
            self._epoch += 1
            grant = Grant(request.job, self._epoch, now + self._lease)
            self._writing[request.job] = request, grant
            granted.append(grant)
        return granted
