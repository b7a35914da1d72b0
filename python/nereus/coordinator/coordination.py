# SPDX-License-Identifier: BSD-3-Clause
"""All jobs of a machine together: what they say goes in, what they are told comes out.

Around the policy: who may write now, whose cores are whose, which commands are not done yet. Without clock
and socket, so that the daemon and the simulator run the same. Times are seconds of one clock that does not
go back; what is said of a job that is not known changes nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import inf

from nereus.coordinator.allotment import Allotment
from nereus.coordinator.effects import Cancel, Effect, Note, Start
from nereus.coordinator.known_jobs import About, Command, KnownJob, are_places
from nereus.coordinator.resources import Places, Resources
from nereus.coordinator.site import JobHosts, SiteResources
from nereus.coordinator.views import Views
from nereus.policy.decisions import Leave, Policy, State
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Measured
from nereus.policy.prediction import IoPhase, Prediction
from nereus.policy.turns import Grant, Request, Turns

__all__ = ["Cancel", "Coordinator", "Effect", "Note", "Start"]


class Coordinator:
    def __init__(
        self,
        policy: Policy,
        cores: Mapping[str, int] | SiteResources,
        parameters: Parameters | None = None,
        last_epoch: int = 0,
        last_command: int = 0,
    ) -> None:
        """`cores`: those of each host, or those of jobs that have allocations of their own."""
        self.parameters = parameters or Parameters()
        self._policy = policy
        self._turns = Turns(policy.order, self.parameters.lease, last_epoch)
        self._jobs: dict[str, KnownJob] = {}
        self._site = cores if isinstance(cores, SiteResources) else None
        resources = cores if isinstance(cores, SiteResources) else Resources(cores)
        self._cores = Allotment(resources, self._jobs, last_command)
        self._last_came = 0.0
        #: Of this host's processor packages; None: not known.
        self.watts: float | None = None
        self._settled_at = inf  # when free cores are shared out after a job came
        self._none_silent_before = inf
        self._before: dict[str, _Before] = {}  # a restart; of jobs that are not there yet

    @property
    def jobs(self) -> Mapping[str, KnownJob]:
        return self._jobs

    @property
    def turns(self) -> Turns:
        return self._turns

    @property
    def cores(self) -> int:
        return self._cores.all_cores

    @property
    def free(self) -> int:
        return self._cores.free

    @property
    def waiting_for_cores(self) -> Sequence[str]:
        return self._cores.waiting

    def places(self, job: str) -> Places:
        """Cores that the job has, those among them that it was promised and has not grown to yet."""
        return self._cores.places(job)

    def prediction(self, job: str) -> Prediction | None:
        known = self._jobs.get(job)
        return known.prediction(self.parameters) if known is not None else None

    @property
    def due(self) -> float | None:
        """When look() has something to do, at the earliest; None: not before something else is said."""
        leases = (grant.until for grant in self._turns.writing)
        spent = self._site.budget.due if self._site is not None else inf
        alone = self._cores.left_alone.values()
        first = min(self._settled_at, self._none_silent_before, spent, *alone, *leases)
        return first if first < inf else None

    def change(self, parameters: Parameters, now: float) -> list[Effect]:
        """The policy has another order and other decisions from now on, with these parameters.

        Resizes and loans that were told stay as they are. Leases keep their length: jobs were told of it.
        """
        self.parameters = parameters
        granted = self._granted(self._turns.change_order(self._policy.order, now), now)
        return [*granted, *self.decide(now)]

    def wants(self, job: str, ranks: int, now: float) -> list[Effect]:
        """A job that is to start: it gets its place when so many cores are free, first come first served.

        One that is told to start and does not has `ended`. ResourceError where there never will be so many.
        """
        self._advance(now)
        return self._cores.wants(job, ranks, partial(self._make_room, now))

    def came(self, about: About, now: float) -> list[Effect]:
        """A job that runs, with the ranks that it has. Again: as it is now."""
        name, known = about.name, self._jobs.get(about.name)
        if known is not None:
            same = about.places == known.places
            self.heard(name, now, about.iteration)
            return [] if same else self.resized(name, 0, about.places, about.iteration, now)
        self._jobs[name] = known = KnownJob(about, now)
        strangers = self._cores.came(known)
        self._restore(known)
        self._last_came = now
        if self.parameters.settle > 0:
            self._settled_at = now + self.parameters.settle
        self._none_silent_before = min(self._none_silent_before, now + self.parameters.silence)
        where = f", on hosts that this daemon does not manage: {', '.join(strangers)}" if strangers else ""
        note = Note(name, f"came with {about.ranks} ranks{where}")
        return [note, *self._fill(now), *self.decide(now)]

    def ended(self, job: str, now: float) -> list[Effect]:
        known = self._jobs.get(job)
        note = [Note(job, "ended")] if known is not None else []
        return [*self._gone(job, now), *note, *self._fill(now), *self.decide(now)]

    def has_hosts(self, job: str, hosts: JobHosts, now: float) -> list[Effect]:
        """The hosts of a job with an allocation of its own; again: as they are now."""
        known = self._jobs.get(job)
        if known is None or self._site is None:
            return []
        before = self._site.hosts_of(job)
        self._site.has_hosts(job, hosts, now)
        self._cores.settle(known)
        return [] if hosts == before else [*self._give_back_hosts(now), *self.decide(now)]

    def hosts_changed(self, now: float) -> list[Effect]:
        """Hosts that jobs share out are free, or are had by another one."""
        self._advance(now)
        return [*self._fill(now), *self.decide(now)]

    def hosts_of(self, job: str) -> JobHosts | None:
        """None where it has no allocation of its own, or nothing was said of it yet."""
        return self._site.hosts_of(job) if self._site is not None else None

    def heard(self, job: str, now: float, iteration: int | None = None) -> list[Effect]:
        known = self._jobs.get(job)
        if known is not None:
            known.heard = max(now, known.heard)
            if iteration is not None:
                known.at_iteration(iteration, now)
        return []

    def measured(
        self, job: str, ranks: int, seconds: float, now: float, communication: float | None = None
    ) -> list[Effect]:
        """An iteration without I/O took so long, on that many ranks; `communication`: its share of it."""
        known = self._jobs.get(job)
        if known is None:
            return []
        known.measured(ranks, seconds)
        known.communication_share = communication
        self.heard(job, now)
        enough = known.numbers_of_times.get(ranks) == self.parameters.enough_times
        return self.decide(now) if enough else []

    def asks_to_write(self, job: str, number: int, iteration: int, now: float) -> list[Effect]:
        known = self._jobs.get(job)
        if known is None or number < 1:
            return []
        self.heard(job, now)
        known.asked(number, iteration, now)
        prediction = known.prediction(self.parameters)
        request = Request(job, number, prediction.period if prediction is not None else None)
        return self._granted(self._turns.ask(request, now), now)

    def writes_still(self, job: str, epoch: int, now: float) -> bool:
        """Whether it has its turn yet, of which the lease begins anew. Other words of it are none: else a
        turn of which the end was not heard would last as long as the job.
        """
        self.heard(job, now)
        return self._turns.renew(job, epoch, now)

    def wrote(self, job: str, number: int, epoch: int, phase: IoPhase, now: float) -> list[Effect]:
        """A phase is over; `epoch` 0: it was without a turn."""
        known = self._jobs.get(job)
        if known is None or number < 1:
            return []
        self.heard(job, now)
        had_its_turn = self._turns.has(job, epoch)
        effects = self._granted(self._turns.done(job, number, now), now)
        if not known.wrote(number, phase, self.parameters):
            return effects
        if not had_its_turn:
            effects.append(Note(job, f"its I/O phase {number} ended without a turn"))
        return [*effects, *self.decide(now)]

    def resized(
        self,
        job: str,
        command: int,
        places: Places,
        iteration: int,
        now: float,
        overhead: float | None = None,
    ) -> list[Effect]:
        """The job has another size, by that command or (0) of its own accord."""
        known = self._jobs.get(job)
        if known is None:
            return []
        self.heard(job, now)
        is_old = known.is_old(command, iteration)
        if not are_places(places) or (is_old and command not in known.commands):
            return []
        notes: list[Effect] = []
        if not is_old:  # else another word has told its size already, and this, that the command is done
            notes = [Note(job, f"{known.ranks} -> {sum(places.values())} ranks at iteration {iteration}")]
            if overhead is not None and sum(places.values()) != known.ranks:
                known.took(overhead, self.parameters.overhead_weight)
            known.learn_lag(command, iteration, self.parameters.overhead_weight)
            known.resized(places, iteration, now)
        self._cores.resized(known, command)
        return [*notes, *self._fill(now), *self.decide(now)]

    def refused(self, job: str, command: int, why: str, now: float) -> list[Effect]:
        """The job did not resize: what was to follow is cancelled, and cores that it did not get are free.

        For a while it is told of no other; then again of a loan that it did not give back.
        """
        known = self._jobs.get(job)
        if known is None or command not in known.commands:
            return []
        self.heard(job, now)
        note = Note(job, f"refused: {why}")
        effects = self._cores.refused(known, command, now + self._cool_down(known))
        return [note, *effects, *self._fill(now), *self.decide(now)]

    def look(self, now: float) -> list[Effect]:
        """When it is `due`, or now and then: leases that are over, jobs that fell silent, times to wait."""
        effects = [*self._granted(self._turns.expire(now), now), *self._give_back_hosts(now)]
        silent = self._silent(now)
        for name in silent:
            effects.append(Note(name, f"sent no message for {self.parameters.silence:g} s: considered ended"))
            effects += self._gone(name, now)
        ready = self._cores.ask_again(now)
        effects += ready or []
        settled = self._settled_at <= now
        if settled:
            self._settled_at = inf
        if silent or ready is not None or settled:
            effects += [*self._fill(now), *self.decide(now)]
        return effects

    def resume(
        self,
        held: Iterable[tuple[Request, Grant]],
        commands: Iterable[Command],
        known: Mapping[str, tuple[Sequence[IoPhase], Sequence[Measured]]],
    ) -> None:
        """After a restart: what jobs held, were told and had said before it; of those that are not there
        yet, for when they come.
        """
        self._turns.resume(held)
        for command in sorted(commands, key=lambda each: each.number):
            self._before.setdefault(command.job, _Before()).commands.append(command)
            self._cores.last_command = max(self._cores.last_command, command.number)
        for name, (phases, times) in known.items():
            before = self._before.setdefault(name, _Before())
            before.phases, before.times = phases, times
        for known_job in [self._jobs[name] for name in self._before if name in self._jobs]:
            self._restore(known_job)

    def _restore(self, known: KnownJob) -> None:
        before = self._before.pop(known.about.name, None)
        if before is not None:
            known.restore(before.phases, before.times, self.parameters)
            self._cores.restore(known, before.commands)

    def _advance(self, now: float) -> None:
        if self._site is not None:
            self._site.budget.advance(now)

    def _give_back_hosts(self, now: float) -> list[Effect]:
        """All that jobs have beyond their first hosts, where the time for it is used up."""
        self._advance(now)
        if self._site is None or not self._site.budget.is_spent:
            return []
        effects: list[Effect] = []
        for name, known in self._jobs.items():
            hosts = self._site.hosts_of(name)
            if hosts is not None and (hosts.more > 0 or hosts.needed(known.most_ranks) > 0):
                why = "the budget of node hours is used up"
                effects += self._cores.back_to(known, max(1, hosts.first_slots), why, now)
        return effects

    def _gone(self, job: str, now: float) -> list[Effect]:
        self._advance(now)
        self._before.pop(job, None)
        self._cores.gone(job)
        self._jobs.pop(job, None)
        return self._granted(self._turns.gone(job, now), now)

    def _silent(self, now: float) -> list[str]:
        if now < self._none_silent_before:
            return []
        until = {name: job.heard + self.parameters.silence for name, job in self._jobs.items()}
        self._none_silent_before = min((each for each in until.values() if each > now), default=inf)
        return [name for name, each in until.items() if each <= now]

    def _cool_down(self, known: KnownJob) -> float:
        found = known.prediction(self.parameters)
        if found is None:
            return self.parameters.cool_down_seconds
        return self.parameters.cool_down_periods * found.period

    def _granted(self, grants: Sequence[Grant], now: float) -> list[Effect]:
        for grant in grants:
            known = self._jobs.get(grant.job)
            if known is not None:
                known.granted(now)
        return list(grants)

    def decide(self, now: float) -> list[Effect]:
        """After each event; and where that was put off."""
        if self._cores.waiting or not self._jobs:
            return []
        effects: list[Effect] = []
        for each in self._policy.decide(self._state(now), self.parameters):
            known = self._jobs.get(each.job)
            if known is None or known.is_left_alone(now):
                continue
            if isinstance(each, Leave):
                effects += self._cores.leave(each)
            elif each.ranks != known.ranks:
                effects += self._cores.carry_out(known, each)
        return effects

    def _state(self, now: float) -> State:
        jobs = Views(self._jobs, now, self._cores.free_for, self.parameters)
        return State(now, jobs, self.free, self._last_came, self.watts)

    def _fill(self, now: float) -> list[Effect]:
        return self._cores.fill(partial(self._make_room, now))

    def _make_room(self, now: float, cores: int) -> list[Effect] | None:
        """Where hosts are given as a whole, a policy says nothing of them."""
        if self._site is not None:
            return None
        lacks = max(0, cores - self._cores.coming)
        decided = self._policy.make_room(self._state(now), lacks, self.parameters)
        if decided is None:
            return None
        effects: list[Effect] = []
        for each in decided:
            known = self._jobs.get(each.job)
            if known is not None and not known.is_left_alone(now) and each.ranks < known.ranks:
                effects += self._cores.carry_out(known, each)
        return effects


@dataclass
class _Before:
    """What is known of a job from before a restart."""

    commands: list[Command] = field(default_factory=list)
    phases: Sequence[IoPhase] = ()
    times: Sequence[Measured] = ()
