# SPDX-License-Identifier: BSD-3-Clause
"""Answers those who come to a job's door: how it stands, and what became of the resize they asked for."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nereus.launch import messages
from nereus.launch.command import Launch
from nereus.launch.door import Door, Envelope
from nereus.launch.messages import CODES
from nereus.launch.sockets import Socket, Sockets

NOT_OPENED = "the program has not opened a Nereus job"
_ACCEPTED = (messages.OK, messages.PENDING, messages.REDUCED)


@dataclass
class _Visit:
    """Somebody who asked for a resize and was not answered yet."""

    envelope: Envelope
    asked: messages.AskResize
    request: int = 0


class Visitors:
    """The door of a job, who waits there, and what can be told about the job."""

    def __init__(
        self,
        sockets: Sockets,
        job: str,
        launch: Launch,
        founders: int,
        ask: Callable[[int, int, dict[str, str]], None],
    ) -> None:
        """`ask` hands a wish (ticket, ranks, options) on to the job's root."""
        self._door = Door(sockets, job)
        self._ask = ask
        self._fixed = {
            "job": job,
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
        self._visits: dict[int, _Visit] = {}

    @property
    def socket(self) -> Socket:
        """What to wait for."""
        return self._door.socket

    def turn(self, resizing: bool) -> None:
        """Answer what was asked; `resizing`: newcomers are being made."""
        for envelope, value in self._door.received():
            asked = messages.read_from_door(value) if value is not None else "a message that cannot be read"
            if isinstance(asked, messages.AskStatus):
                self._door.answer(envelope, self._status(resizing))
            elif isinstance(asked, messages.AskResize):
                self._begin(envelope, asked)
            else:
                self._refuse(envelope, asked)

    def root_is_there(self, root: messages.Root) -> None:
        """The job is open, with these processes."""
        self._root, self._ranks, self._closing = root, root.ranks, False

    def ask_again(self) -> None:
        """The root is another process: wishes without an answer are told to it."""
        for ticket, visit in self._visits.items():
            if visit.request == 0:
                self._ask(ticket, visit.asked.ranks, visit.asked.options)

    def close_job(self) -> None:
        """The job is being closed."""
        self._closing = True

    def answered(self, answer: messages.Answer) -> None:
        """The job's root has said what it makes of a wish."""
        visit = self._visits.get(answer.ticket)
        if visit is None:
            return
        visit.request = answer.request
        if not (visit.asked.wait and answer.code in _ACCEPTED and answer.request > 0):
            self._tell(answer.ticket, answer.code, answer.message, None)

    def settled(self, message: messages.Settled) -> None:
        """A resize has ended: who waits for it is told."""
        if message.code == messages.RESIZED:
            self._resizes += 1
        for ticket in [key for key, visit in self._visits.items() if visit.request == message.request]:
            self._tell(ticket, message.code, message.message, message.report)

    def close(self) -> None:
        """Send everybody home and close the door."""
        for visit in self._visits.values():
            self._refuse(visit.envelope, "the job ended before it could be resized")
        self._visits.clear()
        self._door.close()

    def _begin(self, envelope: Envelope, asked: messages.AskResize) -> None:
        if self._root is None:
            return self._refuse(envelope, NOT_OPENED)
        if self._closing:
            return self._refuse(envelope, "the job is being closed")
        self._tickets += 1
        self._visits[self._tickets] = _Visit(envelope, asked)
        return self._ask(self._tickets, asked.ranks, asked.options)

    def _tell(self, ticket: int, code: int, message: str, report: dict[str, Any] | None) -> None:
        visit = self._visits.pop(ticket)
        result = {"code": code, "name": CODES.get(code, "unknown code"), "message": message}
        self._door.answer(
            visit.envelope, {"kind": "resized", **result, "request": visit.request, "report": report}
        )

    def _refuse(self, envelope: Envelope, message: str) -> None:
        self._door.answer(envelope, {"kind": "refused", "message": message})

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
        underway = resizing or any(visit.request for visit in self._visits.values())
        return "resizing" if underway else "running"
