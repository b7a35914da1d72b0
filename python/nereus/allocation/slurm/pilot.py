# SPDX-License-Identifier: BSD-3-Clause
"""An allocation within a job of Slurm whose hosts a daemon shares out among several of our jobs."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from nereus.allocation.call import wait_for_all
from nereus.allocation.contract import (
    Allocation,
    AllocationError,
    Event,
    EventKind,
    Growth,
    GrowthState,
    NotGranted,
    Wish,
)
from nereus.allocation.growths import Growths, Steps
from nereus.allocation.slurm.client import Call, answered, starts_soon
from nereus.allocation.slurm.end_watch import EndWatch
from nereus.allocation.slurm.environment import SlurmJob
from nereus.allocation.slurm.nodes import NodeWatch
from nereus.allocation.slurm.share import HostWish, Share
from nereus.allocation.slurm.sweep import sweep
from nereus.allocation.trial import tried
from nereus.allocation.under_way import UnderWay
from nereus.launch.hosts import Host, Reach, is_here, names_of

# Of commands, and of the daemon's answer, when the job is over.
_ENDS_WITHIN = 5.0
_HEARD_WITHIN = 2.0


class PilotAllocation(Allocation):
    #: All hosts are those of the Slurm job that we run in.
    environment: Mapping[str, str] = MappingProxyType({})

    def __init__(
        self,
        job: SlurmJob,
        reach: Reach,
        first: Sequence[str],
        share: Share,
        folder: Path,
        keeps: str = "",
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`reach`: all hosts of the Slurm job; `first`: those that the daemon gave the job at its start;
        `keeps`: why it cannot have others.
        """
        assert reach.remote_shell is not None
        self._job, self._shell, self._folder, self._now = job, reach.remote_shell, folder, now
        self._all = {host.name: host for host in reach.hosts}
        self._first = first[0]
        self._hosts = [self._all[name] for name in first]
        self._share, self._keeps = share, keeps
        self._growths = Growths()
        self._leaving = UnderWay()
        self._nodes, self._end = NodeWatch(now), EndWatch(job.id, now)

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple(self._hosts)

    def grow(self, wish: Wish) -> Growth:
        if self._keeps:
            raise AllocationError(f"{self._keeps}: no others can be had")
        growth = Growth(wish)
        self._growths.begin(growth, self._steps(growth))
        return growth

    def cancel(self, growth: Growth) -> None:
        self._growths.cancel(growth)

    def check_release(self, names: Sequence[str]) -> None:
        self.check_names(names)
        if self._first in names:
            raise AllocationError(f"{self._first}: a job keeps its first host")

    def release(self, names: Sequence[str], clean: bool = False) -> None:
        self.check_release(names)
        self._leaving.begin(self._leave(tuple(names), clean))
        self._remove(names)

    def turn(self) -> list[Event]:
        self._share.turn()
        self._growths.turn()
        self._leaving.turn()
        ending = self._end.look(names_of(self._hosts))
        return [*self._look_at_nodes(), *ending]

    def close(self) -> None:
        self._growths.close()
        self._nodes.close()
        self._end.close()
        self._leaving.close()
        wait_for_all(self._sweeps(self._share.names), _ENDS_WITHIN)
        self._share.close(_HEARD_WITHIN)

    def _steps(self, growth: Growth) -> Steps:
        """From the wish to usable hosts; closed before its end, it leaves nothing behind."""
        self._check(growth.wish)
        deadline = growth.wish.deadline(self._now())
        wish = self._share.wish(growth.wish.count, growth.wish.names)
        try:
            yield from self._wait_until_granted(wish, growth, deadline)
            growth.hosts = tuple(self._all[name] for name in wish.granted if name in self._all)
            growth.to(GrowthState.ACCEPTED)
            yield from tried(names_of(growth.hosts), self._shell, self.environment, starts_soon)
            self._hosts += growth.hosts
            growth.to(GrowthState.USABLE)
        finally:
            if growth.state is not GrowthState.USABLE:
                self._share.drop(wish)

    def _check(self, wish: Wish) -> None:
        most = max(host.slots for host in self._all.values())
        if wish.slots > most:
            raise AllocationError(f"{wish.slots} slots: hosts of the Slurm job {self._job.id} have {most}")

    def _wait_until_granted(self, wish: HostWish, growth: Growth, deadline: float) -> Steps:
        while wish.is_open:
            growth.reason = wish.why
            if self._now() >= deadline:
                why = wish.why or "no reason known"
                raise NotGranted(f"the daemon gave no hosts within {growth.wish.patience:g} s ({why})")
            yield
        if wish.never:
            raise AllocationError(f"the daemon will never give these hosts: {wish.never}")

    def _leave(self, names: tuple[str, ...], clean: bool) -> Steps:
        for call in [] if clean else self._sweeps(names):
            yield from answered(call)
        self._share.let_go(names)

    def _sweeps(self, names: Sequence[str]) -> list[Call]:
        far = [name for name in names if not is_here(name)]
        return [sweep(self._job.id, far, self._folder)] if far else []

    def _look_at_nodes(self) -> list[Event]:
        events = self._nodes.look(names_of(self._hosts))
        for event in events:
            self._share.avoid(event.hosts)
            if event.kind is EventKind.HOST_LOST:
                lost = [name for name in event.hosts if name != self._first]
                self._remove(lost)
                self._share.let_go(lost)
        return events

    def _remove(self, names: Sequence[str]) -> None:
        self._hosts = [host for host in self._hosts if host.name not in names]
