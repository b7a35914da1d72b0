# SPDX-License-Identifier: BSD-3-Clause
"""A trial to connect to a control socket: whether somebody listens there, found out without waiting."""

import errno
import socket
from pathlib import Path

from nereus.supervisor.network_address import NetworkAddress

_NOBODY = (errno.ECONNREFUSED, errno.ENOENT)


class ListenerTrial:
    """Under way until `refused` is known; then its descriptor is closed."""

    def __init__(self, where: Path | NetworkAddress) -> None:
        """Begin; at a socket of this host it is over at once."""
        local = isinstance(where, Path)
        self._socket = socket.socket(socket.AF_UNIX if local else socket.AF_INET)
        self._socket.setblocking(False)
        self.refused: bool | None = None
        try:
            target = str(where) if isinstance(where, Path) else (where.host, where.port)
            code = self._socket.connect_ex(target)
        except OSError:  # as of a path that is too long for a socket
            code = errno.EINVAL
        if code != errno.EINPROGRESS:
            self._end(code)

    @property
    def descriptor(self) -> int | None:
        """It can be written to when the trial is over; None: it is."""
        return None if self.refused is not None else self._socket.fileno()

    def look(self) -> None:
        """Take note of how it ended; only after it has."""
        if self.refused is None:
            self._end(self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))

    def close(self) -> None:
        """Give it up, where it is under way."""
        self._socket.close()

    def _end(self, code: int) -> None:
        # Whatever else is wrong, as a queue that is full or a network that is down: somebody may be there.
        self.refused = code in _NOBODY
        self._socket.close()
