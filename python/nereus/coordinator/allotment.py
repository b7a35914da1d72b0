# SPDX-License-Identifier: BSD-3-Clause
"""The cores of all jobs, and the commands by which they change hands.

In:  jobs that wait for cores, came, were resized, refused, ended; what a policy decided.
Out: commands, each with a number of its own; who may start. A job carries commands out in the order of their
     numbers, and has at most a resize and the one that takes it back: another is decided when these are done.
Cores are a job's from the decision that it is to have them, to its word that it has them no more.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from nereus.coordinator.effects import Cancel, Effect, Note, Start
from nereus.coordinator.known_jobs import POLICY, RESOURCE_MANAGER, Command, KnownJob
from nereus.coordinator.resources import Places, ResourceError, Resources, TakeBack
from nereus.policy.decisions import Leave, Resize

_NUMBERS = re.compile(r"[0-9.]+")
_MOST_NOTES = 16  # of one job

#: Asked for so many cores beside the free ones; None: it is nobody's to do so.
MakeRoom = Callable[[int], Sequence[Effect] | None]


def _nobody_does(cores: int) -> None:
    return None


class Allotment:
    def __init__(self, resources: Resources, jobs: Mapping[str, KnownJob], last_command: int) -> None:
        self.last_command = last_command
        self._resources = resources
        self._jobs = jobs
        self._queue: dict[str, int] = {}  # jobs that wait for so many cores
        self._left_alone: dict[str, float] = {}  # jobs that refused a resize, and until when
        self._noted: dict[str, set[str]] = {}  # why nothing was done of a job since its last resize

    @property
    def free(self) -> int:
        return self._resources.free_cores

    @property
    def all_cores(self) -> int:
        return self._resources.all_cores

    def free_for(self, job: str) -> int:
        return self._resources.free_for(job)

    @property
    def waiting(self) -> Sequence[str]:
        return tuple(self._queue)

    @property
    def left_alone(self) -> Mapping[str, float]:
        """Jobs that refused a resize, and until when they are told of none."""
        return self._left_alone

    @property
    def coming(self) -> int:
        """Cores that are free when all is done that jobs were told."""
        left = (
            sum(self._resources.held(name).values()) - list(known.commands.values())[-1].ranks
            for name, known in self._jobs.items()
            if known.commands
        )
        return sum(max(0, each) for each in left)

    def places(self, job: str) -> Places:
        return self._resources.held(job)

    def wants(self, job: str, ranks: int, make_room: MakeRoom = _nobody_does) -> list[Effect]:
        """ResourceError where there never will be so many; `make_room`: as of fill()."""
        self._resources.check_start(job, ranks)
        if job not in self._queue and job not in self._jobs and not self._resources.held(job):
            self._queue[job] = ranks
        return self.fill(make_room)

    def came(self, known: KnownJob) -> list[str]:
        """The hosts among its own that are not known: their cores are nobody's."""
        self._queue.pop(known.about.name, None)
        self._resources.settle(known.about.name, known.places)
        return [host for host in known.places if not self._resources.has(host)]

    def restore(self, known: KnownJob, commands: Iterable[Command]) -> None:
        """Those from before a restart that it has not done, by their numbers."""
        name, told = known.about.name, list(commands)
        most = max([known.ranks, *(each.ranks for each in told)])
        if 0 < most - known.ranks <= self.free:
            self._resources.grow(name, most - known.ranks)
        for each in told:
            if each.loan is not None and most > each.ranks:
                loan = self._resources.lent_before(name, most - each.ranks, each.at or 0)
                each = replace(each, loan=loan.number)
            known.told(each)

    def gone(self, job: str) -> None:
        for names in (self._queue, self._left_alone, self._noted):
            names.pop(job, None)
        self._resources.ended(job)

    def resized(self, known: KnownJob, command: int) -> None:
        for each in known.did(command):
            self._returned(each)
        self._settle(known)

    def refused(self, known: KnownJob, command: int, left_alone_until: float) -> list[Effect]:
        """What was to follow is cancelled, and cores that it did not get are free."""
        effects: list[Effect] = []
        for each in known.will_not_do(command):
            if each.number > command:
                why = "the one before it was refused"
                effects.append(Cancel(each.number, each.job, why, RESOURCE_MANAGER))
            if each.loan is not None and (known.commands or known.ranks > each.ranks):
                known.owed = each  # has it, or may have, where what came before is not heard yet
            else:
                self._returned(each)
        known.left_alone_until = self._left_alone[known.about.name] = left_alone_until
        self._settle(known)
        return effects

    def ask_again(self, now: float) -> list[Effect] | None:
        """Jobs that were left alone long enough, for loans that they kept; None: there are no such jobs."""
        ready = [name for name, until in self._left_alone.items() if until <= now]
        effects: list[Effect] = []
        for known in (self._jobs[name] for name in ready):
            del self._left_alone[known.about.name]
            owed, known.owed = known.owed, None
            if owed is not None:
                effects.append(self._command(known, owed.ranks, None, owed.why, owed.loan, RESOURCE_MANAGER))
        return effects if ready else None

    def settle(self, known: KnownJob) -> None:
        """What is known of the job's hosts has changed."""
        self._settle(known)

    def back_to(self, known: KnownJob, ranks: int, why: str, now: float) -> list[Effect]:
        """The job is to have no more, whatever it was told before; nothing where it was told that already, or
        is left alone.
        """
        told = list(known.commands.values())
        if now < known.left_alone_until or known.owed is not None or _is_back_to(told, ranks):
            return []
        loan = told[-1].loan if told else None
        known.will_not_do()
        back = self._command(known, min(known.ranks, ranks), None, why, loan, RESOURCE_MANAGER)
        return [*(Cancel(each.number, each.job, why, RESOURCE_MANAGER) for each in told), back]

    def carry_out(self, known: KnownJob, decided: Resize) -> list[Effect]:
        try:
            _check(known, decided)
            effects = [*self._commands(known, decided)]
        except ResourceError as problem:
            return self._note_once(decided.job, f"{decided.ranks} ranks were decided and dropped: {problem}")
        self._noted.pop(decided.job, None)
        return effects

    def fill(self, make_room: MakeRoom = _nobody_does) -> list[Effect]:
        """Those that wait start as far as cores are free; for the first of the others some are taken back,
        unless somebody makes room for it.
        """
        effects: list[Effect] = []
        while self._queue:
            job, ranks = next(iter(self._queue.items()))
            if not self._resources.can_start(ranks):
                made = make_room(ranks - self.free)
                return [*effects, *(self._take_back_for(job, ranks) if made is None else made)]
            del self._queue[job]
            effects.append(Start(job, self._resources.start(job, ranks)))
        return effects

    def leave(self, decided: Leave) -> list[Effect]:
        return self._note_once(decided.job, decided.why)

    def _note_once(self, job: str, text: str) -> list[Effect]:
        """However often it is decided, and with whatever numbers."""
        noted, same = self._noted.setdefault(job, set()), _NUMBERS.sub("", text)
        if same in noted or len(noted) >= _MOST_NOTES:
            return []
        noted.add(same)
        return [Note(job, text)]

    def _commands(self, known: KnownJob, decided: Resize) -> Iterable[Effect]:
        more, before, name = decided.ranks - known.ranks, known.ranks, decided.job
        loan = None
        if more > 0 and decided.until is not None:
            loan = self._resources.lend(name, more, decided.until).number
        elif more > 0:
            self._resources.grow(name, more)
        yield Note(name, f"{before} -> {decided.ranks} ranks: {decided.why}")
        yield self._command(known, decided.ranks, decided.at, decided.why)
        if decided.until is not None:
            why = "returns lent cores" if more > 0 else "gets its earlier cores back"
            yield self._command(known, before, decided.until, why, loan)

    def _command(
        self,
        known: KnownJob,
        ranks: int,
        at: int | None,
        why: str,
        loan: int | None = None,
        by: str = POLICY,
    ) -> Command:
        self.last_command += 1
        made = Command(self.last_command, known.about.name, ranks, at, why, loan, by)
        known.told(made)
        return made

    def _returned(self, command: Command) -> None:
        if command.loan is not None:
            self._resources.returned(command.loan)

    def _settle(self, known: KnownJob) -> None:
        """The books, to where the job is and what it was promised."""
        pending = list(known.commands.values())
        back = pending[0] if pending else known.owed
        if back is not None and known.ranks <= back.ranks:
            self._returned(back)  # it has none of it, as by a command that was cancelled too late
            known.owed = None if back is known.owed else known.owed
        promised = max((each.ranks for each in pending), default=0)
        self._resources.settle(known.about.name, known.places, promised)

    def _take_back_for(self, job: str, ranks: int) -> list[Effect]:
        try:
            asked = self._resources.taking_back(ranks, self._left_alone)
        except ResourceError:
            return []  # jobs have to end first, or be asked again
        return [effect for each in asked for effect in self._take_back(each, f"{job} waits for cores")]

    def _take_back(self, asked: TakeBack, why: str) -> list[Effect]:
        known = self._jobs.get(asked.job)
        if known is None:
            return []
        told = list(known.commands.values())
        if asked.loan is None:
            if told:
                return []  # when that is done it is looked at again
            left = known.ranks - sum(asked.places.values())
            return [self._command(known, left, None, why, by=RESOURCE_MANAGER)]
        if not told or told[-1].loan != asked.loan or told[-1].at is None:
            return []
        known.will_not_do()
        # It may have grown already, unheard: so it is told to shrink even where it has not.
        back = self._command(known, told[-1].ranks, None, why, asked.loan, RESOURCE_MANAGER)
        return [*(Cancel(each.number, asked.job, why, RESOURCE_MANAGER) for each in told), back]


def _is_back_to(told: Sequence[Command], ranks: int) -> bool:
    """Whether nothing else is to be done than what leads there at once."""
    return len(told) == 1 and told[0].ranks <= ranks and told[0].at is None


def _check(known: KnownJob, decided: Resize) -> None:
    if not 1 <= decided.ranks <= known.about.most:
        raise ResourceError(f"1 to {known.about.most} ranks are allowed")
    if decided.until is not None and decided.until <= (decided.at or 0):
        raise ResourceError(f"it would end at iteration {decided.until}, before it begins")
