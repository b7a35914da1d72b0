# SPDX-License-Identifier: BSD-3-Clause
"""Answers requests on a job's control sockets: its status, what became of resizes and of epochs."""

import os
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from nereus.launch.command import Launch
from nereus.supervisor import messages
from nereus.supervisor.control_socket import ControlSocket, Envelope, RequestSocket
from nereus.supervisor.frames import CODES, OK, PENDING, REDUCED, RESIZED
from nereus.supervisor.identity import Identity
from nereus.supervisor.sockets import Socket, Sockets

NOT_OPENED = "the program has not opened a Nereus job"
_ACCEPTED = (OK, PENDING, REDUCED)
_NEVER, _NOT_NOW = -10, -8  # NEREUS_ERR_UNSUPPORTED, NEREUS_ERR_TIMEOUT
_NOTED = {"grow": "hosts are asked for", "release": "hosts will be left and given back"}


@dataclass
class _WaitingClient:
    """Somebody who asked for a resize that was not settled yet, or for an epoch that was not saved yet."""

    #: None: was answered already.
    envelope: Envelope | None
    waits: bool
    #: Asks the job's root; None: it is not asked yet, the job's hosts come first.
    question: Callable[[], None] | None = None
    #: Of the answer: `resized` or `saved`.
    kind: str = "resized"
    request: int = 0
    #: Of one who asks in this process: hears a code, a message and the report.
    told: Callable[[int, str, dict[str, Any] | None], None] | None = None


class RequestServer:
    """The control sockets of a job, who waits there, and what can be told about the job."""

    def __init__(
        self,
        sockets: Sockets,
        job: Identity,
        launch: Launch,
        founders: int,
        ask: Callable[[int, int, dict[str, str]], None],
        change_hosts: Callable[[int, messages.AskHosts], None],
        ask_to_save: Callable[[int, bool], None],
        network: RequestSocket | None = None,
    ) -> None:
        """`ask` hands a request (ticket, ranks, options) on to the job's root.

        `change_hosts` gets what concerns the job's hosts; it calls `hand_on` or `refuse` later.
        `ask_to_save` hands a request (ticket, whether the job stops then) on to the job's root.
        `network`: where other hosts ask; it is closed with the others.
        """
        others = [] if network is None else [network]
        self._request_sockets: list[RequestSocket] = [ControlSocket(sockets, job.key), *others]
        self._ask, self._change_hosts, self._ask_to_save = ask, change_hosts, ask_to_save
        self._fixed = {
            "job": job.key,
            "name": job.name,
            "continues": job.continues or None,
            "recovers": launch.recovers,
            "command": [str(launch.program), *launch.arguments],
            "mpi": launch.build.name,
            "host": socket.gethostname(),
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
    def sockets(self) -> list[Socket]:
        """What to wait for."""
        return [each.socket for each in self._request_sockets]

    def turn(self, resizing: bool) -> None:
        """Answer what was asked; `resizing`: newcomers are being made."""
        for each in self._request_sockets:
            for envelope, value in each.received():
                self._take(envelope, value, resizing)

    def root_is_there(self, root: messages.Root) -> None:
        """The job is open, with these processes."""
        self._root, self._ranks, self._closing = root, root.ranks, False

    def ask_again(self) -> None:
        """The root is another process: wishes without an answer are told to it."""
        for client in self._waiting.values():
            if client.request == 0 and client.question is not None:
                client.question()

    def close_job(self) -> None:
        """The job is being closed."""
        self._closing = True

    def answered(self, answer: messages.Answer) -> None:
        """The job's root has said what it makes of a wish."""
        client = self._waiting.get(answer.ticket)
        if client is None:
            return
        client.request = answer.request
        if not (client.waits and answer.code in _ACCEPTED and answer.request > 0):
            self._tell(answer.ticket, answer.code, answer.message, None)

    def settled(self, message: messages.Settled) -> None:
        """A resize has ended: who waits for it is told."""
        if message.code == RESIZED:
            self._resizes += 1
        # Request 0 makes founders; it is also the number of those that were not answered yet.
        settled = [key for key, client in self._waiting.items() if client.request == message.request > 0]
        for ticket in settled:
            self._tell(ticket, message.code, message.message, message.report)

    def saved(self, message: messages.Saved) -> None:
        """A request to save an epoch has ended: who waits for it is told."""
        told = {key: getattr(message, key) for key in ("epoch", "iteration", "bytes", "seconds", "stops")}
        waiting = [key for key, client in self._waiting.items() if client.request == message.request > 0]
        for ticket in waiting:
            self._tell(ticket, message.code, message.message, told if message.code == OK else None)

    def close(self) -> None:
        """Send everybody home and close the control socket."""
        for ticket in list(self._waiting):
            saves = self._waiting[ticket].kind == "saved"
            self.refuse(ticket, f"the job ended before it could be {'saved' if saves else 'resized'}")
        self._waiting.clear()
        for each in self._request_sockets:
            each.close()

    def hand_on(self, ticket: int, ranks: int, options: dict[str, str]) -> None:
        """Ask the job's root for this size."""
        self._question(ticket, partial(self._ask, ticket, ranks, options))

    @property
    def ranks(self) -> int:
        """Of the job, as its root has told last."""
        return self._ranks

    @property
    def is_open(self) -> bool:
        """Whether the job can be asked."""
        return self._root is not None and not self._closing

    def ask(
        self,
        asked: messages.AskResize | messages.AskHosts | messages.AskSave,
        told: Callable[[int, str, dict[str, Any] | None], None],
    ) -> int:
        """As from the control socket, for somebody in this process; the ticket."""
        ticket = self.new_ticket()
        self._waiting[ticket].told = told
        if isinstance(asked, messages.AskHosts):
            self._change_hosts(ticket, asked)
        else:
            self._hand_on(ticket, asked)
        return ticket

    def new_ticket(self, envelope: Envelope | None = None, waits: bool = True) -> int:
        """For a request; without an envelope it is one of our own, and nobody is answered."""
        self._tickets += 1
        self._waiting[self._tickets] = _WaitingClient(envelope, waits)
        return self._tickets

    def refuse(self, ticket: int, message: str, never: bool = False) -> bool:
        """Tell who waits, if somebody does, that it will not be resized; `never`: nor would it be later."""
        client = self._waiting.pop(ticket, None)
        if client is not None and client.told is not None:
            client.told(_NEVER if never else _NOT_NOW, message, None)
        elif client is not None and client.envelope is not None:
            self._refuse(client.envelope, message, never)
        else:
            return False
        return True

    @property
    def hosts_of_ranks(self) -> list[str]:
        """As the job's root has told them; empty before."""
        return self._root.hosts if self._root else []

    def _take(self, envelope: Envelope, value: dict[str, Any] | None, resizing: bool) -> None:
        asked = messages.read_from_client(value) if value is not None else "a message that cannot be read"
        if isinstance(asked, messages.AskStatus):
            envelope.answer(self._status(resizing))
        elif isinstance(asked, str):
            self._refuse(envelope, asked)
        else:
            self._begin(envelope, asked)

    def _hand_on(self, ticket: int, asked: messages.AskResize | messages.AskSave) -> None:
        if isinstance(asked, messages.AskResize):
            return self.hand_on(ticket, asked.ranks, asked.options)
        self._waiting[ticket].kind = "saved"
        return self._question(ticket, partial(self._ask_to_save, ticket, asked.stops))

    def _question(self, ticket: int, question: Callable[[], None]) -> None:
        self._waiting[ticket].question = question
        question()

    def _begin(
        self, envelope: Envelope, asked: messages.AskResize | messages.AskHosts | messages.AskSave
    ) -> None:
        if self._root is None:
            return self._refuse(envelope, NOT_OPENED)
        if self._closing:
            return self._refuse(envelope, "the job is being closed")
        ticket = self.new_ticket(envelope, asked.wait)
        if isinstance(asked, messages.AskHosts):
            return self._begin_with_hosts(ticket, asked)
        return self._hand_on(ticket, asked)

    def _begin_with_hosts(self, ticket: int, asked: messages.AskHosts) -> None:
        self._change_hosts(ticket, asked)
        client = self._waiting.get(ticket)
        if client is not None and not asked.wait:  # it may take as long as a queue is
            self._answer(client, PENDING, _NOTED[asked.change], None)
            client.envelope, client.waits = None, True

    def _tell(self, ticket: int, code: int, message: str, report: dict[str, Any] | None) -> None:
        self._answer(self._waiting.pop(ticket), code, message, report)

    def _answer(self, client: _WaitingClient, code: int, message: str, report: dict[str, Any] | None) -> None:
        if client.told is not None:
            client.told(code, message, report)
        if client.envelope is None:
            return
        result = {"code": code, "name": CODES.get(code, "unknown code"), "message": message}
        client.envelope.answer({"kind": client.kind, **result, "request": client.request, "report": report})

    def _refuse(self, envelope: Envelope, message: str, never: bool = False) -> None:
        envelope.answer({"kind": "refused", "message": message, "never": never})

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
        underway = {client.kind for client in self._waiting.values() if client.request}
        if resizing or "resized" in underway:
            return "resizing"
        return "saving" if underway else "running"
