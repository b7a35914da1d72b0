# SPDX-License-Identifier: BSD-3-Clause
"""The daemon as a process: its sockets, store, clock and figures, and the loop around them.

Nothing in here waits for anybody. What is decided in a turn of the loop is in the store before anybody hears.
"""

import os
import resource
import secrets
import sqlite3
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import zmq

from nereus.daemon import messages
from nereus.daemon.clock import Clock
from nereus.daemon.error import DaemonError
from nereus.daemon.events import Event, Events
from nereus.daemon.executor import CommandExecutor, Out
from nereus.daemon.keys import read_keys
from nereus.daemon.lock import Lock
from nereus.daemon.policy_guard import PolicyGuard
from nereus.daemon.protocol import Protocol
from nereus.daemon.queries import QueryHandler
from nereus.daemon.recovery import RecoveredState, recovered_state
from nereus.daemon.site_listener import listen_for_jobs
from nereus.daemon.sockets import DaemonSockets
from nereus.daemon.stall_detector import StallDetector
from nereus.daemon.state import Chosen, DaemonState, HostLimits, Pilot
from nereus.daemon.status import figures
from nereus.daemon.store import Store
from nereus.daemon.unclean_marker import UncleanMarker
from nereus.launch.private_folder import make_folder
from nereus.policy.decisions import Policy
from nereus.policy.parameters import Parameters
from nereus.supervisor.control_socket import DAEMON, ControlSocket
from nereus.supervisor.daemon_address import daemon_line
from nereus.supervisor.sockets import Sockets

#: Between two looks at leases, silent jobs, what is to be said again, and figures.
_LOOK_SECONDS = 0.25
#: At the latest, when nobody says anything.
_IDLE_MILLISECONDS = 200
#: After a restart, until all supervisors have said which hosts their jobs have: they do so each second.
_HEARD_OF_ALL_SECONDS = 3.0
_NOT_GUARDED = (
    "descriptors are not guarded: no MPI build of Nereus is installed; "
    "more connections than `ulimit -n` allows will end this daemon"
)


@dataclass(frozen=True)
class Settings:
    """`listen`: an address on the network, for jobs with `keys`; `metrics`: a port, 0 for any; `limits`: of
    hosts for jobs that have allocations of their own; `pilot`: hosts that jobs share out. Each of these two
    is in the place of `keys`, the first one of `cores` too.
    """

    policy: Policy
    policy_name: str
    cores: Mapping[str, int]
    store: Path
    parameters: Parameters = field(default_factory=Parameters)
    listen: str | None = None
    keys: Path | None = None
    metrics: int | None = None
    limits: HostLimits | None = None
    pilot: Pilot | None = None


class Daemon:
    def __init__(
        self,
        settings: Settings,
        show: Callable[[Event], None] = lambda event: None,
        clock: Clock | None = None,
    ) -> None:
        """DaemonError where it cannot be had. `show` is told of each event."""
        _warm_up()
        path = daemon_line()
        make_folder(path.parent)
        self.line = path
        self._clock = clock or Clock()
        self._troubles: deque[str] = deque()  # to be written down; the metrics server tells of some
        self._closing: list[Callable[[], None]] = [partial(_remove_if_empty, path.parent)]
        try:
            self._open(settings, path, show)
        except BaseException:
            self.close()
            raise

    def _open(self, settings: Settings, path: Path, show: Callable[[Event], None]) -> None:
        lock = Lock(path.with_suffix(".lock"))
        self._closing.append(lock.release)
        self.store = Store(settings.store)
        self._closing.append(self.store.close)
        before = read_store(self.store)
        guard = PolicyGuard(settings.policy, self._note_trouble)
        self.state = self._state_of(settings, guard, before, show)
        self._executor = CommandExecutor(self.state, guard)
        self._sockets = sockets = Sockets(tell=self._troubles.append)
        self._closing.append(sockets.close)
        self._line = DaemonSockets(sockets, path)
        self._closing.append(self._line.close)
        # Before the record of its address: a daemon that has one, and no control socket here, is elsewhere.
        self._control_socket = ControlSocket(sockets, DAEMON, self._line.dropped)
        self._closing.append(self._control_socket.close)
        listen, metrics = self._beyond(settings)
        if not sockets.guarded:
            self._troubles.append(_NOT_GUARDED)
        instance = secrets.token_hex(8)
        about = {
            "instance": instance,
            "pid": os.getpid(),
            "started_unix": self._clock.now(),
            "listen": listen,
            "metrics": metrics,
        }
        self.about = about
        self._protocol = Protocol(self.state, self._executor, instance)
        counted = {"heard": self._protocol.received, "dropped": self._line.dropped}
        self._query_handler = QueryHandler(self.state, self._executor, {**about, **counted})
        self._look_at = 0.0
        self._stall_detector = StallDetector(self._protocol.heartbeat_seconds, settings.parameters.lease)
        self._unclean_marker = UncleanMarker(path.with_suffix(".unsure"))
        if self._unclean_marker.was:
            self._protocol.no_turns_before(self._clock.now() + settings.parameters.lease)
        self._send(self._executor.resume(before, self._clock.now()))

    def _state_of(
        self, settings: Settings, guard: PolicyGuard, before: RecoveredState, show: Callable[[Event], None]
    ) -> DaemonState:
        def keep(event: Event) -> None:
            self.store.event(event)
            show(event)

        chosen = Chosen(
            settings.policy_name, settings.cores, settings.parameters, settings.limits, settings.pilot
        )
        # Above all that was there, be it in no store: jobs take no notice of lower ones.
        least = int(self._clock.now() * 1000)
        last = max(before.last_epoch, least), max(before.last_command, least)
        waits = _HEARD_OF_ALL_SECONDS if before.sessions or before.reservations else 0.0
        events = Events(keep, before.last_event)
        return DaemonState(chosen, guard, self.store, events, last, self._clock.now() + waits)

    def _note_trouble(self, text: str) -> None:
        self.state.events.add(self._clock.now(), "", "trouble", text=text)

    def _beyond(self, settings: Settings) -> tuple[str | None, int | None]:
        """Where else it is to be found: by jobs on the network, and by who collects figures."""
        listen = metrics = None
        if settings.limits is not None or settings.pilot is not None:
            of_job = settings.pilot.job if settings.pilot is not None else ""
            listen, close = listen_for_jobs(self._line, settings.store, settings.listen, of_job)
            self._closing.append(close)
        elif settings.listen is not None and settings.keys is not None:
            listen = self._line.listen(settings.listen, read_keys(settings.keys))
        if settings.metrics is not None:
            metrics, stop = self.state.figures.serve(settings.metrics, self._troubles.append)
            self._closing.append(stop)
        return listen, metrics

    def serve(self, is_over: Callable[[], bool]) -> None:
        """Until that is so, or somebody asked for it on the control socket."""
        poller = zmq.Poller()
        for socket in (*self._line.sockets, self._control_socket.socket):
            poller.register(socket, zmq.POLLIN)
        while not (is_over() or self._query_handler.stop):
            found = poller.poll(_IDLE_MILLISECONDS)
            self.turn()
            self.store.tidy(self._clock.now(), idle=not found)

    def turn(self) -> None:
        """Do what there is to do."""
        self._sockets.look()
        now = self._clock.now()
        outs: list[Out] = []
        for sender, frame in self._line.received():
            message = messages.read(frame)
            if message is None:
                self._line.dropped["malformed"] += 1
            else:
                outs += self._protocol.receive(sender, message, now)
        answers = []
        for envelope, value in self._control_socket.received():
            answer, more = self._query_handler.answer(value, now)
            answers.append(partial(envelope.answer, answer))
            outs += more
        listened = self._stall_detector.is_paid(now, self._line.waits)
        if now >= self._look_at:
            outs += self._look(now, listened)
        self._send(outs)
        for say in answers:
            say()

    def close(self) -> None:
        while self._closing:
            self._closing.pop()()

    def _look(self, now: float, listened: bool) -> list[Out]:
        self._look_at = now + _LOOK_SECONDS
        self.state.look_at_energy()
        self._tell_figures()
        while self._troubles:
            self._note_trouble(self._troubles.popleft())
        late = [*self._executor.look(now), *self._query_handler.look(now)] if listened else []
        return [*late, *self._executor.all_due(now)]

    def _send(self, outs: list[Out]) -> None:
        """After all that they tell of is in the store."""
        now = self._clock.now()
        had_trouble = self.store.trouble
        if self.store.wants_all(now):
            self._executor.record_all(now)
        self.store.commit(now)
        if self.store.trouble is not None and had_trouble is None:
            self._note("the store cannot be written; continuing without it", self.store.trouble)
            self._unclean_marker.begin()
        elif self.store.trouble is None and had_trouble is not None:
            self._note("the store is written again", "")
            self._unclean_marker.end()
        for out in outs:
            frame = messages.encode(out.message)
            if frame is not None:
                self._line.send(out.to, frame)

    def _note(self, text: str, reason: str) -> None:
        about = f"{self.store.path}: {text}" + (f" ({reason})" if reason else "")
        self._note_trouble(about)

    def _tell_figures(self) -> None:
        told = self.state.figures
        told.are(figures(self.state))
        told.counted(self._protocol.received, self._line.dropped)


def _remove_if_empty(folder: Path) -> None:
    """Jobs may have their control sockets in it."""
    with suppress(OSError):
        folder.rmdir()


def read_store(store: Store) -> RecoveredState:
    """What was before; DaemonError where the file is damaged."""
    try:
        return recovered_state(store)
    except (sqlite3.Error, ValueError) as problem:
        text = f"--store = {store.path}: cannot be read: {problem}; --store takes another file"
        raise DaemonError(text) from None


def _warm_up() -> None:
    """What takes long the first time must not do so when a job waits for its turn."""
    import scipy.optimize  # noqa: F401

    # A connection of each job is a descriptor.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
