# SPDX-License-Identifier: BSD-3-Clause
"""A store whose bandwidth jobs share: each gets as much as it can use, or an equal share if that is less.

Processor sharing with a most for each job, which is max-min fairness. Jobs that ask for the same are a class,
which is limited by the share or not. A class has a clock: its jobs' own time, which goes slower than time
where they get less than they ask for. Of limited classes it follows the bytes that a share has moved so far;
so an event changes the clocks of those classes alone that become limited or no longer are.
"""

import heapq
from dataclasses import dataclass, field
from math import inf

#: Of a share: what is closer together than that is the same.
_SAME = 1e-9


@dataclass(frozen=True)
class Storage:
    """Bytes per second: of all jobs together, and of one at most."""

    bandwidth: float
    job_bandwidth: float


@dataclass(eq=False)
class _Class:
    """Jobs that ask for `demand` bytes per second of their own time, and get `most` of it."""

    demand: float
    most: float
    clock: float = 0.0  # own seconds at `since`
    since: float = 0.0  # time; of limited ones, the bytes of a share up to then
    is_limited: bool = False
    jobs: int = 0
    steps: list[tuple[float, int, int]] = field(default_factory=list)  # a heap: by the clock, who, entry
    entry: int = 0  # the one that counts of those in a heap of next steps

    def clock_at(self, now: float, moved: float) -> float:
        if self.is_limited:
            return self.clock + (moved - self.since) / self.demand
        return self.clock + (now - self.since) * (self.most / self.demand)

    def at(self, clock: float) -> float:
        """The time, or the bytes of a share, at which its clock says that."""
        if self.is_limited:
            return self.since + (clock - self.clock) * self.demand
        return self.since + (clock - self.clock) * (self.demand / self.most)


@dataclass
class _User:
    """A job: its own time is the clock of its class and `ahead`; `entry`: that of its next step."""

    of: _Class
    ahead: float
    entry: int


class Store:
    """Times are told in their order."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._classes: dict[float, _Class] = {}
        self._users: dict[int, _User] = {}
        self._now = self._moved = self._unlimited = 0.0  # bytes of a share; bytes per second
        self._limited_jobs = self._entries = 0
        self._share = inf
        #: Heaps; entries of before are void. By what classes get at most: who is limited, or free, first.
        self._widest: list[tuple[float, int, _Class]] = []
        self._narrowest: list[tuple[float, int, _Class]] = []
        #: By their next steps.
        self._next_free: list[tuple[float, int, _Class]] = []
        self._next_limited: list[tuple[float, int, _Class]] = []

    def join(self, number: int, demand: float, now: float, own: float, step: float) -> None:
        """A job asks for so much, its own time is `own`, and at `step` of that it wants to be told."""
        if number in self._users:
            self.leave(number, now)
        self._pass_to(now)
        if demand not in self._classes:
            made = self._classes[demand] = _Class(demand, min(demand, self._storage.job_bandwidth), since=now)
            heapq.heappush(self._widest, (-made.most, self._entry(), made))
        of = self._classes[demand]
        clock = of.clock_at(now, self._moved)
        self._entries += 1
        self._users[number] = _User(of, own - clock, self._entries)
        heapq.heappush(of.steps, (clock + (step - own), number, self._entries))
        self._count(of, 1)
        self._share_anew(now)
        self._expect(of)

    def leave(self, number: int, now: float) -> None:
        """A job asks for nothing any more."""
        self._pass_to(now)
        user = self._users.pop(number)
        self._count(user.of, -1)
        if not user.of.jobs:
            del self._classes[user.of.demand]
            if not self._classes:
                self._unlimited = 0.0  # without the error of a sum
        self._share_anew(now)

    def own(self, number: int, now: float) -> float:
        """A job's own time."""
        self._pass_to(now)
        user = self._users[number]
        return user.ahead + user.of.clock_at(now, self._moved)

    def next_step(self) -> tuple[float, int]:
        """When the next job is at its step, and which; infinite where none is expected."""
        free, limited = self._first(self._next_free), self._first(self._next_limited)
        at_limited = inf if limited is None else self._now + (limited[0] - self._moved) / self._share
        at_free = inf if free is None else free[0]
        found = free if at_free <= at_limited else limited
        if found is None:
            return inf, -1
        _, number, _ = found[2].steps[0]
        return max(self._now, min(at_free, at_limited)), number

    def _first(self, heap: list[tuple[float, int, _Class]]) -> tuple[float, int, _Class] | None:
        while heap:
            when, entry, of = heap[0]
            if of.entry == entry and self._next_of(of) == when:
                return heap[0]
            heapq.heappop(heap)
            if of.entry == entry:
                self._expect(of)
        return None

    def _next_of(self, of: _Class) -> float:
        """Time, or bytes of a share."""
        while of.steps:
            clock, number, entry = of.steps[0]
            user = self._users.get(number)
            if user is not None and user.entry == entry:
                return of.at(clock)
            heapq.heappop(of.steps)
        return inf

    def _expect(self, of: _Class) -> None:
        heap, when = self._next_limited if of.is_limited else self._next_free, self._next_of(of)
        of.entry = self._entry()
        if when < inf:
            heapq.heappush(heap, (when, of.entry, of))

    def _pass_to(self, now: float) -> None:
        if self._limited_jobs:
            self._moved += (now - self._now) * self._share
        self._now = now

    def _count(self, of: _Class, jobs: int) -> None:
        of.jobs += jobs
        if of.is_limited:
            self._limited_jobs += jobs
        else:
            self._unlimited += jobs * of.most

    def _share_anew(self, now: float) -> None:
        while True:
            widest = self._edge(self._widest, is_limited=False)
            if not self._limited_jobs:
                self._share = inf
                if self._unlimited <= self._storage.bandwidth * (1 + _SAME) or widest is None:
                    break
                self._switch(widest, now)
                continue
            self._share = (self._storage.bandwidth - self._unlimited) / self._limited_jobs
            narrowest = self._edge(self._narrowest, is_limited=True)
            if widest is not None and widest.most > self._share * (1 + _SAME):
                self._switch(widest, now)
            elif narrowest is not None and narrowest.most <= self._share:
                self._switch(narrowest, now)
            else:
                break

    def _edge(self, heap: list[tuple[float, int, _Class]], is_limited: bool) -> _Class | None:
        while heap:
            of = heap[0][2]
            if of.jobs and of.is_limited == is_limited:
                return of
            heapq.heappop(heap)
        return None

    def _switch(self, of: _Class, now: float) -> None:
        """To limited, or back."""
        clock, jobs = of.clock_at(now, self._moved), of.jobs
        self._count(of, -jobs)
        of.is_limited = not of.is_limited
        of.clock, of.since = clock, self._moved if of.is_limited else now
        self._count(of, jobs)
        if of.is_limited:
            heapq.heappush(self._narrowest, (of.most, self._entry(), of))
        else:
            heapq.heappush(self._widest, (-of.most, self._entry(), of))
        self._expect(of)

    def _entry(self) -> int:
        """So that no two entries of a heap are compared further."""
        self._entries += 1
        return self._entries
