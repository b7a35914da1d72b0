# SPDX-License-Identifier: BSD-3-Clause
"""Which job has which hosts of one allocation that jobs share out: whole hosts, by name.

Supervisors say again and again which hosts their jobs have, and how many more they wish for; so what they say
may be lost, and after a restart it is known soon. A job has its hosts until its supervisor lets them go, or
has said nothing for long: its processes may outlive its last word to anybody else.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

#: A job has its hosts for so long when nothing more is said of them.
KEPT_SECONDS = 60.0


class NeverGranted(Exception):
    """A wish for hosts that cannot come true as it stands; the message says why."""


@dataclass
class _Holder:
    names: list[str]
    #: How many of them it began with; of one that is not in the books of cores, all count as such.
    first: int
    heard: float
    is_counted: bool = False

    @property
    def beginning(self) -> int:
        return min(self.first, len(self.names)) if self.is_counted else len(self.names)


@dataclass(frozen=True)
class Said:
    """What a supervisor says: the hosts that its job has, the first ones at the front, and what it wishes."""

    names: Sequence[str]
    first: int
    #: So many more, or these.
    more: int = 0
    more_names: Sequence[str] = ()
    #: Hosts among the pool's that jobs should not have any more.
    unfit: Sequence[str] = field(default=())

    @property
    def wished(self) -> int:
        return len(self.more_names) or self.more


class HostPool:
    """Also a limit as `Budget` is one, of hosts beyond those that jobs began with, without one of time."""

    is_spent = False
    due = inf

    def __init__(self, hosts: Mapping[str, int], quiet_until: float = -inf) -> None:
        """Slots of each host; `quiet_until`: when all jobs from before a restart have said what they have."""
        if not hosts or min(hosts.values()) < 1:
            raise ValueError(f"{dict(hosts)}: hosts with one slot or more are allowed")
        self.hosts = dict(hosts)
        self._now, self._quiet_until = -inf, quiet_until
        self._of: dict[str, _Holder] = {}
        self._unfit: set[str] = set()

    @property
    def slots(self) -> int:
        """That each host has at least."""
        return min(self.hosts.values())

    @property
    def size(self) -> int:
        """Hosts that are fit for jobs."""
        return len(self.hosts) - len(self._unfit)

    @property
    def free(self) -> list[str]:
        """Names of hosts that nobody has, in the order of the allocation."""
        taken = {name for holder in self._of.values() for name in holder.names} | self._unfit
        return [name for name in self.hosts if name not in taken]

    @property
    def room(self) -> int:
        """Hosts that jobs may have beyond those that they began with."""
        return self.size - sum(holder.beginning for holder in self._of.values())

    @property
    def jobs(self) -> list[str]:
        """That have hosts."""
        return list(self._of)

    def names_of(self, job: str) -> list[str]:
        return list(self._of[job].names) if job in self._of else []

    @property
    def is_open(self) -> bool:
        """Whether it is known which hosts jobs have, so that others can be granted."""
        return self._now >= self._quiet_until

    def advance(self, now: float) -> None:
        """Nothing is used up by time."""
        self._now = max(now, self._now)

    def holds(self, job: str, hosts: int, now: float) -> None:
        """It is in the books of cores, with what it has beyond its first hosts."""
        if job in self._of:
            self._of[job].is_counted = True

    def ended(self, job: str) -> None:
        """It is in the books no more; its hosts are let go by its supervisor."""
        if job in self._of:
            self._of[job].is_counted = False

    def take(self, job: str, hosts: int) -> list[str]:
        """The first hosts of a job that is to start; those that it has already, where it said so before."""
        if job in self._of:
            return self.names_of(job)
        names = self.free[:hosts]
        if len(names) < hosts:
            raise NeverGranted(f"{hosts} hosts: {len(names)} are free")
        self._of[job] = _Holder(names, hosts, self._now)
        return names

    def says(self, job: str, said: Said, now: float) -> list[str]:
        """The hosts that the job has now: those that it names and, all or none, those that it wishes for.

        An answer may have been lost: what was granted, and is not named yet, serves the wish. NeverGranted
        where it cannot come true; then it has those that it names.
        """
        self.advance(now)
        before = self.names_of(job)
        others = {name for other, holder in self._of.items() if other != job for name in holder.names}
        known = [name for name in dict.fromkeys(said.names) if name in self.hosts and name not in others]
        self._unfit |= {name for name in said.unfit if name in self.hosts and name not in known}
        is_counted = job in self._of and self._of[job].is_counted
        self._of[job] = holder = _Holder(known, min(said.first, len(known)), now, is_counted)
        if not known and not said.wished:
            del self._of[job]
            return []
        if said.wished:
            self._check(said, known[: holder.first])
            spare = [name for name in before if name not in known and name not in self._unfit]
            holder.names += self._granted(said, [*spare, *self.free])
        return list(holder.names)

    def expire(self, now: float) -> list[str]:
        """Jobs of which nothing was said for long; their hosts are free."""
        late = [job for job, holder in self._of.items() if now - holder.heard > KEPT_SECONDS]
        for job in late:
            del self._of[job]
        return late

    def _granted(self, said: Said, may_be: Sequence[str]) -> list[str]:
        """All that is wished for, or nothing."""
        if not self.is_open:
            return []
        chosen = list(dict.fromkeys(may_be))
        if said.more_names:
            return list(said.more_names) if set(said.more_names) <= set(chosen) else []
        return chosen[: said.more] if said.more <= len(chosen) else []

    def _check(self, said: Said, first: Collection[str]) -> None:
        """Of its other hosts it may be just leaving some."""
        unknown = [name for name in said.more_names if name not in self.hosts or name in first]
        if unknown:
            raise NeverGranted(f"{unknown[0]}: no further host of this allocation")
        if said.wished + len(first) > len(self.hosts):
            left = len(self.hosts) - len(first)
            raise NeverGranted(f"{said.wished} hosts: {left} are there beside those that the job began with")
