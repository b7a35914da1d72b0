# SPDX-License-Identifier: BSD-3-Clause
"""From what the coordinator decided to what jobs are told, what is stored of it, and what is noted.

What is to be in the store is handed to it before the message is returned: whoever sends, commits first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nereus.coordinator.coordination import Coordinator
from nereus.coordinator.effects import Cancel, Effect, Note, Start
from nereus.coordinator.known_jobs import POLICY, Command
from nereus.coordinator.resources import ResourceError
from nereus.daemon.events import Events
from nereus.daemon.metrics import Figures
from nereus.daemon.policy_guard import PolicyGuard
from nereus.daemon.recovery import RecoveredState, profile
from nereus.daemon.reservations import Reservations, Wanted
from nereus.daemon.sessions import Address, Held, Session
from nereus.daemon.store import Store
from nereus.policy.parameters import Parameters
from nereus.policy.turns import Grant, Request


@dataclass(frozen=True)
class Out:
    """A message, and where it goes."""

    to: Address
    message: dict[str, Any]


@dataclass(frozen=True)
class Chosen:
    """What the daemon was started with."""

    policy: str  # its name
    cores: Mapping[str, int]
    parameters: Parameters


class CommandExecutor:
    def __init__(
        self, chosen: Chosen, watched: PolicyGuard, store: Store, events: Events, last: tuple[int, int]
    ) -> None:
        """`last`: the last epoch and the last command number of before."""
        self.chosen = chosen
        self.sessions: dict[str, Session] = {}
        self.coordinator = Coordinator(watched, chosen.cores, chosen.parameters, *last)
        self.reservations = Reservations(self.coordinator, store)
        self.journal = store
        self.events = events
        self.figures = Figures()
        self._watched = watched

    def resume(self, before: RecoveredState, now: float) -> list[Out]:
        """After a restart: what was known, held, told and kept; decided is when all of it is there."""
        outs: list[Out] = []
        self._watched.awake = False
        self.coordinator.resume([], before.commands, before.known)
        for session in before.sessions:
            self.sessions[session.name] = session
            if session.held is not None:
                self.resume_turn(session, session.held, now)
            times = profile(self.journal, session)
            outs += self.carry_out(self.coordinator.came(session.about(times), now), now)
        for command in before.commands:
            self.sessions[command.job].tell(command)
        for command in before.cancelled:
            self.sessions[command.job].tell_not_to(command.number, command.why, command.by)
        outs += self._resume_reservations(before.reservations, now)
        self._watched.awake = True
        return [*outs, *self.carry_out(self.coordinator.decide(now), now)]

    def _resume_reservations(self, wanted: Iterable[Wanted], now: float) -> list[Out]:
        outs: list[Out] = []
        for each in wanted:
            try:
                outs += self.carry_out(self.reservations.resumed(each, now), now)
            except ResourceError:
                self.journal.not_wanted(each.job)
                self.events.add(now, each.job, "reservation_dropped")
        return outs

    def resume_turn(self, session: Session, held: Held, now: float) -> None:
        """It has the turn that it had before a restart."""
        session.asked, session.held = max(session.asked, held.number), held
        grant = Grant(session.name, held.epoch, now + self.chosen.parameters.lease)
        self.coordinator.resume([(Request(session.name, held.number), grant)], [], {})
        self.journal.held(session.name, held)
        self.events.add(now, session.name, "granted", phase=held.number, epoch=held.epoch, again=True)

    def may_write(self, request: Request) -> bool:
        """Beside those that do."""
        writing = [Request(each.name, each.held.number) for each in self.sessions.values() if each.held]
        return self._watched.order.admits(request, writing)

    def came(self, session: Session, now: float) -> list[Out]:
        self.sessions[session.name] = session
        self.reservations.came(session.name)
        self.journal.came(session)
        self.events.add(
            now,
            session.name,
            "came",
            ranks=len(session.hosts),
            places=session.places,
            most=session.most,
            iteration=session.iteration,
            command=session.command,
        )
        times = profile(self.journal, session)
        return self.carry_out(self.coordinator.came(session.about(times), now), now)

    def ended(self, session: Session, why: str, now: float) -> list[Out]:
        effects = self.coordinator.ended(session.name, now)
        self._forget(session, why, now)
        return self.carry_out(effects, now)

    def look(self, now: float) -> list[Out]:
        """Turns whose lease is over, jobs that fell silent, cores that were reserved for nobody."""
        effects = self.coordinator.look(now)
        for name in self.sessions.keys() - self.coordinator.jobs.keys():
            self._forget(self.sessions[name], "silent", now)
        epochs = {grant.job: grant.epoch for grant in self.coordinator.turns.writing}
        for session in self.sessions.values():
            if session.held is not None and epochs.get(session.name) != session.held.epoch:
                self.events.add(now, session.name, "turn_lost", **_of(session.held))
                self.figures.turns_lost.inc()
                self.given_back(session)
        if self._watched.is_due(now):
            effects += self.coordinator.decide(now)
        for name, dropped in self.reservations.expired(now):
            self.events.add(now, name, "reservation_dropped")
            effects += dropped
        return self.carry_out(effects, now)

    def due(self, session: Session, now: float) -> list[Out]:
        """What it is to be told now."""
        message = session.due(now) if session.to is not None else None
        return self.to(session, message) if message is not None else []

    def to(self, session: Session, message: Mapping[str, Any]) -> list[Out]:
        return [Out(session.to, {"job": session.name, **message})] if session.to is not None else []

    def all_due(self, now: float) -> list[Out]:
        return [
            out for session in self.sessions.values() if session.telling for out in self.due(session, now)
        ]

    def given_back(self, session: Session) -> None:
        session.held = None
        self.journal.given_back(session.name)

    def over(self, session: Session, command: int) -> dict[str, Any]:
        """A command is done or refused: whose it was, and why; the job's own where there is none."""
        told = session.telling.pop(command, None)
        if told is None:
            return {"by": "job"}
        self.journal.is_over(command)
        return {"command": command, "by": self.by(told.by), "why": told.why}

    def tell_not_to(self, session: Session, number: int, why: str, by: str) -> None:
        session.tell_not_to(number, why, by)
        self.journal.cancelled(session.name, number, why, by)

    def by(self, who: str) -> str:
        """Of a policy, its name."""
        return self.chosen.policy if who == POLICY else who

    def drop_what_is_void(self, session: Session) -> None:
        """Commands that are over because a later one is, or one before was refused."""
        for number in session.drop_all_but(self.coordinator.jobs[session.name].commands):
            self.journal.is_over(number)

    def carry_out(self, effects: Iterable[Effect], now: float) -> list[Out]:
        outs: list[Out] = []
        told: dict[str, Session] = {}
        for effect in effects:
            session = self.sessions.get(effect.job)
            match effect:
                case Note():
                    self.events.add(now, effect.job, "note", text=effect.text)
                case Start():
                    self._starts(effect, now)
                case Grant() if session is not None:
                    outs += self._granted(effect, session, now)
                case Command() if session is not None:
                    self._told(effect, session, now)
                    told[session.name] = session
                case Cancel() if session is not None:
                    self._cancelled(effect, session, now)
                    told[session.name] = session
        return [*outs, *(out for session in told.values() for out in self.due(session, now))]

    def record_all(self, now: float) -> None:
        """What holds now, for a store that could not be written for a while."""
        self.journal.begin_anew(now)
        for session in self.sessions.values():
            self.journal.job(session)
            if session.held is not None:
                self.journal.held(session.name, session.held)
            for number, told in session.telling.items():
                if told.message["kind"] == "cancel":
                    self.journal.cancelled(session.name, number, told.why, told.by)
        for known in self.coordinator.jobs.values():
            for command in known.commands.values():
                self.journal.command(command)
        self.reservations.record_all()

    def _granted(self, grant: Grant, session: Session, now: float) -> list[Out]:
        held = Held(session.asked, grant.epoch)
        if held != session.held:
            session.held = held
            self.journal.held(session.name, held)
            self.events.add(now, session.name, "granted", **_of(held))
            self.figures.turns.inc()
        return self.to(session, {"kind": "grant", "number": held.number, "epoch": held.epoch})

    def _told(self, command: Command, session: Session, now: float) -> None:
        session.tell(command)
        self.journal.command(command)
        self.events.add(
            now,
            session.name,
            "decided",
            command=command.number,
            before=len(session.hosts),
            ranks=command.ranks,
            at=command.at,
            gives_back=command.loan is not None,
            why=command.why,
            by=self.by(command.by),
        )

    def _cancelled(self, cancel: Cancel, session: Session, now: float) -> None:
        self.tell_not_to(session, cancel.number, cancel.why, cancel.by)
        about = {"command": cancel.number, "why": cancel.why, "by": self.by(cancel.by)}
        self.events.add(now, session.name, "cancelled", **about)

    def _starts(self, start: Start, now: float) -> None:
        self.reservations.starts(start)
        self.events.add(now, start.job, "reserved", places=dict(start.places))

    def _forget(self, session: Session, why: str, now: float) -> None:
        del self.sessions[session.name]
        self.journal.gone(session.name, now)
        self.events.add(
            now, session.name, "ended", why=why, ranks=len(session.hosts), iteration=session.iteration
        )


def _of(held: Held) -> dict[str, int]:
    return {"phase": held.number, "epoch": held.epoch}
