# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of each message of a job (docs/formats/daemon.md), without sockets and clock.

In:  messages and the time.
Out: messages, each to its job; what is to be in the store before they are sent; events.
Messages may be lost, doubled and late. What is said of a job that is not known changes nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from nereus.coordinator.known_jobs import RESOURCE_MANAGER
from nereus.daemon import messages
from nereus.daemon.executor import CommandExecutor, Out
from nereus.daemon.job_allocations import JobAllocations
from nereus.daemon.sessions import Address, Held, Pace, Session
from nereus.daemon.state import DaemonState
from nereus.policy.prediction import IoPhase
from nereus.policy.turns import Grant, Request

#: For so long a job that said goodbye does not come again: it was an old message.
GONE_SECONDS = 5.0
#: Answered so often within a lease, a heartbeat that is lost does no harm.
_HEARTBEATS_PER_LEASE = 20
#: A job that waits for its turn knows by the answers that the daemon lives.
_SLOWEST_HEARTBEAT = 0.5
#: A job that waits asks so often within a second.
_ENOUGH_DOUBTS = 4
_MOST_BYTES = 2**62  # that can be stored


class Protocol:
    def __init__(self, state: DaemonState, executor: CommandExecutor, instance: str) -> None:
        self._executor = executor
        self._coordinator = state.coordinator
        self._sessions = state.sessions
        self._journal = state.journal
        self._events = state.events
        self._figures = state.figures
        self._instance = instance
        self._gone: dict[str, tuple[float, int]] = {}  # until when, and of which opening
        self._no_turns_before = 0.0
        self._allocation = JobAllocations(state, executor)
        self.received: Counter[str] = Counter()
        self._handlers: dict[type[messages.Message], Callable[[Any, Session, float], list[Out]]] = {
            messages.Heartbeat: self._heartbeat,
            messages.Sample: self._sample,
            messages.IoRequest: self._io_request,
            messages.IoDone: self._io_done,
            messages.Heard: self._heard,
            messages.Done: self._done,
            messages.Refused: self._refused,
            messages.Goodbye: self._goodbye,
        }

    @property
    def heartbeat_seconds(self) -> float:
        return min(_SLOWEST_HEARTBEAT, self._coordinator.parameters.lease / _HEARTBEATS_PER_LEASE)

    def no_turns_before(self, time: float) -> None:
        """Jobs that have a turn already say so until then."""
        self._no_turns_before = time

    def receive(self, sender: Address, message: messages.FromJob, now: float) -> list[Out]:
        self.received[message.kind] += 1
        session = self._sessions.get(message.job)
        if isinstance(message, messages.Hello):
            return self._hello(sender, message, session, now)
        if session is None or _is_later(message, session):
            # Of a job that is over nothing is asked any more.
            answer = _noted(message) if isinstance(message, messages.Goodbye) else {"kind": "who"}
            return [Out(sender, {"job": message.job, **answer})]
        if _is_earlier(message, session):
            return [Out(sender, {"job": message.job, **_noted(message)})] if hasattr(message, "id") else []
        if isinstance(message, messages.Allocation):
            return self._allocation.receive(sender, message, session, now)
        session.to = sender
        return self._handlers[type(message)](message, session, now)

    def _hello(
        self, sender: Address, hello: messages.Hello, session: Session | None, now: float
    ) -> list[Out]:
        until, gone = self._gone.get(hello.job, (0.0, 0))
        if now < until and hello.opening <= gone:
            return []
        if session is not None and _is_earlier(hello, session):
            return []
        outs: list[Out] = []
        if session is not None and (_is_another(hello, session) or _waits_for_doubted(hello, session)):
            outs = self._executor.ended(session, "another job of its name came", now)
            session = None
        if session is None:
            session = _new_session(hello, now)
            session.to = sender
            outs += self._executor.came(session, now)
        else:
            session.to = sender
            session.doubts = session.doubts if hello.asked == session.doubted else 0
            session.tell_all_again()
        outs += self._moved(session, hello.hosts, hello.generation, 0, hello.iteration, None, now)
        self._passed(session, hello.iteration, now)
        if hello.epoch > 0:
            self._claimed(session, hello, now)
        # Those that another daemon told, or this one before it lost its store.
        for number in set(hello.commands) - session.telling.keys():
            self._executor.tell_not_to(session, number, "unknown to this daemon", RESOURCE_MANAGER)
        return [Out(sender, {"job": hello.job, **self._welcome()}), *outs, *self._executor.due(session, now)]

    def _welcome(self) -> dict[str, Any]:
        lease = self._coordinator.parameters.lease
        return {
            "kind": "welcome",
            "instance": self._instance,
            "heartbeat_seconds": self.heartbeat_seconds,
            "lease_seconds": lease,
        }

    def _claimed(self, session: Session, hello: messages.Hello, now: float) -> None:
        """It says that it has a turn: it has, where nobody else does and that is the latest of it."""
        phase = hello.asked
        if session.held is not None or phase < max(1, session.asked) or phase <= session.finished:
            return
        if self._executor.may_write(Request(session.name, phase)):
            self._executor.resume_turn(session, Held(phase, hello.epoch), now)

    def _heartbeat(self, message: messages.Heartbeat, session: Session, now: float) -> list[Out]:
        self._passed(session, message.iteration, now)
        has = message.epoch == 0 or self._coordinator.writes_still(session.name, message.epoch, now)
        answer = {"kind": "alive", "instance": self._instance, "turn": has, "epoch": message.epoch}
        return [*self._executor.to(session, answer), *self._executor.due(session, now)]

    def _sample(self, message: messages.Sample, session: Session, now: float) -> list[Out]:
        self._passed(session, message.iteration, now)
        seconds = message.seconds / message.iterations
        # One that was under way when the job was resized is of no size.
        if message.ranks == len(session.hosts) and seconds >= 1e-9:
            session.pace = pace = _pace_of(message)
            self._journal.sample(session, message.ranks, seconds, now)
            share = pace.communication_share
            return self._executor.carry_out(
                self._coordinator.measured(session.name, message.ranks, seconds, now, share), now
            )
        return []

    def _io_request(self, message: messages.IoRequest, session: Session, now: float) -> list[Out]:
        if message.number < session.asked or message.number <= session.finished:
            # An old word, or one of a job that waits and is mistaken for the one before it.
            session.doubt(message.number)
            return self._executor.to(session, {"kind": "who"})
        session.doubts = 0
        self._passed(session, message.iteration, now)
        if now < self._no_turns_before:
            return []
        if message.number > session.asked:
            session.asked = message.number
            self._events.add(now, session.name, "asked", phase=message.number, bytes=message.bytes)
        effects = self._coordinator.asks_to_write(session.name, message.number, message.iteration, now)
        if (
            session.held is not None
            and session.held.number < message.number
            and not _grants(effects, session)
        ):
            self._executor.given_back(session)
        return self._executor.carry_out(effects, now)

    def _io_done(self, message: messages.IoDone, session: Session, now: float) -> list[Out]:
        noted = self._executor.to(session, _noted(message))
        if not session.finish(message.number):
            return noted
        session.doubts = 0
        self._passed(session, message.iteration, now)
        end = now - message.age_seconds
        start = end - message.service_seconds - message.wait_seconds
        phase = IoPhase(
            start, message.wait_seconds, message.service_seconds, message.iteration, message.ranks
        )
        if session.held is not None and session.held.number <= message.number:
            self._executor.given_back(session)
        effects = self._coordinator.wrote(session.name, message.number, message.epoch, phase, now)
        self._wrote(session, message, phase, now)
        return [*noted, *self._executor.carry_out(effects, now)]

    def _wrote(self, session: Session, message: messages.IoDone, phase: IoPhase, now: float) -> None:
        io = session.io
        io.phases += 1
        io.wait_seconds += message.wait_seconds
        io.service_seconds += message.service_seconds
        io.bytes = min(io.bytes + message.bytes, _MOST_BYTES)
        # As the coordinator keeps it, with whether the job was resized before it; it drops what comes late.
        latest = self._coordinator.jobs[session.name].phases[-1:]
        kept = latest[0] if latest and latest[0].start == phase.start else phase
        self._journal.phase(session, message.number, message.epoch, kept, message.bytes)
        self._events.add(
            now,
            session.name,
            "wrote",
            phase=message.number,
            epoch=message.epoch,
            start_unix=kept.start,
            wait_seconds=kept.wait,
            service_seconds=kept.service,
            bytes=message.bytes,
            ranks=message.ranks,
            iteration=message.iteration,
        )
        self._figures.wrote(kept, message.bytes)

    def _heard(self, message: messages.Heard, session: Session, now: float) -> list[Out]:
        told = session.telling.get(message.command)
        if told is None:
            return []
        if told.message["kind"] == "cancel":
            self._journal.is_over(message.command)
        session.heard(message.command)
        return self._executor.due(session, now)

    def _done(self, message: messages.Done, session: Session, now: float) -> list[Out]:
        noted = self._executor.to(session, _noted(message))
        if message.generation < session.generation:
            return noted
        overhead = message.seconds if message.seconds > 0 else None
        command = message.command or session.told_by_supervisor(len(message.hosts))
        outs = self._moved(
            session, message.hosts, message.generation, command, message.iteration, overhead, now
        )
        self._passed(session, message.iteration, now)
        return [*noted, *outs, *self._executor.due(session, now)]

    def _moved(
        self,
        session: Session,
        hosts: list[str],
        generation: int,
        command: int,
        iteration: int,
        overhead: float | None,
        now: float,
    ) -> list[Out]:
        """The job has these ranks: by a command, of its own accord (0), or since it was heard last."""
        if generation < session.generation:
            return []
        if generation == session.generation and command not in session.telling:
            return []  # said again
        is_new, session.hosts, before = generation > session.generation, hosts, len(session.hosts)
        session.generation = generation
        session.resizes += is_new
        session.pace = None  # it was of other ranks
        return self._executor.resized(session, command, before, iteration, overhead, now)

    def _refused(self, message: messages.Refused, session: Session, now: float) -> list[Out]:
        noted = self._executor.to(session, _noted(message))
        return [*noted, *self._executor.refused(session, message.command, message.code, message.message, now)]

    def _goodbye(self, message: messages.Goodbye, session: Session, now: float) -> list[Out]:
        noted = self._executor.to(session, _noted(message))
        self._gone = {job: gone for job, gone in self._gone.items() if gone[0] > now}
        self._gone[session.name] = now + GONE_SECONDS, session.opening
        return [*noted, *self._executor.ended(session, "goodbye", now)]

    def _passed(self, session: Session, iteration: int, now: float) -> None:
        session.iteration = max(session.iteration, iteration)
        self._coordinator.heard(session.name, now, iteration)


def _is_later(message: messages.Message, session: Session) -> bool:
    """Of a job that a program opened behind this one, by the same name."""
    return message.opening > session.opening > 0


def _is_earlier(message: messages.Message, session: Session) -> bool:
    return 0 < message.opening < session.opening


def _is_another(hello: messages.Hello, session: Session) -> bool:
    if hello.opening > 0 and session.opening > 0:
        return _is_later(hello, session)
    # One that does not say so, and is not as far.
    is_younger = hello.generation <= session.generation and hello.iteration < session.iteration
    return is_younger and hello.generation == 0 and hello.asked <= session.finished and not hello.commands


def _waits_for_doubted(hello: messages.Hello, session: Session) -> bool:
    """It asks again and again for a phase that was taken for over, and, asked who it is, says that it waits
    for that: what is known is of another. A single word may be old; a turn is not taken from a job by it.
    """
    waits = hello.asked == session.doubted and hello.epoch == 0 and session.held is None
    return waits and session.doubts >= _ENOUGH_DOUBTS


def _new_session(hello: messages.Hello, now: float) -> Session:
    return Session(
        name=hello.job,
        command=hello.command,
        mpi=hello.mpi,
        pid=hello.pid,
        supervised=hello.supervised,
        hosts=hello.hosts,
        most=hello.most,
        generation=hello.generation,
        iteration=hello.iteration,
        came=now,
        opening=hello.opening,
    )


def _noted(message: Any) -> dict[str, Any]:
    return {"kind": "noted", "id": message.id}


def _grants(effects: Iterable[object], session: Session) -> bool:
    return any(isinstance(each, Grant) and each.job == session.name for each in effects)


def _pace_of(sample: messages.Sample) -> Pace:
    def of_one(seconds: float | None) -> float | None:
        return None if seconds is None else seconds / sample.iterations

    return Pace(
        sample.seconds / sample.iterations,
        of_one(sample.compute_seconds),
        of_one(sample.communication_seconds),
        None if sample.operations is None else sample.operations / sample.seconds,
    )
