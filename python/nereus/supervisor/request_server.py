# SPDX-License-Identifier: BSD-3-Clause
"""Answers requests on a job's control socket: its status, and what became of a resize that was asked for."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nereus.launch.command import Launch
from nereus.supervisor import messages
from nereus.supervisor.control_socket import ControlSocket, Envelope
from nereus.supervisor.frames import CODES, OK, PENDING, REDUCED, RESIZED
from nereus.supervisor.sockets import Socket, Sockets

NOT_OPENED = "the program has not opened a Nereus job"
_ACCEPTED = (OK, PENDING, REDUCED)


@dataclass
class _WaitingClient:
    """Somebody who asked for a resize and was not answered yet."""

    envelope: Envelope
    asked: messages.AskResize
    request: int = 0


@dataclass(frozen=True)
class Identity:
    """By what Nereus knows a job, and by what people do."""

    key: str
    name: str


class RequestServer:
    """The control socket of a job, who waits there, and what can be told about the job."""

    def __init__(
        self,
        sockets: Sockets,
        job: Identity,
        launch: Launch,
        founders: int,
        ask: Callable[[int, int, dict[str, str]], None],
    ) -> None:
        """`ask` hands a wish (ticket, ranks, options) on to the job's root."""
        self._control_socket = ControlSocket(sockets, job.key)
        self._ask = ask
        self._fixed = {
            "job": job.key,
            "name": job.name,
            "command": [str(launch.program), *launch.arguments],
            "mpi": launch.build.name,
            "pid": os.getpid(),
            "started_unix": time.time(),
        }
        self._root: messages.Root | None = None
        self._ranks = founders
        self._closing = False
        self._resizes = 0
        self._tickets = 0
        self._waiting: dict[int, _WaitingClient] = {}

    @property
    def socket(self) -> Socket:
        """What to wait for."""
        return self._control_socket.socket

    def turn(self, resizing: bool) -> None:
        """Answer what was asked; `resizing`: newcomers are being made."""
        for envelope, value in self._control_socket.received():
            asked = messages.read_from_client(value) if value is not None else "a message that cannot be read"
            if isinstance(asked, messages.AskStatus):
                self._control_socket.answer(envelope, self._status(resizing))
            elif isinstance(asked, messages.AskResize):
                self._begin(envelope, asked)
            else:
                self._refuse(envelope, asked)

    def root_is_there(self, root: messages.Root) -> None:
        """The job is open, with these processes."""
        self._root, self._ranks, self._closing = root, root.ranks, False

    def ask_again(self) -> None:
        """The root is another process: wishes without an answer are told to it."""
        for ticket, client in self._waiting.items():
            if client.request == 0:
                self._ask(ticket, client.asked.ranks, client.asked.options)

    def close_job(self) -> None:
        """The job is being closed."""
        self._closing = True

    def answered(self, answer: messages.Answer) -> None:
        """The job's root has said what it makes of a wish."""
        client = self._waiting.get(answer.ticket)
        if client is None:
            return
        client.request = answer.request
        if not (client.asked.wait and answer.code in _ACCEPTED and answer.request > 0):
            self._tell(answer.ticket, answer.code, answer.message, None)

    def settled(self, message: messages.Settled) -> None:
        """A resize has ended: who waits for it is told."""
        if message.code == RESIZED:
            self._resizes += 1
        for ticket in [key for key, client in self._waiting.items() if client.request == message.request]:
            self._tell(ticket, message.code, message.message, message.report)

    def close(self) -> None:
        """Send everybody home and close the control socket."""
        for client in self._waiting.values():
            self._refuse(client.envelope, "the job ended before it could be resized")
        self._waiting.clear()
        self._control_socket.close()

    def _begin(self, envelope: Envelope, asked: messages.AskResize) -> None:
        if self._root is None:
            return self._refuse(envelope, NOT_OPENED)
        if self._closing:
            return self._refuse(envelope, "the job is being closed")
        self._tickets += 1
        self._waiting[self._tickets] = _WaitingClient(envelope, asked)
        return self._ask(self._tickets, asked.ranks, asked.options)

    def _tell(self, ticket: int, code: int, message: str, report: dict[str, Any] | None) -> None:
        client = self._waiting.pop(ticket)
        result = {"code": code, "name": CODES.get(code, "unknown code"), "message": message}
        self._control_socket.answer(
            client.envelope, {"kind": "resized", **result, "request": client.request, "report": report}
        )

    def _refuse(self, envelope: Envelope, message: str) -> None:
        self._control_socket.answer(envelope, {"kind": "refused", "message": message})

    def _status(self, resizing: bool) -> dict[str, Any]:
        root = self._root
        now = {
            "ranks": self._ranks,
            "generation": root.generation if root else 0,
            "hosts": root.hosts if root else [],
            "state": self._state(resizing),
            "resizes": self._resizes,
        }
        return {"kind": "status", **self._fixed, **now}

    def _state(self, resizing: bool) -> str:
        if self._root is None:
            return "starting"
        if self._closing:
            return "closing"
        underway = resizing or any(client.request for client in self._waiting.values())
        return "resizing" if underway else "running"
