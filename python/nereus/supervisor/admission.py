# SPDX-License-Identifier: BSD-3-Clause
"""Who is let in to our ZeroMQ sockets: not more than there are descriptors for, nor many unauthenticated.

The guard refuses connections by itself, whatever the owner of the sockets is busy with. The owner tells it,
now and then, how many more may come from the network: libzmq says who came, who went and that somebody showed
a key. And it tells its user of those that were refused.
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile

import zmq

from nereus.supervisor.descriptors import Guard, allowed_descriptors, guard

#: Who has not authenticated itself is cut off after so long.
HANDSHAKE_SECONDS = 10.0
#: Connections from the network at once of those who have not authenticated themselves yet.
MOST_UNAUTHENTICATED = 256
_UNAUTHENTICATED_SHARE = 4
_SAID_EVERY = 60.0
_TOLD = int(zmq.Event.ACCEPTED | zmq.Event.DISCONNECTED | zmq.Event.HANDSHAKE_SUCCEEDED)

Tell = Callable[[str], None]


@dataclass
class _Watched:
    """A socket on the network, and who came to it lately."""

    router: "zmq.Socket[bytes]"
    monitor: "zmq.Socket[bytes]"
    came: dict[int, float] = field(default_factory=dict)
    authenticated: deque[float] = field(default_factory=deque)

    def look(self, now: float) -> None:
        """Take note of what libzmq told."""
        from zmq.utils.monitor import recv_monitor_message  # brings asyncio; most sockets are of this host

        while True:
            try:
                told = recv_monitor_message(self.monitor, zmq.NOBLOCK)
            except zmq.ZMQError:
                return
            if told["event"] == zmq.Event.HANDSHAKE_SUCCEEDED:
                self.authenticated.append(now)
                continue
            self.came.pop(told["value"], None)
            if told["event"] == zmq.Event.ACCEPTED:  # the newest is the last
                self.came[told["value"]] = now

    def unauthenticated(self, now: float) -> int:
        """How many of those who are connected. libzmq does not say which ones they are."""
        since = now - HANDSHAKE_SECONDS
        while self.authenticated and self.authenticated[0] <= since:
            self.authenticated.popleft()
        young = sum(1 for _ in takewhile(lambda came: came > since, reversed(self.came.values())))
        return max(0, young - len(self.authenticated))

    def close(self) -> None:
        if not self.router.closed:
            self.router.disable_monitor()
        self.monitor.close(linger=0)


@dataclass
class _Reason:
    """Why connections are refused, and how many of them nobody was told of yet."""

    text: Callable[[], str]
    known: int
    untold: int = 0
    said: float = float("-inf")

    def look(self, refused: int, now: float, tell: Tell) -> None:
        self.untold += refused - self.known
        self.known = refused
        if self.untold == 0 or now - self.said < _SAID_EVERY:
            return
        whom = "a new connection was" if self.untold == 1 else f"{self.untold} new connections were"
        tell(f"{whom} refused: {self.text()}")
        self.untold, self.said = 0, now


class Admission:
    """All sockets of one owner; there is one owner of sockets on the network in a process."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", tell: Tell) -> None:
        """`tell` is told of those who were refused: once a minute at most, for each reason."""
        self._context, self._tell = context, tell
        self._guard: Guard | None = guard()
        self._watched: list[_Watched] = []
        refused = self._guard.refused() if self._guard is not None else (0, 0)
        self._reasons = [
            _Reason(text, known)
            for text, known in zip((too_few_left, too_many_unauthenticated), refused, strict=True)
        ]

    @property
    def guarded(self) -> bool:
        """Whether anybody is refused at all."""
        return self._guard is not None

    def watch(self, router: "zmq.Socket[bytes]") -> None:
        """A socket on the network, before it listens."""
        address = f"inproc://admission-{id(self)}-{len(self._watched)}"
        router.monitor(address, _TOLD)
        monitor = self._context.socket(zmq.PAIR)
        monitor.setsockopt(zmq.LINGER, 0)
        # Else libzmq would wait, in its own thread and with a lock, for an owner that does not look.
        monitor.setsockopt(zmq.RCVHWM, 0)
        monitor.connect(address)
        self._watched.append(_Watched(router, monitor))
        self.look()

    def look(self) -> None:
        """Let in as many as may come now, and tell of those who were refused."""
        if self._guard is None:
            return
        now = time.monotonic()
        if self._watched:
            for watched in self._watched:
                watched.look(now)
            waiting = sum(watched.unauthenticated(now) for watched in self._watched)
            self._guard.limit_network(most_unauthenticated() - waiting)
        for reason, refused in zip(self._reasons, self._guard.refused(), strict=True):
            reason.look(refused, now, self._tell)

    def close(self) -> None:
        """Before the context ends."""
        if self._guard is not None and self._watched:
            self._guard.limit_network(None)
        while self._watched:
            self._watched.pop().close()


def too_few_left() -> str:
    """Why nobody else is let in."""
    return f"of {allowed_descriptors()} descriptors (ulimit -n) too few are left"


def too_many_unauthenticated() -> str:
    """Why nobody else is let in from the network."""
    return f"{most_unauthenticated()} others have not authenticated themselves yet"


def most_unauthenticated() -> int:
    """How many connections may be waited for, of those who have not shown a key."""
    return min(MOST_UNAUTHENTICATED, allowed_descriptors() // _UNAUTHENTICATED_SHARE)
