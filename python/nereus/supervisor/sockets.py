# SPDX-License-Identifier: BSD-3-Clause
"""All ZeroMQ sockets of one owner: made here alone, and closed here together without waiting for anybody.

A context that ends while one of its sockets is open waits for that socket for ever, so nobody ends one
elsewhere (tests/python/test_conventions.py).
"""

import sys
from collections.abc import Collection
from types import TracebackType
from typing import Self

import zmq

from nereus.supervisor.admission import HANDSHAKE_SECONDS, Admission, Tell
from nereus.supervisor.curve import Gate, Pair
from nereus.supervisor.frames import MOST_BYTES

Socket = zmq.Socket[bytes]
# Connections that may come at once: jobs of a whole machine, after a restart.
_BACKLOG = 4096


class Sockets:
    """Use it in a `with` statement, or close it; what was handed out is closed with it."""

    def __init__(self, most: int | None = None, tell: Tell | None = None) -> None:
        """`most`: sockets that there may be; None: as many as ZeroMQ allows if nobody says anything.

        `tell`: who writes down that connections were refused; None: a line on stderr.
        """
        self._context: zmq.Context[Socket] = zmq.Context()
        if most is not None:
            self._context.max_sockets = most
        self._tell = tell or _complain
        self._admission: Admission | None = None
        self._gate: Gate | None = None

    def __enter__(self) -> Self:
        """Nothing to do: sockets are made when they are asked for."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all, however the block was left."""
        self.close()

    def dealer(self) -> Socket:
        """A socket that talks to one; messages that did not leave before it is closed are lost."""
        dealer = self._context.socket(zmq.DEALER)
        dealer.setsockopt(zmq.LINGER, 0)
        return dealer

    def router(self, network: bool = False) -> Socket:
        """A socket that talks to many; who sends more than a message may have is cut off.

        `network`: others than this user can come, of whom few are let in before they have shown a key. Then
        `look` is to be called again and again.
        """
        router = self._context.socket(zmq.ROUTER)
        router.setsockopt(zmq.LINGER, 0)
        router.setsockopt(zmq.MAXMSGSIZE, MOST_BYTES)
        router.setsockopt(zmq.BACKLOG, _BACKLOG)
        router.setsockopt(zmq.HANDSHAKE_IVL, int(1000 * HANDSHAKE_SECONDS))
        self._admission = self._admission or Admission(self._context, self._tell)
        if network:
            self._admission.watch(router)
        return router

    def guard(self, router: Socket, pair: Pair, clients: Collection[str]) -> None:
        """Before it listens on the network: nobody reaches it but who has one of these public keys."""
        self._gate = self._gate or Gate(self._context)
        self._gate.guard(router, pair, clients)

    @property
    def guarded(self) -> bool:
        """Whether those are refused for whom there is no descriptor; else libzmq ends the process then."""
        return self._admission is not None and self._admission.guarded

    def look(self) -> None:
        """Tell of connections that were refused, and let others in, as far as there is room."""
        if self._admission is not None:
            self._admission.look()

    def context(self) -> "zmq.Context[Socket]":
        """For sockets of other kinds, which are closed before `close`."""
        return self._context

    def close(self) -> None:
        """Close all sockets. One that was closed before, with a time to send what it has, has that time."""
        if self._admission is not None:
            self._admission.close()
            self._admission = None
        if self._gate is not None:
            self._gate.close()
            self._gate = None
        self._context.destroy(linger=0)


def _complain(text: str) -> None:
    print(f"nereus: {text}", file=sys.stderr, flush=True)
