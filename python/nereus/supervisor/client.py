# SPDX-License-Identifier: BSD-3-Clause
"""Requests to running jobs on their control sockets: which there are, their status, another size."""

import contextlib
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nereus.launch.error import LaunchError
from nereus.launch.private_folder import is_private
from nereus.supervisor import control_socket
from nereus.supervisor.descriptors import CONTROL_SOCKET_ENDING
from nereus.supervisor.frames import decode, encode
from nereus.supervisor.job_names import meant_by
from nereus.supervisor.name_claim import job_names, remove_abandoned_names
from nereus.supervisor.sockets import Socket, Sockets

STATUS_WITHIN = 5.0
# Between two looks whether the supervisor is still there, while its answer is awaited.
_LOOK_EVERY = 0.5
_NEW_FOR = 2.0


class NoAnswer(Exception):
    """A job did not answer; the text says why."""


def control_sockets() -> list[Path]:
    """Control sockets of this user's running jobs, by key; what dead supervisors left is removed."""
    remove_abandoned_names()
    folder = control_socket.control_socket_folder()
    if not is_private(folder):
        return []
    found = list(folder.glob(f"*{CONTROL_SOCKET_ENDING}"))
    jobs = [path for path in found if path.stem != control_socket.DAEMON]
    return sorted((path for path in jobs if not _removed_as_stale(path)), key=lambda path: path.name)


def find(job: str) -> Path:
    """The control socket of the one job of that name or key, or whose key begins so."""
    there, names = {path.stem: path for path in control_sockets()}, job_names()
    found = meant_by(job, there, names)
    if len(found) == 1:
        return there[found[0]]
    running = ", ".join(sorted(names.get(key, key) for key in found or there)) or "none"
    if found:
        raise LaunchError(f"JOB = {job}: could be any of {running}")
    raise LaunchError(f"JOB = {job or '(empty)'}: no such job of yours runs on this host; running: {running}")


def status(path: Path, seconds: float = STATUS_WITHIN) -> dict[str, Any]:
    """How the job behind this control socket stands."""
    return ask(path, {"kind": "status"}, seconds)


def ask(path: Path, question: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The answer to one question; NoAnswer when there is none within `seconds`, or nobody to give it."""
    frame = encode(dict(question))
    if frame is None:
        raise LaunchError("the question is too long")
    with Sockets() as sockets:
        dealer = sockets.dealer()
        dealer.connect(f"ipc://{path}")
        dealer.send(frame)
        return _answer(dealer, path, time.monotonic() + seconds)


def _answer(dealer: Socket, path: Path, deadline: float) -> dict[str, Any]:
    while True:
        rest = min(_LOOK_EVERY, deadline - time.monotonic())
        there = _is_open(path)
        # Looked for once more after the socket was found closed: an answer may have come just before that.
        if dealer.poll(max(0, int(rest * 1000)) if there else int(_LOOK_EVERY * 1000)):
            answer = decode(dealer.recv())
            if answer is not None:
                return answer
        elif not there:
            raise NoAnswer("its supervisor has ended")
        elif time.monotonic() >= deadline:
            raise NoAnswer("it did not answer in time")


def _removed_as_stale(path: Path) -> bool:
    if _is_open(path):
        return False
    with contextlib.suppress(OSError):
        # One that is just being made does not listen yet.
        if time.time() - path.lstat().st_mtime > _NEW_FOR:
            path.unlink()
    return True


def _is_open(path: Path) -> bool:
    """Whether somebody listens behind this control socket."""
    with socket.socket(socket.AF_UNIX) as attempt:
        attempt.setblocking(False)
        try:
            attempt.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:
            # A queue that is full is there, at least.
            return True
    return True
