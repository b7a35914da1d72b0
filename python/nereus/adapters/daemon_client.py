# SPDX-License-Identifier: BSD-3-Clause
"""A job's line to the daemon of many jobs, for programs that have none of their own (docs/formats/daemon.md).

What is important is said again until it is answered; a daemon that is not there changes nothing.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import zmq
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from nereus.launch.command import CONTROLLER
from nereus.supervisor.daemon_address import daemon_address
from nereus.supervisor.daemon_socket import daemon_socket, frames_from
from nereus.supervisor.frames import CODES, decode, encode
from nereus.supervisor.messages import Ranks, validated
from nereus.supervisor.site_record import CONTROLLER_KEYS
from nereus.supervisor.sockets import Socket, Sockets

_AGAIN_SECONDS = 1.0
_GOODBYE_SECONDS = 1.0
_MOST_COMMANDS = 1000
_CODES = {name: number for number, name in CODES.items()}
UNSUPPORTED, RANGE, STATE = (_CODES[f"NEREUS_ERR_{name}"] for name in ("UNSUPPORTED", "RANGE", "STATE"))

_Number = Annotated[int, Field(ge=1, le=2**63 - 1)]


class _FromDaemon(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", defer_build=True)


class _Welcome(_FromDaemon):
    kind: Literal["welcome"]
    heartbeat_seconds: Annotated[float, Field(ge=0.01, le=3600, strict=False)]


class _Who(_FromDaemon):
    kind: Literal["who"]


class _Noted(_FromDaemon):
    kind: Literal["noted"]
    id: _Number


class _Resize(_FromDaemon):
    kind: Literal["resize"]
    command: _Number
    ranks: Ranks
    at: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    options: dict[str, str] = {}


class _Cancel(_FromDaemon):
    kind: Literal["cancel"]
    command: _Number


_Read = _Welcome | _Who | _Noted | _Resize | _Cancel
_from_daemon: TypeAdapter[_Read] = TypeAdapter(
    Annotated[_Read, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)


@dataclass(frozen=True)
class State:
    """How the job stands: the host of each rank, how often it was resized, and how far it is."""

    hosts: Sequence[str]
    generation: int
    iteration: int


@dataclass(frozen=True)
class Command:
    """`ranks` are wanted once the job is at iteration `at`."""

    number: int
    ranks: int
    at: int


class DaemonClient:
    def __init__(
        self,
        sockets: Sockets,
        job: str,
        about: Mapping[str, Any],
        state: Callable[[], State],
        counts: bool = True,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`about`: what a hello says and never changes. `counts`: whether the job knows its iterations; else
        commands begin at once. LaunchError where the keys cannot be used.
        """
        self._counts = counts
        self._job, self._about, self._state, self._now = job, about, state, now
        self._opening = time.time_ns() // 1000
        self._heartbeat, self._next = 0.0, 0.0  # 0: not welcome yet
        self._last_command = self._last_id = 0
        self._unanswered: dict[int, tuple[float, dict[str, Any]]] = {}  # by id: when to say it again
        self._commands: dict[int, Command] = {}  # received and not done, in the order of their numbers
        self._begun = 0
        self._socket = _connected(sockets)

    def turn(self) -> None:
        """Take what the daemon says, and say what is due; never waits."""
        if self._socket is None:
            return
        for frame in frames_from(self._socket):
            self._take(frame)
        now = self._now()
        if now >= self._next:
            self._say_that_it_lives(now)
        for number, (due, message) in list(self._unanswered.items()):
            if now >= due:
                self._unanswered[number] = now + _AGAIN_SECONDS, message
                self._send(message)

    def begin_next(self) -> Command | None:
        """A command to begin with now; its end is to be told by `done` or `refused`."""
        first = next(iter(self._commands.values()), None)
        if first is None or first.number == self._begun or first.at > self._state().iteration:
            return None
        self._begun = first.number
        return first

    def sample(self, ranks: int, iterations: int, seconds: float) -> None:
        """What its latest iterations took."""
        about = {"ranks": ranks, "iteration": self._state().iteration, "iterations": iterations}
        self._send({"kind": "sample", **about, "seconds": seconds})

    def done(self, seconds: float, command: int = 0) -> None:
        """A resize has succeeded, by a command or (0) not."""
        self._commands.pop(command, None)
        state = self._state()
        where = {"hosts": list(state.hosts), "generation": state.generation, "iteration": state.iteration}
        self._repeat({"kind": "done", "command": command, **where, "seconds": seconds, "message": ""})

    def refused(self, command: int, code: int, message: str) -> None:
        """A command was not carried out."""
        self._commands.pop(command, None)
        self._repeat({"kind": "refused", "command": command, "code": code, "message": message[:1000]})

    def close(self) -> None:
        """Say goodbye, and wait for a moment until that is heard."""
        if self._socket is None or self._heartbeat == 0:
            return
        self._unanswered.clear()
        self._repeat({"kind": "goodbye"})
        deadline = self._now() + _GOODBYE_SECONDS
        while self._unanswered and self._now() < deadline:
            self.turn()
            time.sleep(0.005)

    def _take(self, frame: bytes) -> None:
        value = decode(frame)
        if value is None or value.get("job") != self._job:
            return
        with suppress(ValueError):
            message = validated(_from_daemon, value)
            match message:
                case _Welcome():
                    self._heartbeat = message.heartbeat_seconds
                case _Who():
                    self._heartbeat = self._next = 0.0
                case _Noted():
                    self._unanswered.pop(message.id, None)
                case _Resize():
                    self._resize(message)
                case _Cancel():
                    self._cancel(message)

    def _resize(self, message: _Resize) -> None:
        if message.command > self._last_command:
            if len(self._commands) == _MOST_COMMANDS:
                return None
            self._last_command = message.command
            command = Command(message.command, message.ranks, message.at if self._counts else 0)
            self._commands[command.number] = command
            if message.options:
                return self.refused(command.number, UNSUPPORTED, "options: the program saves itself: none")
            if message.ranks > self._about["most"]:
                return self.refused(command.number, RANGE, f"1 to {self._about['most']} ranks are allowed")
        return self._send({"kind": "heard", "command": message.command})

    def _cancel(self, message: _Cancel) -> None:
        """Of one that has begun, its end is told."""
        self._send({"kind": "heard", "command": message.command})
        waits = message.command in self._commands and message.command != self._begun
        if waits or message.command > self._last_command:
            self._last_command = max(self._last_command, message.command)
            self.refused(message.command, STATE, "cancelled before it began")

    def _say_that_it_lives(self, now: float) -> None:
        state = self._state()
        if self._heartbeat > 0:
            self._next = now + self._heartbeat
            return self._send({"kind": "heartbeat", "iteration": state.iteration, "epoch": 0})
        self._next = now + _AGAIN_SECONDS
        where = {"hosts": list(state.hosts), "generation": state.generation, "iteration": state.iteration}
        own = {"pid": os.getpid(), "supervised": True, "asked": 0, "epoch": 0}
        return self._send({"kind": "hello", **self._about, **where, **own, "commands": list(self._commands)})

    def _repeat(self, message: dict[str, Any]) -> None:
        if self._socket is None:
            return
        self._last_id += 1
        self._unanswered[self._last_id] = 0.0, {**message, "id": self._last_id}

    def _send(self, message: dict[str, Any]) -> None:
        frame = encode({"job": self._job, "opening": self._opening, **message})
        if frame is not None and self._socket is not None:
            with suppress(zmq.ZMQError):  # nobody is there
                self._socket.send(frame, zmq.NOBLOCK)


def _connected(sockets: Sockets) -> Socket | None:
    """None where no daemon is known."""
    named = {name: os.environ.get(name, "") for name in (CONTROLLER, CONTROLLER_KEYS)} | daemon_address()
    if not named[CONTROLLER]:
        return None
    keys = Path(named[CONTROLLER_KEYS]) if named[CONTROLLER_KEYS] else None
    return daemon_socket(sockets, named[CONTROLLER], keys)
