# SPDX-License-Identifier: BSD-3-Clause
"""A socket to the daemon of many jobs."""

from collections.abc import Iterator
from pathlib import Path

import zmq

from nereus.launch.command import CONTROLLER
from nereus.launch.error import LaunchError
from nereus.supervisor.site_record import read_client_keys
from nereus.supervisor.sockets import Socket, Sockets

_MOST_AT_ONCE = 64


def daemon_socket(sockets: Sockets, address: str, keys: Path | None) -> Socket:
    """LaunchError where the address or the keys cannot be used; a daemon that is not there may come."""
    known = read_client_keys(keys) if keys is not None else None
    socket = sockets.dealer()
    # What is not on its way at once is old when the daemon is there again.
    socket.setsockopt(zmq.IMMEDIATE, 1)
    if known is not None:
        socket.curve_serverkey = known.server.encode()
        socket.curve_publickey, socket.curve_secretkey = known.public.encode(), known.secret.encode()
    try:
        socket.connect(address)
    except zmq.ZMQError as problem:
        raise LaunchError(f"{CONTROLLER} = {address}: {problem.strerror}") from None
    return socket


def frames_from(socket: Socket) -> Iterator[bytes]:
    """That have come, a limited number of them; does not wait."""
    for _ in range(_MOST_AT_ONCE):
        try:
            yield socket.recv(zmq.NOBLOCK)
        except zmq.ZMQError:
            return
