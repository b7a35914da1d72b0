# SPDX-License-Identifier: BSD-3-Clause
"""Ways to kill the daemon of this process at a moment: each is called in it before the daemon begins."""

import os
import signal
import sqlite3
from collections.abc import Callable
from typing import Any, cast

from nereus.daemon.sessions import Address
from nereus.daemon.sockets import DaemonSockets
from nereus.daemon.store import Store


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def at_message(kind: str, number: int = 1) -> Callable[[], None]:
    """Before it sends that message of that kind."""
    wanted = f'"kind": "{kind}"'.encode()
    sent = 0
    send = DaemonSockets.send

    def send_or_die(line: DaemonSockets, to: Address, frame: bytes) -> None:
        nonlocal sent
        sent += wanted in frame
        if sent == number:
            _die()
        send(line, to, frame)

    return lambda: setattr(DaemonSockets, "send", send_or_die)


def in_store(what: str, moment: str, number: int = 1) -> Callable[[], None]:
    """In that transaction with a statement that begins so: before BEGIN, it, or COMMIT; "" is after all."""
    seen = 0
    write = Store._write

    def write_or_die(store: Store, rows: list[tuple[str, tuple[Any, ...]]]) -> None:
        nonlocal seen
        seen += any(statement.startswith(what) for statement, _ in rows)
        is_it = seen == number
        if is_it and moment:
            store.connection = cast(Any, _Dying(store.connection, moment))
        write(store, rows)
        if is_it:
            _die()

    return lambda: setattr(Store, "_write", write_or_die)


class _Dying:
    """A connection that kills its process before a statement."""

    def __init__(self, connection: sqlite3.Connection, moment: str) -> None:
        self._connection, self._moment = connection, moment

    def execute(self, statement: str, values: tuple[Any, ...] = ()) -> sqlite3.Cursor:
        if statement.startswith(self._moment):
            _die()
        return self._connection.execute(statement, values)
