# SPDX-License-Identifier: BSD-3-Clause
"""The sockets by which jobs come: `daemon.line` for this user's, one on the network by keys."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import zmq

from nereus.daemon.error import DaemonError
from nereus.daemon.keys import ServerKeys
from nereus.daemon.sessions import Address
from nereus.supervisor.control_socket import bind_private, is_of_this_user, remove_socket
from nereus.supervisor.curve import Pair
from nereus.supervisor.link_socket import MOST_AT_ONCE, send
from nereus.supervisor.sockets import Sockets


class DaemonSockets:
    """Messages that have come, of this user's processes alone; `dropped` counts the others, and `waits` says
    whether some are left.
    """

    def __init__(self, sockets: Sockets, path: Path) -> None:
        self.dropped: Counter[str] = Counter()
        self.waits = False
        self._sockets = sockets
        self.path = path
        local = sockets.router()
        try:
            bind_private(local, path)
        except BaseException:
            local.close(linger=0)
            raise
        self.sockets = [local]

    def listen(self, address: str, keys: ServerKeys, or_at: str | None = None) -> str:
        """On the network too; the address, with the port. `or_at`: where else, if that one is in use."""
        far = self._sockets.router(network=True)
        self.sockets.append(far)
        self._sockets.guard(far, Pair(keys.public, keys.secret), keys.clients)
        try:
            far.bind(address)
        except zmq.ZMQError as problem:
            if or_at is None:
                raise DaemonError(f"--listen = {address}: {problem.strerror}") from None
            far.bind(or_at)
        return far.getsockopt_string(zmq.LAST_ENDPOINT).rstrip("\0")

    def received(self) -> Iterator[tuple[Address, bytes]]:
        """Never waits. Of each connection one message after that of another, so that none is starved."""
        self.waits = False
        for number, socket in enumerate(self.sockets):
            for _ in range(MOST_AT_ONCE):
                try:
                    parts = socket.recv_multipart(zmq.NOBLOCK, copy=False)
                except zmq.ZMQError:
                    break
                if len(parts) != 2:
                    self.dropped["malformed"] += 1
                elif number == 0 and not is_of_this_user(parts[1]):
                    self.dropped["other user"] += 1
                else:
                    yield (number, parts[0].bytes), parts[1].bytes
            else:
                self.waits = True

    def send(self, to: Address, frame: bytes) -> None:
        """Or drop it: nobody is waited for."""
        send(self.sockets[to[0]], [to[1], frame])

    def close(self) -> None:
        for socket in self.sockets:
            socket.close(linger=0)
        remove_socket(self.path)
