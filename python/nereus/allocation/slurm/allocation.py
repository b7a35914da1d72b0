# SPDX-License-Identifier: BSD-3-Clause
"""An allocation in Slurm: the hosts of the job that we run in, and those of jobs beside it."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

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
from nereus.allocation.slurm.client import Call, answered, goes_away, starts_soon, wait
from nereus.allocation.slurm.end_watch import EndWatch
from nereus.allocation.slurm.environment import SlurmJob
from nereus.allocation.slurm.expansion import Expansion
from nereus.allocation.slurm.first_job import HOSTS_FILE, options_like
from nereus.allocation.slurm.nodes import NodeWatch
from nereus.allocation.slurm.pending import hopeless
from nereus.allocation.slurm.requeue import earlier, question
from nereus.allocation.slurm.salloc import Salloc
from nereus.allocation.slurm.second_job import SecondJob
from nereus.allocation.slurm.sweep import sweep
from nereus.allocation.trial import tried
from nereus.allocation.under_way import UnderWay
from nereus.launch.hosts import Host, Reach, is_here, names_of

# Of a command of Slurm, and of an `salloc` that was told to end, when the job is over.
_ENDS_WITHIN = 5.0
_LETS_GO_WITHIN = 5.0
# Between two questions to slurmctld why a job waits.
_ASKED_EVERY = 1.0
# What Slurm does not take, it refuses that soon.
_REFUSED_WITHIN = 0.5


@dataclass
class _Held:
    """A job that was asked for, and its hosts that are ours."""

    job: Salloc
    #: Of the job that has the hosts: of an expansion, that is the first one.
    id: int
    hosts: tuple[Host, ...]


class SlurmAllocation(Allocation):
    def __init__(
        self, job: SlurmJob, reach: Reach, name: str, folder: Path, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`name`: with a number, that of the jobs that are submitted; `folder`: of ours alone."""
        assert reach.remote_shell is not None
        self._job, self._shell, self._name, self._now = job, reach.remote_shell, name, now
        self._first, self._own = reach.hosts, frozenset(names_of(reach.hosts))
        self._folder, self._file = folder, folder / "slurm-hosts"
        self._held: list[_Held] = []
        #: Granted, but not known to be usable yet.
        self._tried: list[_Held] = []
        self._given_back: set[str] = set()
        self._ending: list[Salloc] = []
        self._growths = Growths()
        self._shrinks: list[tuple[Call, tuple[str, ...]]] = []
        #: Commands whose answers nobody needs.
        self._tidying: list[Call] = []
        self._leaving = UnderWay()
        self._nodes, self._end = NodeWatch(now), EndWatch(job.id, now)
        self._numbers = count(1)
        self._note_hosts()
        if job.restarts:
            self._leaving.begin(self._cancel_earlier())

    @property
    def environment(self) -> Mapping[str, str]:
        return {HOSTS_FILE: str(self._file)}

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple(host for host in self._all() if host.name not in self._given_back)

    def grow(self, wish: Wish) -> Growth:
        growth = Growth(wish)
        self._growths.begin(growth, self._steps(growth))
        return growth

    def cancel(self, growth: Growth) -> None:
        self._growths.cancel(growth)

    def check_release(self, names: Sequence[str]) -> None:
        self.check_names(names)
        if any(host.name in names for host in self._first[:1]):
            raise AllocationError(f"{self._first[0].name}: a job in Slurm keeps its first host")

    def release(self, names: Sequence[str], clean: bool = False) -> None:
        self.check_release(names)
        self._leaving.begin(self._leave(names, clean))
        self._given_back |= set(names)

    def turn(self) -> list[Event]:
        self._growths.turn()
        self._leaving.turn()
        self._reap()
        ending = self._end.look(names_of(self.hosts))
        return [*self._lost(), *self._kept(), *self._look_at_nodes(), *ending]

    def close(self) -> None:
        self._growths.close()
        self._nodes.close()
        self._end.close()
        self._leaving.close()
        for call in self._sweeps(names_of(self._all())):
            wait(call, _ENDS_WITHIN)
        for held in self._held:
            held.job.release()
            self._ending.append(held.job)
        self._held.clear()
        own = tuple(host for host in self._first if host.name in self._own)
        if own != self._first:
            self._shrink(self._job.id, self._first, own)
        for job in self._ending:
            job.wait(_LETS_GO_WITHIN)
        self._reap()
        for call in (*(call for call, _ in self._shrinks), *self._tidying):
            wait(call, _ENDS_WITHIN)

    def _steps(self, growth: Growth) -> Steps:
        """From the wish to usable hosts; closed before its end, it leaves nothing behind."""
        deadline = growth.wish.deadline(self._now())
        options = yield from options_like(self._job)
        job = yield from self._submitted([*options, *self._options_of(growth.wish)], deadline)
        held: list[_Held] = []
        try:
            yield from self._wait_until_granted(job, growth, deadline)
            granted = job.granted
            assert granted is not None
            growth.hosts = tuple(self._with_slots(host) for host in granted.hosts)
            growth.to(GrowthState.ACCEPTED)
            held.append(_Held(job, granted.id, growth.hosts))
            self._tried += held
            self._note_hosts()
            yield from tried(names_of(growth.hosts), self._shell, self.environment, starts_soon)
            self._take(held[0])
            growth.to(GrowthState.USABLE)
        finally:
            self._tried = [other for other in self._tried if other not in held]
            if growth.state is not GrowthState.USABLE:
                self._give_up(job, held)
                self._note_hosts()

    def _take(self, held: _Held) -> None:
        """Its hosts are ours from now on."""
        if held.id == self._job.id:
            self._first += held.hosts
            self._ending.append(held.job)
        else:
            self._held.append(held)

    def _give_up(self, job: Salloc, held: Sequence[_Held]) -> None:
        """Nothing comes of it; hosts that it has given to the first job already go back."""
        job.release()
        self._ending.append(job)
        if held and held[0].id == self._job.id:
            self._shrink(self._job.id, (*self._first, *held[0].hosts), self._first)

    def _with_slots(self, host: Host) -> Host:
        """Of a host with as many processors."""
        return Host(host.name, max(1, host.slots // self._job.processors_each))

    def _options_of(self, wish: Wish) -> list[str]:
        named = [f"--nodelist={','.join(wish.names)}"] if wish.names else []
        return [f"--nodes={wish.count}", f"--ntasks-per-node={wish.slots}", *named]

    def _submitted(self, options: Sequence[str], deadline: float) -> Generator[None, None, Salloc]:
        """One that Slurm has taken, or one that it refused for a reason that does not go away."""
        while True:
            job = self._submit(options)
            begin = self._now()
            try:
                while job.granted is None and job.ended is None and self._now() < begin + _REFUSED_WITHIN:
                    yield
            except BaseException:  # this generator is closed
                job.release()
                self._ending.append(job)
                raise
            if job.ended is None or not goes_away(job.ended) or self._now() >= deadline:
                return job
            self._ending.append(job)
            while self._now() < begin + _ASKED_EVERY:
                yield

    def _submit(self, options: Sequence[str]) -> Salloc:
        name = f"{self._name}-{next(self._numbers)}"
        return Expansion(self._job.id, name, options) if self._job.expands else SecondJob(name, options)

    def _wait_until_granted(self, job: Salloc, growth: Growth, deadline: float) -> Steps:
        while job.granted is None:
            if job.ended is not None:
                refusal = AllocationError if job.is_impossible else NotGranted
                raise refusal(f"Slurm grants no more hosts: {job.ended}")
            if self._now() >= deadline:
                why = growth.reason or "no reason known"
                raise NotGranted(f"Slurm granted no hosts within {growth.wish.patience:g} s ({why})")
            again = min(self._now() + _ASKED_EVERY, deadline)
            while job.granted is None and job.ended is None and self._now() < again:
                yield
            if job.granted is None and job.ended is None:
                yield from self._ask_why(job, growth)

    def _ask_why(self, job: Salloc, growth: Growth) -> Steps:
        words = ["squeue", "--noheader", "--me", "--name", job.name, "--states=PENDING", "--format=%r"]
        answer = yield from answered(Call(words))
        growth.reason = answer.out.strip() if answer.is_good else growth.reason
        if job.granted is None and hopeless(growth.reason):
            raise AllocationError(f"Slurm will never grant these hosts: {growth.reason}")

    def _all(self) -> list[Host]:
        """Those too that are being given back."""
        return [*self._first, *(host for held in self._held for host in held.hosts)]

    def _leave(self, names: Sequence[str], clean: bool) -> Steps:
        begun = list(self._held)  # one that is granted meanwhile may have the same hosts
        for call in [] if clean else self._sweeps(names):
            yield from answered(call)
        for held in [held for held in begun if held in self._held]:
            self._release_of(held, names)
        kept = tuple(host for host in self._first if host.name not in names)
        if kept != self._first:
            self._shrink(self._job.id, self._first, kept)
            self._first = kept
        self._given_back -= set(names)
        self._note_hosts()

    def _sweeps(self, names: Sequence[str]) -> list[Call]:
        """For each of our jobs in Slurm that has some of these hosts; they run at the same time."""
        of_jobs = [(self._job.id, self._first), *((held.id, held.hosts) for held in self._held)]
        chosen = [
            (job, [host.name for host in hosts if host.name in names and not is_here(host.name)])
            for job, hosts in of_jobs
        ]
        return [sweep(job, hosts, self._folder) for job, hosts in chosen if hosts]

    def _release_of(self, held: _Held, names: Sequence[str]) -> None:
        kept = tuple(host for host in held.hosts if host.name not in names)
        if not kept:
            held.job.release()
            self._ending.append(held.job)
            self._held.remove(held)
        elif kept != held.hosts:
            self._shrink(held.id, held.hosts, kept)
            held.hosts = kept

    def _shrink(self, job: int, hosts: Sequence[Host], kept: Sequence[Host]) -> None:
        call = self._shrinking(job, kept)
        self._shrinks.append((call, tuple(names_of(host for host in hosts if host not in kept))))

    def _shrinking(self, job: int, kept: Sequence[Host]) -> Call:
        tried = [host for held in self._tried if held.id == job for host in held.hosts]
        names = ",".join(names_of([*kept, *tried]))
        return Call(["scontrol", "-Q", "update", f"JobId={job}", f"NodeList={names}"])

    def _kept(self) -> list[Event]:
        """Hosts that Slurm would not take back."""
        looked_at = [(call, call.answer(), names) for call, names in self._shrinks]
        self._shrinks = [(call, names) for call, answer, names in looked_at if answer is None]
        return [
            Event(EventKind.HOST_KEPT, answer.reason, names)
            for _, answer, names in looked_at
            if answer is not None and not answer.is_good
        ]

    def _lost(self) -> list[Event]:
        """Hosts of jobs that ended without us."""
        ended = [held for held in self._held if held.job.ended is not None]
        for held in ended:
            self._held.remove(held)
            self._ending.append(held.job)
        if ended:
            self._note_hosts()
        ours = [
            (held, tuple(name for name in names_of(held.hosts) if name not in self._given_back))
            for held in ended
        ]
        return [
            Event(EventKind.HOST_LOST, f"the Slurm job {held.id} has ended: {held.job.ended}", names)
            for held, names in ours
            if names
        ]

    def _look_at_nodes(self) -> list[Event]:
        events = self._nodes.look(names_of(self.hosts))
        for event in events:
            if event.kind is EventKind.HOST_LOST:
                self._drop(event.hosts)
        return events

    def _drop(self, names: Sequence[str]) -> None:
        """They are down: Slurm has ended what ran there. The first host is ours until the end."""
        self._first = (*self._first[:1], *(host for host in self._first[1:] if host.name not in names))
        for held in list(self._held):
            held.hosts = tuple(host for host in held.hosts if host.name not in names)
            if not held.hosts:
                held.job.release()
                self._ending.append(held.job)
                self._held.remove(held)
        self._note_hosts()

    def _cancel_earlier(self) -> Steps:
        """Jobs beside a run of the first one that its node did not outlive."""
        answer = yield from answered(Call(question()))
        self._tidying += [Call(["scancel", str(number)]) for number in earlier(answer.out, self._job)]

    def _reap(self) -> None:
        """Forget what has ended. Where `salloc` was killed, Slurm does not know that nobody holds the job."""
        for job in [job for job in self._ending if job.is_over]:
            self._ending.remove(job)
            job.close()
            if job.was_killed:
                self._tidying.append(Call(["scancel", "--quiet", "--me", "--name", job.name]))
            if isinstance(job, Expansion) and job.may_have_expanded:
                self._tidying.append(self._shrinking(self._job.id, self._first))
        self._tidying = [call for call in self._tidying if call.answer() is None]

    def _note_hosts(self) -> None:
        """For what starts commands on hosts; the file is replaced whole, since it may read it meanwhile."""
        lines = [f"{host.name} {self._job.id}\n" for host in self._first]
        lines += [f"{host.name} {held.id}\n" for held in (*self._held, *self._tried) for host in held.hosts]
        beside = self._file.with_suffix(".new")
        beside.write_text("".join(lines), encoding="ascii")
        beside.replace(self._file)
