# SPDX-License-Identifier: BSD-3-Clause
"""How many hosts jobs may have beyond those that they began with, and for how long altogether.

Times are seconds of one clock that does not go back.
"""

from collections import Counter
from math import inf

#: A host is asked back so long before its time is used up: its job leaves it at a checkpoint, not at once.
LEAVE_SECONDS = 30.0
#: For less time no host is asked for.
_LEAST_USE = 30.0


class Budget:
    """`room` falls as time is used. Once hosts had to be asked back, none is given any more: `is_spent`."""

    def __init__(self, most_hosts: int, most_host_seconds: float = inf) -> None:
        if most_hosts < 1 or not most_host_seconds > 0:
            raise ValueError(f"{most_hosts} hosts, {most_host_seconds} s: more than 0 are allowed")
        self.most_hosts, self.most_host_seconds = most_hosts, most_host_seconds
        self._held: Counter[str] = Counter()
        self._held_in_all = 0
        self._used = 0.0
        self._seen: float | None = None
        self._is_spent = False

    @property
    def held(self) -> int:
        """Hosts that jobs have now."""
        return self._held_in_all

    @property
    def host_seconds(self) -> float:
        """For which hosts were held, each of them counted."""
        return self._used

    @property
    def is_spent(self) -> bool:
        """Whether all hosts have to come back."""
        return self._is_spent

    @property
    def room(self) -> int:
        """Hosts that may be held from now on, those among them that are."""
        if self._is_spent:
            return 0
        if self.most_host_seconds == inf:
            return self.most_hosts
        left = max(0.0, self.most_host_seconds - self._used)
        return min(self.most_hosts, int(left / (LEAVE_SECONDS + _LEAST_USE)))

    @property
    def due(self) -> float:
        """When it is spent, as things are; infinity: never."""
        if self._is_spent or self._held_in_all == 0 or self._seen is None:
            return inf
        left = self.most_host_seconds - self._used
        return self._seen + max(0.0, left / self._held_in_all - LEAVE_SECONDS)

    def advance(self, now: float) -> None:
        """Time passes, with the hosts that are held."""
        if self._seen is not None and now > self._seen:
            self._used += (now - self._seen) * self._held_in_all
        self._seen = now if self._seen is None else max(now, self._seen)
        if self._used + self._held_in_all * LEAVE_SECONDS >= self.most_host_seconds:
            self._is_spent = True

    def holds(self, job: str, hosts: int, now: float) -> None:
        """From now on the job has so many."""
        self.advance(now)
        self._held_in_all += hosts - self._held[job]
        self._held[job] = hosts
        if hosts == 0:
            del self._held[job]
        self.advance(now)

    def ended(self, job: str) -> None:
        """The job has none any more."""
        self._held_in_all -= self._held.pop(job, 0)
