# SPDX-License-Identifier: BSD-3-Clause
"""The supervisor's line to the daemon of many jobs: what hosts the job has, and commands that concern them.

In:  commands to have so many ranks on so many hosts beyond the first ones (docs/formats/daemon.md).
Out: requests for hosts and sizes; what came of each command, said again and again.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

import zmq
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from nereus.supervisor.commanded_hosts import CommandedHosts
from nereus.supervisor.daemon_socket import daemon_socket, frames_from
from nereus.supervisor.frames import decode, encode
from nereus.supervisor.messages import MOST_RANKS, Ranks, validated
from nereus.supervisor.sockets import Socket, Sockets

#: It may have been lost, or the daemon may be another one.
AGAIN_SECONDS = 1.0
_MOST_OUTCOMES = 32
_CANCELLED = -13  # NEREUS_ERR_STATE


class Resize(BaseModel):
    """The job is to have `ranks`, and no more than so many hosts beyond those that it began with."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    kind: Literal["resize"]
    command: Annotated[int, Field(ge=1, le=2**63 - 1)]
    ranks: Ranks
    more_hosts: Annotated[int, Field(ge=0, le=MOST_RANKS)]


class Cancel(BaseModel):
    """A command is not to be carried out, as far as that is possible yet."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    kind: Literal["cancel"]
    command: Annotated[int, Field(ge=1, le=2**63 - 1)]


_from_daemon: TypeAdapter[Resize | Cancel] = TypeAdapter(
    Annotated[Resize | Cancel, Field(discriminator="kind")], config=ConfigDict(defer_build=True)
)


class DaemonLine:
    """Not there where nobody has named a daemon; one that does not answer changes nothing."""

    def __init__(
        self,
        sockets: Sockets,
        job: str,
        address: str,
        keys: Path | None,
        hosts: CommandedHosts,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """LaunchError where the keys cannot be used."""
        self._job, self._hosts, self._now = job, hosts, now
        self._heard = 0
        self._outcomes: dict[int, Mapping[str, Any]] = {}  # by command
        self._said: dict[str, Any] = {}
        self._say_at = 0.0
        self.socket: Socket = daemon_socket(sockets, address, keys)

    @property
    def due(self) -> float | None:
        """When it is said again how things are."""
        return self._say_at if self._hosts.is_open else None

    def turn(self) -> None:
        """Take commands, and tell of what has changed."""
        for frame in frames_from(self.socket):
            self._take(frame)
        if self._hosts.is_open:
            self._hosts.turn()
            self._say()

    def _take(self, frame: bytes) -> None:
        value = decode(frame)
        if value is None or value.get("job") != self._job:
            return
        with suppress(ValueError):
            message = validated(_from_daemon, value)
            # Otherwise that it was heard is what the daemon waits for, or what came of it.
            self._say_at = 0.0
            if isinstance(message, Cancel):
                self._cancel(message.command)
            elif message.command > self._heard and self._hosts.is_open:
                self._heard = message.command
                self._hosts.become(message.ranks, message.more_hosts, message.command, self._ended)

    def _cancel(self, command: int) -> None:
        if command > self._heard or self._hosts.drop(command):
            self._heard = max(self._heard, command)
            self._ended(command, _CANCELLED, "cancelled before it began")
        elif command not in self._outcomes and not self._hosts.cancel(command):
            self._ended(command, _CANCELLED, "it is not known any more")

    def _ended(self, command: int, code: int, message: str, ranks: int = 0) -> None:
        outcome = {"command": command, "code": code, "message": message[:1000], "ranks": ranks}
        self._outcomes[command] = outcome
        for old in sorted(self._outcomes)[:-_MOST_OUTCOMES]:
            del self._outcomes[old]

    def _say(self) -> None:
        message = {
            "kind": "allocation",
            "job": self._job,
            "first_slots": self._hosts.first_slots,
            "host_slots": self._hosts.host_slots,
            "more_hosts": self._hosts.more,
            "heard": self._heard,
            "outcomes": list(self._outcomes.values()),
        }
        now = self._now()
        if message == self._said and now < self._say_at:
            return
        self._said, self._say_at = message, now + AGAIN_SECONDS
        frame = encode(message)
        if frame is not None:
            with suppress(zmq.ZMQError):  # nobody is there
                self.socket.send(frame, zmq.NOBLOCK)
