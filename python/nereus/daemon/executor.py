# SPDX-License-Identifier: BSD-3-Clause
"""From what the coordinator decided to what jobs are told, what is stored of it, and what is noted.

What is to be in the store is handed to it before the message is returned: whoever sends, commits first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nereus.coordinator.effects import Cancel, Effect, Note, Start
from nereus.coordinator.known_jobs import POLICY, Command
from nereus.coordinator.resources import ResourceError
from nereus.daemon.policy_guard import PolicyGuard
from nereus.daemon.recovery import RecoveredState, profile
from nereus.daemon.reservations import Wanted
from nereus.daemon.sessions import Address, Held, Session
from nereus.daemon.state import DaemonState
from nereus.policy.turns import Grant, Request


@dataclass(frozen=True)
class Out:
    """A message, and where it goes."""

    to: Address
    message: dict[str, Any]


class CommandExecutor:
    def __init__(self, state: DaemonState, guard: PolicyGuard) -> None:
        self._state = state
        self._guard = guard

    def resume(self, before: RecoveredState, now: float) -> list[Out]:
        """After a restart: what was known, held, told and kept; decided is when all of it is there."""
        outs: list[Out] = []
        self._guard.awake = False
        self._state.coordinator.resume([], before.commands, before.known)
        for session in before.sessions:
            self._state.sessions[session.name] = session
            if session.held is not None:
                self.resume_turn(session, session.held, now)
            times = profile(self._state.journal, session)
            outs += self.carry_out(self._state.coordinator.came(session.about(times), now), now)
        for command in before.commands:
            session = self._state.sessions[command.job]
            session.tell(command, for_root=not (self._state.gives_hosts and session.supervised))
        for command in before.cancelled:
            self._state.sessions[command.job].tell_not_to(command.number, command.why, command.by)
        outs += self._resume_reservations(before.reservations, now)
        self._guard.awake = True
        return [*outs, *self.carry_out(self._state.coordinator.decide(now), now)]

    def _resume_reservations(self, wanted: Iterable[Wanted], now: float) -> list[Out]:
        outs: list[Out] = []
        for each in wanted:
            try:
                outs += self.carry_out(self._state.reservations.resumed(each, now), now)
            except ResourceError:
                self._state.journal.not_wanted(each.job)
                self._state.events.add(now, each.job, "reservation_dropped")
        return outs

    def resume_turn(self, session: Session, held: Held, now: float) -> None:
        """It has the turn that it had before a restart."""
        session.asked, session.held = max(session.asked, held.number), held
        grant = Grant(session.name, held.epoch, now + self._state.chosen.parameters.lease)
        self._state.coordinator.resume([(Request(session.name, held.number), grant)], [], {})
        self._state.journal.held(session.name, held)
        self._state.events.add(now, session.name, "granted", phase=held.number, epoch=held.epoch, again=True)

    def may_write(self, request: Request) -> bool:
        """Beside those that do."""
        sessions = self._state.sessions.values()
        writing = [Request(each.name, each.held.number) for each in sessions if each.held]
        return self._guard.order.admits(request, writing)

    def came(self, session: Session, now: float) -> list[Out]:
        self._state.sessions[session.name] = session
        self._state.reservations.came(session.name)
        self._state.journal.came(session)
        self._state.events.add(
            now,
            session.name,
            "came",
            ranks=len(session.hosts),
            places=session.places,
            most=session.most,
            iteration=session.iteration,
            command=session.command,
        )
        times = profile(self._state.journal, session)
        return self.carry_out(self._state.coordinator.came(session.about(times), now), now)

    def ended(self, session: Session, why: str, now: float) -> list[Out]:
        effects = self._state.coordinator.ended(session.name, now)
        self._forget(session, why, now)
        return self.carry_out(effects, now)

    def look(self, now: float) -> list[Out]:
        """Turns whose lease is over, jobs that fell silent, cores that were reserved for nobody."""
        effects = self._state.coordinator.look(now)
        for name in self._state.sessions.keys() - self._state.coordinator.jobs.keys():
            self._forget(self._state.sessions[name], "silent", now)
        epochs = {grant.job: grant.epoch for grant in self._state.coordinator.turns.writing}
        for session in self._state.sessions.values():
            if session.held is not None and epochs.get(session.name) != session.held.epoch:
                self._state.events.add(now, session.name, "turn_lost", **_of(session.held))
                self._state.figures.turns_lost.inc()
                self.given_back(session)
        if self._guard.is_due(now):
            effects += self._state.coordinator.decide(now)
        for name, dropped in self._state.reservations.expired(now):
            self._state.events.add(now, name, "reservation_dropped")
            effects += dropped
        return self.carry_out(effects, now)

    def due(self, session: Session, now: float) -> list[Out]:
        """What it is to be told now."""
        message = session.due(now) if session.to is not None else None
        outs = self.to(session, message) if message is not None else []
        return [*outs, *self._due_at_supervisor(session, now)]

    def _due_at_supervisor(self, session: Session, now: float) -> list[Out]:
        hosts, to = self._state.coordinator.hosts_of(session.name), session.supervisor
        told = session.due_at_supervisor(now) if to is not None and hosts is not None else None
        if told is None or to is None or hosts is None:
            return []
        message = {key: value for key, value in told.message.items() if key not in ("at", "options")}
        if message["kind"] == "resize":
            message["more_hosts"] = hosts.needed(message["ranks"])
        return [Out(to, {"job": session.name, **message})]

    def to(self, session: Session, message: Mapping[str, Any]) -> list[Out]:
        return [Out(session.to, {"job": session.name, **message})] if session.to is not None else []

    def all_due(self, now: float) -> list[Out]:
        telling = [session for session in self._state.sessions.values() if session.telling]
        return [out for session in telling for out in self.due(session, now)]

    def given_back(self, session: Session) -> None:
        session.held = None
        self._state.journal.given_back(session.name)

    def over(self, session: Session, command: int) -> dict[str, Any]:
        """A command is done or refused: whose it was, and why; the job's own where there is none."""
        told = session.telling.pop(command, None)
        if told is None:
            return {"by": "job"}
        self._state.journal.is_over(command)
        return {"command": command, "by": self.by(told.by), "why": told.why}

    def resized(
        self, session: Session, command: int, before: int, iteration: int, overhead: float | None, now: float
    ) -> list[Out]:
        """The job has the hosts that its session says, by a command or (0) of its own accord."""
        by = self.over(session, command)
        self._state.journal.job(session)
        about = {"before": before, "ranks": len(session.hosts), "iteration": iteration, "seconds": overhead}
        self._state.events.add(now, session.name, "resized", **about, **by)
        self._state.figures.resized(by["by"])
        effects = self._state.coordinator.resized(
            session.name, command, session.places, iteration, now, overhead
        )
        self._drop_what_is_void(session)
        return self.carry_out(effects, now)

    def refused(self, session: Session, command: int, code: int, text: str, now: float) -> list[Out]:
        """A command was not carried out; nothing where it is over already."""
        if command not in session.telling:
            return []
        by = self.over(session, command)
        self._state.events.add(now, session.name, "refused", code=code, text=text, **by)
        self._state.figures.refused()
        effects = self._state.coordinator.refused(session.name, command, text, now)
        self._drop_what_is_void(session)
        return [*self.carry_out(effects, now), *self.due(session, now)]

    def tell_not_to(self, session: Session, number: int, why: str, by: str) -> None:
        session.tell_not_to(number, why, by)
        self._state.journal.cancelled(session.name, number, why, by)

    def by(self, who: str) -> str:
        """Of a policy, its name."""
        return self._state.chosen.policy if who == POLICY else who

    def _drop_what_is_void(self, session: Session) -> None:
        """Commands that are over because a later one is, or one before was refused."""
        for number in session.drop_all_but(self._state.coordinator.jobs[session.name].commands):
            self._state.journal.is_over(number)

    def carry_out(self, effects: Iterable[Effect], now: float) -> list[Out]:
        outs: list[Out] = []
        told: dict[str, Session] = {}
        for effect in effects:
            session = self._state.sessions.get(effect.job)
            match effect:
                case Note():
                    self._state.events.add(now, effect.job, "note", text=effect.text)
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
        self._state.journal.begin_anew(now)
        for session in self._state.sessions.values():
            self._state.journal.job(session)
            if session.held is not None:
                self._state.journal.held(session.name, session.held)
            for number, told in session.telling.items():
                if told.message["kind"] == "cancel":
                    self._state.journal.cancelled(session.name, number, told.why, told.by)
        for known in self._state.coordinator.jobs.values():
            for command in known.commands.values():
                self._state.journal.command(command)
        self._state.reservations.record_all()

    def _granted(self, grant: Grant, session: Session, now: float) -> list[Out]:
        held = Held(session.asked, grant.epoch)
        if held != session.held:
            session.held = held
            self._state.journal.held(session.name, held)
            self._state.events.add(now, session.name, "granted", **_of(held))
            self._state.figures.turns.inc()
        return self.to(session, {"kind": "grant", "number": held.number, "epoch": held.epoch})

    def _told(self, command: Command, session: Session, now: float) -> None:
        session.tell(command, for_root=self._is_for_root(command, session))
        self._state.journal.command(command)
        self._state.events.add(
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

    def _is_for_root(self, command: Command, session: Session) -> bool:
        """Else its supervisor is told, which knows of hosts, also if it is not heard yet."""
        if not self._state.gives_hosts:
            return True
        return session.supervisor is None and command.ranks <= len(session.hosts)

    def _cancelled(self, cancel: Cancel, session: Session, now: float) -> None:
        self.tell_not_to(session, cancel.number, cancel.why, cancel.by)
        about = {"command": cancel.number, "why": cancel.why, "by": self.by(cancel.by)}
        self._state.events.add(now, session.name, "cancelled", **about)

    def _starts(self, start: Start, now: float) -> None:
        self._state.reservations.starts(start)
        self._state.events.add(now, start.job, "reserved", places=dict(start.places))

    def _forget(self, session: Session, why: str, now: float) -> None:
        del self._state.sessions[session.name]
        self._state.journal.gone(session.name, now)
        self._state.events.add(
            now, session.name, "ended", why=why, ranks=len(session.hosts), iteration=session.iteration
        )


def _of(held: Held) -> dict[str, int]:
    return {"phase": held.number, "epoch": held.epoch}
