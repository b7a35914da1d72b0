# SPDX-License-Identifier: BSD-3-Clause
"""Lets in who comes to our ZeroMQ sockets, as long as there are descriptors for it.

libzmq ends the whole process when somebody comes to a local socket and no descriptor is free. So some are
kept free, and whoever would take one of these is sent away: that is the newest, and who is connected stays.
A thread does so at once, whatever its owner is busy with. It uses no socket of the owner's: libzmq tells it
of each connection by the number of its descriptor, and the connection is shut down under libzmq's feet. A
local socket has another name until there is room again: libzmq takes in connections faster than they can be
ended.
"""

import contextlib
import os
import resource
import signal
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

import zmq

#: Connections to a local socket that may wait to be taken in; who comes then waits himself, so that no crowd
#: is taken in before the thread had its turn.
BACKLOG = 4
#: Who has not shown that it may come is cut off after so long.
HANDSHAKE_SECONDS = 10.0
#: Connections at once of those who have not shown yet that they may come.
MOST_STRANGERS = 256
#: What the name of a local socket ends in while there is no room.
FULL = ".full"
# Of the descriptors that there may be, so many are kept free: a share, and no more than a number. They last
# until the thread has its turn, 5 ms later at worst; libzmq takes in 40 connections in a millisecond.
_RESERVE_SHARE, _MOST_RESERVE = 2, 1024
_STRANGERS_SHARE = 4
_LOOK_MILLISECONDS = 50
_LOCAL = b"ipc://"
_UNLIMITED = 1 << 20
_SAID_EVERY = 60.0
_EVENT = struct.Struct("=HI")
_TOLD = int(zmq.Event.ACCEPTED | zmq.Event.DISCONNECTED | zmq.Event.HANDSHAKE_SUCCEEDED | zmq.Event.LISTENING)

Tell = Callable[[str], None]


@dataclass
class Entrance:
    """One socket to which others come: who has come lately, and how many descriptors it leaves free."""

    monitor: "zmq.Socket[bytes]"
    #: Whether strangers can come: who is known must show a key.
    strangers: bool
    #: Whether it is to be open when others are full already: it may take a quarter of what is kept free.
    last: bool
    came: dict[int, float] = field(default_factory=dict)
    shown: deque[float] = field(default_factory=deque)
    refused: int = 0
    said: float = float("-inf")
    #: Of a local socket.
    path: Path | None = None
    #: Whether nobody finds it at present.
    hidden: bool = False

    def is_full(self, descriptor: int) -> bool:
        """Whether this descriptor is one of those that are kept free."""
        most = allowed_descriptors()
        # The system gives away the lowest descriptor that is free: all below it are in use.
        return descriptor >= most - reserve(most) * (3 if self.last else 4) // 4

    def has_too_many_strangers(self, now: float) -> bool:
        """Whether more wait than may wait, of those who have not shown a key."""
        return self.strangers and self._strangers(now) > most_strangers()

    def hide_if(self, full: bool) -> None:
        """Let nobody find a local socket while there is no room; who is connected stays so."""
        if self.path is None or full == self.hidden:
            return
        shown, hidden = self.path, Path(f"{self.path}{FULL}")
        self.hidden = full
        with contextlib.suppress(OSError):
            if full:
                shown.rename(hidden)
            elif not shown.exists():
                hidden.rename(shown)

    def _strangers(self, now: float) -> int:
        since = now - HANDSHAKE_SECONDS
        while self.shown and self.shown[0] <= since:
            self.shown.popleft()
        young = sum(1 for _ in takewhile(lambda came: came > since, reversed(self.came.values())))
        return young - len(self.shown)


def allowed_descriptors() -> int:
    """How many this process may have."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if most != resource.RLIM_INFINITY else _UNLIMITED


def too_few_left() -> str:
    """Why nobody else is let in."""
    return f"of {allowed_descriptors()} descriptors (ulimit -n) too few are left"


def reserve(most: int) -> int:
    """How many of them connections leave free."""
    return min(most // _RESERVE_SHARE, _MOST_RESERVE)


def most_strangers() -> int:
    """How many connections may be waited for, of those who have not shown a key."""
    return min(MOST_STRANGERS, allowed_descriptors() // _STRANGERS_SHARE)


class Admission:
    """The thread; it begins with the first entrance and ends with `close`, before the sockets do."""

    def __init__(self, context: "zmq.Context[zmq.Socket[bytes]]", tell: Tell) -> None:
        """`tell` is told, in this thread, that somebody was sent away and why: once a minute at most."""
        self._context, self._tell = context, tell
        self._entrances: list[Entrance] = []
        self._new: deque[Entrance] = deque()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._over = False
        self._thread = threading.Thread(target=self._live, name="admission", daemon=True)

    def watch(self, router: "zmq.Socket[bytes]", strangers: bool, last: bool) -> None:
        """Before the socket listens, by the thread that owns it."""
        address = f"inproc://admission-{id(self)}-{len(self._entrances) + len(self._new)}"
        router.monitor(address, _TOLD)
        monitor = self._context.socket(zmq.PAIR)
        monitor.setsockopt(zmq.LINGER, 0)
        monitor.connect(address)
        self._new.append(Entrance(monitor, strangers, last))
        if not self._thread.is_alive():
            self._start()
        os.eventfd_write(self._wake, 1)

    def close(self) -> None:
        """Nobody is sent away any more."""
        self._over = True
        os.eventfd_write(self._wake, 1)
        if self._thread.is_alive():
            self._thread.join()
        os.close(self._wake)

    def _start(self) -> None:
        # Signals are the owner's: they end its waits.
        former = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._thread.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)

    def _live(self) -> None:
        poller = zmq.Poller()
        poller.register(self._wake, zmq.POLLIN)
        while not self._over:
            while self._new:
                entrance = self._new.popleft()
                self._entrances.append(entrance)
                poller.register(entrance.monitor, zmq.POLLIN)
            hidden = any(entrance.hidden for entrance in self._entrances)
            found = dict(poller.poll(_LOOK_MILLISECONDS if hidden else None))
            self._hide_or_show()
            if self._wake in found:
                os.eventfd_read(self._wake)
            for entrance in self._entrances:
                if entrance.monitor in found:
                    self._take_in(entrance)
        for entrance in (*self._entrances, *self._new):
            entrance.monitor.close(linger=0)

    def _hide_or_show(self) -> None:
        try:
            next_one = os.dup(self._wake)
            os.close(next_one)
        except OSError:
            next_one = allowed_descriptors()  # there is none
        for entrance in self._entrances:
            seen = not entrance.hidden
            entrance.hide_if(entrance.is_full(next_one))
            if seen and entrance.hidden:  # who does not find it is refused too
                self._tell_of(entrance, f"{_LOCAL.decode()}{entrance.path}", too_few_left(), time.monotonic())

    def _take_in(self, entrance: Entrance) -> None:
        while True:
            try:
                event, address = entrance.monitor.recv_multipart(zmq.NOBLOCK)
            except zmq.ZMQError:
                return
            kind, value = _EVENT.unpack(event)
            now = time.monotonic()
            if kind == zmq.Event.ACCEPTED:
                self._came(entrance, value, os.fsdecode(address), now)
            elif kind == zmq.Event.LISTENING and address.startswith(_LOCAL):
                entrance.path = Path(os.fsdecode(address[len(_LOCAL) :]))
            elif kind == zmq.Event.DISCONNECTED:
                entrance.came.pop(value, None)
            elif kind == zmq.Event.HANDSHAKE_SUCCEEDED:
                entrance.shown.append(now)

    def _came(self, entrance: Entrance, descriptor: int, address: str, now: float) -> None:
        entrance.came.pop(descriptor, None)  # the newest is the last
        entrance.came[descriptor] = now
        if entrance.is_full(descriptor):
            entrance.hide_if(True)
            why = too_few_left()
        elif entrance.has_too_many_strangers(now):
            why = f"{most_strangers()} others have not shown yet that they may come"
        else:
            return
        shut(descriptor)
        self._tell_of(entrance, address, why, now)

    def _tell_of(self, entrance: Entrance, address: str, why: str, now: float) -> None:
        entrance.refused += 1
        if now - entrance.said < _SAID_EVERY:
            return
        number = entrance.refused
        whom = "a new connection was" if number == 1 else f"{number} new connections were"
        entrance.said, entrance.refused = now, 0
        self._tell(f"{address}: {whom} refused: {why}")


def shut(descriptor: int) -> None:
    """End a connection of which libzmq has the descriptor, and closes it then.

    Where it was closed meanwhile and given away again, another connection may end; what listens goes on.
    """
    with contextlib.suppress(OSError):
        connection = socket.socket(fileno=descriptor)
        try:
            if not connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                connection.shutdown(socket.SHUT_RDWR)
        finally:
            connection.detach()
