# SPDX-License-Identifier: BSD-3-Clause
"""The supervisor's socket for the processes of its job."""

import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zmq

from nereus.launch.command import Launch
from nereus.launch.error import LaunchError
from nereus.launch.hosts import is_here
from nereus.launch.private_folder import refuse_if_unsafe
from nereus.supervisor.frames import encode
from nereus.supervisor.link_keys import LinkKeys
from nereus.supervisor.sockets import Socket, Sockets

# Messages handled in one go, so that a flood from one side cannot keep the supervisor from everything else.
MOST_AT_ONCE = 256


class LinkSocket:
    """Where the root and the leaders of a job are heard and spoken to."""

    def __init__(self, sockets: Sockets, folder: Path, launch: Launch, job: str) -> None:
        """Listen in `folder`, or on the network where the job has other hosts: there for who has its keys."""
        self.socket = sockets.router(network=launch.reach.far)
        self._own_folder: Path | None = None
        self._keys: LinkKeys | None = None
        try:
            # Who was cut off comes back under the name that it chose, which nobody else knows.
            self.socket.setsockopt(zmq.ROUTER_HANDOVER, 1)
            if launch.reach.far:
                self._keys = LinkKeys(job)
                sockets.guard(self.socket, self._keys.server, [self._keys.client.public])
                self.address = self._listen_far(launch)
            else:
                self.address = self._listen_here(folder)
        except BaseException as problem:
            self.close()
            if isinstance(problem, zmq.ZMQError | OSError):
                raise LaunchError(f"the link to the job cannot be made: {problem}") from problem
            raise

    @property
    def environment(self) -> dict[str, str]:
        """How processes of the job find this socket; no secret is in it."""
        where = {"NEREUS_LINK": self.address}
        return where if self._keys is None else {**where, "NEREUS_LINK_KEYS": str(self._keys.file)}

    def received(self) -> Iterator[tuple[bytes, bytes]]:
        """Senders and frames of what has come; never waits."""
        for parts in receive(self.socket):
            if len(parts) == 2:
                yield parts[0], parts[1]

    def send(self, receiver: bytes, message: dict[str, Any]) -> None:
        """Send, if the receiver is still there."""
        frame = encode(message)
        if frame is not None:
            send(self.socket, [receiver, frame])

    def close(self) -> None:
        """Hear nobody any more."""
        self.socket.close(linger=0)
        if self._keys is not None:
            self._keys.remove()
        if self._own_folder is not None:
            shutil.rmtree(self._own_folder, ignore_errors=True)

    def _listen_here(self, folder: Path) -> str:
        path = folder / "link"
        if len(str(path).encode()) >= zmq.IPC_PATH_MAX_LEN:
            # A folder with a short name, for users whose temporary folder has a long one.
            self._own_folder = Path(tempfile.mkdtemp(prefix="nereus-", dir="/tmp"))
            path = self._own_folder / "link"
        # Without keys it is the folder that keeps others out.
        refuse_if_unsafe(path.parent, "a job is spoken to there")
        self.socket.bind(f"ipc://{path}")
        return f"ipc://{path}"

    def _listen_far(self, launch: Launch) -> str:
        address = own_address([host.name for host in launch.reach.hosts if not is_here(host.name)])
        port = self.socket.bind_to_random_port(f"tcp://{address}")
        return f"tcp://{address}:{port}"


def own_address(others: list[str]) -> str:
    """The address by which the hosts `others` can reach this one."""
    try:
        own = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)[0][4][0]
    except OSError:
        own = "127.0.0.1"
    if not str(own).startswith("127."):
        return str(own)
    # Debian gives a host's own name a loopback address: take the one from which the way to the others goes.
    # Where there are none yet, the way to the world outside; nothing is sent (RFC 5737).
    others = others or ["192.0.2.1"]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect((others[0], 9))
        except OSError as problem:
            raise LaunchError(
                f"--hosts: {others[0]} cannot be reached from here: {problem.strerror or problem}"
            ) from problem
        return str(way.getsockname()[0])


def receive(router: Socket) -> Iterator[list[bytes]]:
    """Messages that have come; never waits."""
    for _ in range(MOST_AT_ONCE):
        try:
            yield router.recv_multipart(zmq.NOBLOCK)
        except zmq.ZMQError:
            return


def send(router: Socket, parts: list[bytes]) -> None:
    """Send, or drop what cannot be sent at once: nobody is waited for."""
    try:
        router.send_multipart(parts, zmq.NOBLOCK)
    except zmq.ZMQError:
        return
