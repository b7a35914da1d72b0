# SPDX-License-Identifier: BSD-3-Clause
"""Cores of jobs each of which has an allocation of its own, and gets more hosts within a budget.

Here alone cores become hosts: a job has the slots of the hosts that it began with; what it has beyond them
takes whole hosts, which no other job shares.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Protocol

from nereus.coordinator.resources import Places, ResourceError, Resources


@dataclass(frozen=True)
class JobHosts:
    """What a job's supervisor tells of its hosts: the slots of those that it began with, the least slots of
    each further one (0: it can get none), and how many further ones it has.
    """

    first_slots: int
    host_slots: int
    more: int

    def needed(self, ranks: int) -> int:
        """Further hosts for so many ranks."""
        beyond = ranks - self.first_slots
        return -(-beyond // self.host_slots) if beyond > 0 and self.host_slots > 0 else 0

    def room(self, hosts: int) -> int:
        """Ranks that fit on the first hosts and so many further ones."""
        return self.first_slots + self.host_slots * hosts


class HostLimit(Protocol):
    """How many hosts jobs may have beyond those that they began with (`Budget`, `HostPool`)."""

    @property
    def room(self) -> int: ...

    @property
    def is_spent(self) -> bool: ...

    @property
    def due(self) -> float: ...

    def advance(self, now: float) -> None: ...

    def holds(self, job: str, hosts: int, now: float) -> None: ...

    def ended(self, job: str) -> None: ...


class SiteResources(Resources):
    """A job's cores are counted, not placed: where its ranks go is decided by the job and its supervisor."""

    def __init__(self, budget: HostLimit) -> None:
        super().__init__({})
        self.budget = budget
        self._of: dict[str, JobHosts] = {}
        self._hosts: Counter[str] = Counter()  # further hosts that each job has or was promised
        self._all_hosts = 0

    @property
    def all_cores(self) -> int:
        """All that there can be now."""
        return sum(map(self._room, self._of)) + self._cores_of_free_hosts

    @property
    def free_cores(self) -> int:
        return sum(map(self._unused, self._of)) + self._cores_of_free_hosts

    @property
    def free_hosts(self) -> int:
        """Further hosts that jobs may get."""
        return max(0, self.budget.room - self._all_hosts)

    def has(self, host: str) -> bool:
        """All hosts are jobs' own."""
        return True

    def free_for(self, job: str) -> int:
        of = self._of.get(job)
        return self._unused(job) + of.host_slots * self.free_hosts if of is not None else 0

    def hosts_of(self, job: str) -> JobHosts | None:
        return self._of.get(job)

    def has_hosts(self, job: str, hosts: JobHosts, now: float) -> None:
        self._of[job] = hosts
        self.budget.holds(job, hosts.more, now)
        self._count(job)

    def check_start(self, job: str, ranks: int) -> None:
        raise ResourceError(f"{job}: has to get its first hosts from the resource manager, not from here")

    def settle(self, job: str, places: Places, promised: int = 0) -> None:
        ranks = sum(places.values())
        super().settle(job, {job: ranks}, promised)
        if promised > ranks:  # also where nothing is known any more of what it was given
            self._hold(job, Counter({job: promised}))
        self._count(job)

    def ended(self, job: str) -> None:
        super().ended(job)
        self.budget.ended(job)
        self._of.pop(job, None)
        self._all_hosts -= self._hosts.pop(job, 0)

    def _take(self, job: str, ranks: int) -> Places:
        held = self._held.get(job, Counter[str]()).total()
        of = self._of.get(job)
        if of is None or held + ranks > of.room(self._hosts[job] + self.free_hosts):
            room = max(0, self.free_for(job))
            raise ResourceError(f"{job}: {ranks} more cores: its hosts and the budget have room for {room}")
        self._hold(job, Counter({job: held + ranks}))
        self._count(job)
        return {job: ranks}

    def _give_back(self, job: str, places: Places) -> None:
        super()._give_back(job, places)
        self._count(job)

    def _count(self, job: str) -> None:
        of = self._of.get(job)
        hosts = max(of.more, of.needed(self._held.get(job, Counter[str]()).total())) if of else 0
        self._all_hosts += hosts - self._hosts[job]
        self._hosts[job] = hosts

    def _room(self, job: str) -> int:
        return self._of[job].room(self._hosts[job])

    def _unused(self, job: str) -> int:
        """Cores of the job's own hosts without a rank."""
        return max(0, self._room(job) - self._held.get(job, Counter[str]()).total())

    @property
    def _cores_of_free_hosts(self) -> int:
        return self.free_hosts * max((of.host_slots for of in self._of.values()), default=0)
