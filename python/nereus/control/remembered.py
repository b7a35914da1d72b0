# SPDX-License-Identifier: BSD-3-Clause
"""What the store knows: after a restart who was there, had a turn and was told what; events of before."""

import json
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from nereus.control.sessions import Held, Io, Session
from nereus.control.store import Store, program_of
from nereus.policy.known_jobs import Command
from nereus.policy.performance import Measured
from nereus.policy.prediction import IoPhase


@dataclass(frozen=True)
class Remembered:
    sessions: list[Session] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    cancelled: list[Command] = field(default_factory=list)
    known: dict[str, tuple[list[IoPhase], list[Measured]]] = field(default_factory=dict)
    last_epoch: int = 0
    last_command: int = 0
    last_event: int = 0


def remembered(store: Store) -> Remembered:
    rows = store.connection.execute
    sessions = [_session(row) for row in rows("SELECT * FROM jobs WHERE ended IS NULL ORDER BY came, name")]
    held = {job: Held(number, epoch) for job, number, epoch in rows("SELECT job, number, epoch FROM turns")}
    for session in sessions:
        session.held = held.get(session.name)
        session.asked = max(session.finished, session.held.number if session.held else 0)
    meta = dict(rows("SELECT name, value FROM meta"))
    (last_event,) = rows("SELECT coalesce(max(number), 0) FROM events").fetchone()
    return Remembered(
        sessions,
        _commands(store.connection, "told"),
        _commands(store.connection, "cancelled"),
        {session.name: (_phases(store.connection, session), _times(store, session)) for session in sessions},
        meta.get("last_epoch", 0),
        meta.get("last_command", 0),
        last_event,
    )


def profile(store: Store, session: Session) -> list[Measured]:
    """Times of iterations that other jobs of the same program had; none where the file cannot be read."""
    statement = "SELECT ranks, seconds FROM samples WHERE program = ? AND job != ?"
    with suppress(sqlite3.Error):
        return _measured(store.connection.execute(statement, (program_of(session.command), session.name)))
    return []


def events_since(store: Store, number: int, before: int, most: int) -> list[dict[str, Any]]:
    """Those after `number` and before another; none where the file cannot be read."""
    rows: list[tuple[int, float, str, str, str]] = []
    with suppress(sqlite3.Error):
        rows = store.connection.execute(
            """SELECT number, time, job, event, about FROM events WHERE number > ? AND number < ?
            ORDER BY number LIMIT ?""",
            (number, before, most),
        ).fetchall()
    return [
        {"number": each, "time_unix": round(time, 6), "job": job, "event": kind, **json.loads(about)}
        for each, time, job, kind, about in rows
    ]


def _session(row: tuple[Any, ...]) -> Session:
    name, about, came, _, iteration, finished, phases, resizes, waited, served, size = row
    return Session(
        name=name,
        **json.loads(about),
        iteration=iteration,
        came=came,
        finished=finished,
        io=Io(phases, waited, served, size),
        resizes=resizes,
    )


def _commands(connection: sqlite3.Connection, state: str) -> list[Command]:
    rows = connection.execute(
        """SELECT number, job, ranks, at, why, loan, by FROM commands WHERE state = ? AND job IN
        (SELECT name FROM jobs WHERE ended IS NULL) ORDER BY number""",
        (state,),
    )
    return [Command(*row) for row in rows]


def _phases(connection: sqlite3.Connection, session: Session) -> list[IoPhase]:
    rows = connection.execute(
        """SELECT start, wait_seconds, service_seconds, iteration, ranks, resized FROM
        (SELECT * FROM phases WHERE job = ? ORDER BY number DESC LIMIT 64) ORDER BY number""",
        (session.name,),
    )
    return [
        IoPhase(start, wait, service, iteration, ranks, bool(resized))
        for start, wait, service, iteration, ranks, resized in rows
    ]


def _times(store: Store, session: Session) -> list[Measured]:
    statement = "SELECT ranks, seconds FROM samples WHERE job = ? ORDER BY rowid DESC LIMIT 200"
    return _measured(store.connection.execute(statement, (session.name,)))


def _measured(rows: Iterable[tuple[int, float]]) -> list[Measured]:
    return [Measured(ranks, seconds) for ranks, seconds in rows if seconds > 0]
