# SPDX-License-Identifier: BSD-3-Clause
"""Cores of jobs that share out the hosts of one allocation, each of them whole to one job.

As at a site, cores become hosts here; but jobs that start get their first hosts here too.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from nereus.coordinator.pool import HostPool
from nereus.coordinator.resources import Places, ResourceError, TakeBack
from nereus.coordinator.site import SiteResources


class PilotResources(SiteResources):
    def __init__(self, pool: HostPool) -> None:
        super().__init__(pool)
        self.pool = pool

    @property
    def _cores_of_free_hosts(self) -> int:
        return self.free_hosts * self.pool.slots

    @property
    def free_hosts(self) -> int:
        return super().free_hosts if self.pool.is_open else 0

    def check_start(self, job: str, ranks: int) -> None:
        most = self.pool.size * self.pool.slots
        if not 1 <= ranks <= most:
            raise ResourceError(f"{job}: {ranks} cores: 1 to {most} are there")

    def can_start(self, ranks: int) -> bool:
        return self._hosts_for(ranks) <= min(self.free_hosts, len(self.pool.free))

    def start(self, job: str, ranks: int) -> Places:
        if job in self._held:
            raise ResourceError(f"{job}: has started already")
        if not self.can_start(ranks):
            raise ResourceError(f"{job}: {ranks} cores: {self.free_hosts} hosts are free")
        names = self.pool.take(job, self._hosts_for(ranks))
        self._hold(job, Counter({job: ranks}))
        self._own[job] = ranks
        return {name: self.pool.hosts[name] for name in names}

    def taking_back(self, ranks: int, spared: Collection[str] = ()) -> list[TakeBack]:
        """Hosts beyond those that jobs began with, of those first that have most."""
        missing = self._hosts_for(ranks) - self.free_hosts
        asked: list[TakeBack] = []
        for job, more in self._that_have_most(spared):
            if missing <= 0:
                break
            taken = min(more, missing)
            missing -= taken
            asked.append(self._without(job, more - taken))
        if missing > 0:
            raise ResourceError(f"{ranks} cores: {missing} more hosts than there are beside those of starts")
        return asked

    def _hosts_for(self, ranks: int) -> int:
        return -(-ranks // self.pool.slots)

    def _that_have_most(self, spared: Collection[str]) -> Iterable[tuple[str, int]]:
        """And how many hosts each could leave."""
        theirs = ((job, hosts) for job, hosts in self._hosts.items() if hosts > 0 and job not in spared)
        return sorted(theirs, key=lambda each: -each[1])

    def _without(self, job: str, hosts: int) -> TakeBack:
        """Its ranks fit on its first hosts and so many further ones then."""
        ranks = max(0, self._held[job].total() - self._of[job].room(hosts))
        loan = next((each.number for each in reversed(self._loans.values()) if each.job == job), None)
        return TakeBack(job, {job: ranks}, loan)
