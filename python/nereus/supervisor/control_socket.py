# SPDX-License-Identifier: BSD-3-Clause
"""The control socket of a job: this user's other programs ask there for its status and for another size.

Programs of other hosts ask at one on the network, where the job has one (network_control_socket.py).
"""

import contextlib
import errno
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import zmq

from nereus.launch.error import LaunchError
from nereus.launch.private_folder import make_folder, refuse_if_unsafe
from nereus.supervisor.descriptors import CONTROL_SOCKET_ENDING
from nereus.supervisor.frames import decode, encode
from nereus.supervisor.link_socket import MOST_AT_ONCE, send
from nereus.supervisor.sockets import Socket, Sockets

#: In the place of a job's key: the control socket of the daemon of all jobs.
DAEMON = "daemon"
# What has been answered may still be on its way when the job is over.
_LINGER_MILLISECONDS = 500
_TRIALS = 10
_PEER: Any = "Peer-Address"
_USER, _LEAST = -3, 3


def control_socket_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where this user's jobs have their control sockets."""
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    usable = runtime.startswith("/") and Path(runtime).is_dir()
    return Path(runtime) / "nereus" if usable else Path(f"/tmp/nereus-{os.geteuid()}")


def control_socket_of(job: str, folder: Path | None = None) -> Path:
    """Where the control socket of a job, or of the daemon, is or would be; in another folder, if given."""
    return (folder or control_socket_folder()) / f"{job}{CONTROL_SOCKET_ENDING}"


def check() -> None:
    """Refuse, before anything is started, where no control socket could be made."""
    folder = control_socket_folder()
    try:
        refuse_if_unsafe(folder)
    except FileNotFoundError:
        if not os.access(folder.parent, os.W_OK | os.X_OK):
            raise LaunchError(
                f"{folder}: cannot be made; control sockets of jobs are kept there, or below XDG_RUNTIME_DIR"
            ) from None


class Envelope(NamedTuple):
    """Who sent a message: where it came in, and what came before its content."""

    socket: Socket
    parts: list[bytes]

    def answer(self, message: dict[str, Any]) -> None:
        """Answer what was asked."""
        frame = encode(message)
        if frame is not None:
            send(self.socket, [*self.parts, frame])


class RequestSocket(ABC):
    """Where requests come in, and are answered one by one."""

    socket: Socket

    @abstractmethod
    def hears(self, content: zmq.Frame) -> bool:
        """Whether who sent this may ask."""

    def received(self) -> Iterator[tuple[Envelope, dict[str, Any] | None]]:
        """Who asks and what, None for what cannot be read; never waits."""
        for _ in range(MOST_AT_ONCE):
            try:
                parts = self.socket.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.ZMQError:
                return
            # A REQ socket puts an empty frame before its message, a DEALER does not; both may ask.
            if self.hears(parts[-1]) and len(parts) >= 2:
                yield Envelope(self.socket, [part.bytes for part in parts[:-1]]), decode(parts[-1].bytes)

    def close(self) -> None:
        """Close it for good."""
        self.socket.close(linger=_LINGER_MILLISECONDS)


class ControlSocket(RequestSocket):
    """A job's control socket; nobody but this user can open it, and processes of others are not heard."""

    def __init__(self, sockets: Sockets, job: str, dropped: Counter[str] | None = None) -> None:
        """Open it; in `dropped` is counted who was not heard."""
        self._dropped = dropped if dropped is not None else Counter()
        self.path = control_socket_of(job)
        self.socket = sockets.router()
        bind_private(self.socket, self.path)

    def hears(self, content: zmq.Frame) -> bool:
        """By what the system says of the other end."""
        if is_of_this_user(content):
            return True
        self._dropped["other user"] += 1
        return False

    def close(self) -> None:
        remove_socket(self.path)
        super().close()
        # The folder stays while other jobs have their control sockets in it.
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()


def is_of_this_user(frame: zmq.Frame) -> bool:
    """By what the kernel says of the other end of a local socket: NAME:USER:GROUP:PROCESS."""
    try:
        peer = str(frame.get(_PEER)).split(":")
    except zmq.ZMQError:
        return False
    return len(peer) >= _LEAST and peer[_USER] == str(os.geteuid())


def remove_socket(path: Path) -> None:
    """Remove a local socket, if it is there."""
    with contextlib.suppress(OSError):
        path.unlink()


def bind_private(router: Socket, path: Path) -> None:
    """Listen there, for this user alone; closes the socket where that cannot be."""
    remove_socket(path)
    former = os.umask(0o177)
    try:
        _bind(router, path)
        path.chmod(0o600)
    except (zmq.ZMQError, OSError) as problem:
        router.close(linger=0)
        raise LaunchError(f"{path}: cannot be made: {problem.strerror}") from problem
    except LaunchError:
        router.close(linger=0)
        raise
    finally:
        os.umask(former)


def _bind(router: Socket, path: Path) -> None:
    for trial in range(_TRIALS):
        make_folder(path.parent)
        try:
            router.bind(f"ipc://{path}")
            return
        except zmq.ZMQError as problem:
            # The last job but this one may just have removed the folder.
            if problem.errno != errno.ENOENT or trial == _TRIALS - 1:
                raise
