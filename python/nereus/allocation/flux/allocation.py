# SPDX-License-Identifier: BSD-3-Clause
"""An allocation in Flux: the hosts of the job that we run in, and those of one-host jobs beside it."""

import os
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from nereus.allocation.call import Call as AnyCall
from nereus.allocation.call import answered, wait_for_all
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
from nereus.allocation.flux.client import Call, goes_away
from nereus.allocation.flux.drains import DrainWatch
from nereus.allocation.flux.first_job import FluxJob
from nereus.allocation.flux.host_job import HostJob
from nereus.allocation.flux.jobspec import OneHost
from nereus.allocation.flux.room import check_room, time_left
from nereus.allocation.growths import Growths, Steps
from nereus.allocation.trial import tried
from nereus.allocation.under_way import UnderWay
from nereus.launch.hosts import Host, Reach, is_here, names_of

#: Where `start_on_host` reads which job of Flux has a host.
HOSTS_FILE = "NEREUS_FLUX_HOSTS"
_SWEPT_WITHIN = 10.0
_ENDS_WITHIN = 5.0
# Between two submissions where Flux does not answer.
_AGAIN_AFTER = 1.0
_KEEPS = "a job in Flux keeps the hosts of its start until it ends"


@dataclass
class _Held:
    """A job beside the first, and its host, which is ours."""

    job: HostJob
    host: Host


class FluxAllocation(Allocation):
    def __init__(
        self, job: FluxJob, reach: Reach, name: str, folder: Path, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`name`: with a number, that of the jobs that are submitted; `folder`: of ours alone."""
        assert reach.remote_shell is not None
        self._job, self._shell, self._name, self._now = job, reach.remote_shell, name, now
        self._first = list(job.hosts)
        self._folder, self._file = folder, folder / "flux-hosts"
        self._held: list[_Held] = []
        #: Granted, but not known to be usable yet.
        self._tried: list[_Held] = []
        #: Of the first job: the job has left them, and Flux does not take them back.
        self._left: list[Host] = []
        self._given_back: set[str] = set()
        self._ending: list[HostJob] = []
        self._growths = Growths()
        self._leaving = UnderWay()
        self._cancels: list[Call] = []
        self._events: list[Event] = []
        self._drains = DrainWatch(job.uri, now)
        self._numbers = count(1)
        self._note_hosts()

    @property
    def environment(self) -> Mapping[str, str]:
        return {HOSTS_FILE: str(self._file)}

    @property
    def hosts(self) -> tuple[Host, ...]:
        ours = (*self._first, *(held.host for held in self._held))
        return tuple(host for host in ours if host.name not in self._given_back)

    def grow(self, wish: Wish) -> Growth:
        if not self._job.id:
            raise AllocationError("no job of Flux is around this Flux instance: no others can be had")
        growth = Growth(wish)
        self._growths.begin(growth, self._steps(growth))
        return growth

    def cancel(self, growth: Growth) -> None:
        self._growths.cancel(growth)

    def check_release(self, names: Sequence[str]) -> None:
        self.check_names(names)
        first = self._job.hosts[0].name
        if first in names:
            raise AllocationError(f"{first}: a job in Flux keeps its first host")

    def release(self, names: Sequence[str], clean: bool = False) -> None:
        self.check_release(names)
        left = [host for host in self._first if host.name in names]
        if left:
            self._first = [host for host in self._first if host not in left]
            self._left += left
            self._events.append(Event(EventKind.HOST_KEPT, _KEEPS, tuple(names_of(left))))
        going = [held for held in self._held if held.host.name in names]
        self._given_back |= set(names_of(held.host for held in going))
        dirty = () if clean else (*names_of(held.host for held in going), *names_of(left))
        self._leaving.begin(self._leave(going, dirty))

    def turn(self) -> list[Event]:
        self._growths.turn()
        self._leaving.turn()
        self._reap()
        events, self._events = self._events, []
        return [*events, *self._lost(), *self._drains.look(names_of(self.hosts))]

    def close(self) -> None:
        self._growths.close()
        self._drains.close()
        self._leaving.close()
        names = [host.name for host in (*self._job.hosts, *(held.host for held in self._held))]
        wait_for_all(self._sweeps(names), _ENDS_WITHIN)
        for held in self._held:
            held.job.release()
            self._ending.append(held.job)
        self._held.clear()
        deadline = time.monotonic() + _ENDS_WITHIN
        for job in self._ending:
            job.wait(max(0.0, deadline - time.monotonic()))
        self._reap()
        wait_for_all(self._cancels, _ENDS_WITHIN)

    def _steps(self, growth: Growth) -> Steps:
        """From the wish to usable hosts; closed before its end, it leaves nothing behind."""
        deadline = growth.wish.deadline(self._now())
        there = self._to_come_back(growth.wish)
        self._left = [host for host in self._left if host not in there]
        jobs: list[HostJob] = []
        held: list[_Held] = []
        try:
            wanted = self._wanted(growth.wish, names_of(there))
            if wanted:
                yield from self._submit(jobs, wanted, growth, deadline)
            held += [_Held(job, self._host_of(job, growth.wish)) for job in jobs]
            growth.hosts = (*there, *(each.host for each in held))
            growth.to(GrowthState.ACCEPTED)
            self._tried += held
            self._note_hosts()
            yield from tried(names_of(growth.hosts), self._shell, self.environment)
            self._first += there
            self._held += held
            growth.to(GrowthState.USABLE)
        finally:
            self._tried = [other for other in self._tried if other not in held]
            if growth.state is not GrowthState.USABLE:
                self._left += there
                for job in jobs:
                    job.release()
                self._ending += jobs
                self._note_hosts()

    def _to_come_back(self, wish: Wish) -> list[Host]:
        """Hosts that the job has left, but Flux has kept for it."""
        fit = [host for host in self._left if host.slots >= wish.slots]
        return [host for host in fit if host.name in wish.names] if wish.names else fit[: wish.hosts]

    def _wanted(self, wish: Wish, there: Sequence[str]) -> list[str]:
        """Names of hosts to ask for, "" for any."""
        if wish.names:
            return [name for name in wish.names if name not in there]
        return [""] * (wish.hosts - len(there))

    def _submit(
        self, jobs: list[HostJob], wanted: Sequence[str], growth: Growth, deadline: float
    ) -> Generator[None, None, None]:
        """One job for each, granted at the end; `jobs`: those that there are."""
        # Those that are being given back can be had again.
        ours = len(self._job.hosts) + sum(held.host.name not in self._given_back for held in self._held)
        yield from check_room(self._job, wanted, ours)
        duration = yield from time_left(self._job)
        asked = [
            OneHost(f"{self._name}-{next(self._numbers)}", name, growth.wish.slots, duration)
            for name in wanted
        ]
        jobs += [self._submitted(each) for each in asked]
        while any(job.granted is None for job in jobs):
            for number, job in enumerate(jobs):
                if job.ended is not None:
                    self._check_transient(job, deadline)
                    if time.monotonic() >= job.begun + _AGAIN_AFTER:
                        self._ending.append(job)
                        jobs[number] = self._submitted(asked[number])
            granted = f"{sum(job.granted is not None for job in jobs)} of {len(jobs)} hosts"
            growth.reason = f"{granted} are granted"
            if self._now() >= deadline:
                raise NotGranted(f"Flux granted {granted} within {growth.wish.patience:g} s")
            yield

    def _submitted(self, asked: OneHost) -> HostJob:
        # It ends with the first job, whatever happens to us.
        command = ["flux", "job", "wait-event", "--quiet", self._job.id, "clean"]
        environment = {"PATH": os.environ.get("PATH", os.defpath)}
        return HostJob(asked.jobspec(self._job.limits, command, environment), self._job.uri)

    def _check_transient(self, job: HostJob, deadline: float) -> None:
        assert job.ended is not None
        if not (goes_away(job.ended) and job.granted is None and self._now() < deadline):
            refusal = AllocationError if job.is_impossible else NotGranted
            raise refusal(f"Flux grants no more hosts: {job.ended}")

    def _host_of(self, job: HostJob, wish: Wish) -> Host:
        """With room for processes of as many cores as the first job's have."""
        granted = job.granted
        assert granted is not None
        slots = granted.slots // self._job.limits.cores_each
        if slots < wish.slots:
            raise AllocationError(f"{granted.name} has {slots} slots, and {wish.slots} are needed")
        return Host(granted.name, slots)

    def _leave(self, going: Sequence[_Held], dirty: Sequence[str]) -> Steps:
        for call in self._sweeps(dirty):
            yield from answered(call)
        for held in going:
            if held in self._held:
                self._held.remove(held)
                held.job.release()
                self._ending.append(held.job)
            self._given_back.discard(held.host.name)
        self._note_hosts()

    def _sweeps(self, names: Sequence[str]) -> list[AnyCall]:
        """Remove the job's temporary folder where a killed command has left it, as any command's end does."""
        environment = {**self._shell.complete_environment(), **self.environment, "TMPDIR": str(self._folder)}
        far = [name for name in names if not is_here(name)]
        return [AnyCall([self._shell.command, name, "true"], _SWEPT_WITHIN, environment) for name in far]

    def _lost(self) -> list[Event]:
        """Hosts of jobs that ended without us."""
        ended = [held for held in self._held if held.job.ended is not None]
        for held in ended:
            self._held.remove(held)
            self._ending.append(held.job)
        if ended:
            self._note_hosts()
        return [
            Event(
                EventKind.HOST_LOST,
                f"the Flux job {held.job.id} has ended: {held.job.ended}",
                (held.host.name,),
            )
            for held in ended
            if held.host.name not in self._given_back
        ]

    def _reap(self) -> None:
        """Forget what has ended. Where its holder was killed, Flux may not know that nobody holds the job."""
        for job in [job for job in self._ending if job.ended is not None]:
            self._ending.remove(job)
            if job.was_killed and job.id:
                self._cancels.append(Call(["job", "raise", job.id], self._job.uri))
            job.close()
        self._cancels = [call for call in self._cancels if call.answer() is None]

    def _note_hosts(self) -> None:
        """For what starts commands on hosts; the file is replaced whole, since it may read it meanwhile."""
        lines = [self._job.lines]
        lines += [f"{held.host.name} {held.job.id} 0\n" for held in (*self._held, *self._tried)]
        beside = self._file.with_suffix(".new")
        beside.write_text("".join(lines), encoding="ascii")
        beside.replace(self._file)
