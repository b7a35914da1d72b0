# SPDX-License-Identifier: BSD-3-Clause
"""What the store knows: after a restart who was there, had a turn and was told what; events of before."""

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from nereus.coordinator.known_jobs import Command
from nereus.daemon.reservations import Wanted
from nereus.daemon.rows import Happened, Job, Meta, Phase, Reserved, Sample, Told, Turn, checked, good
from nereus.daemon.sessions import Held, Io, Session
from nereus.daemon.store import Store, program_of
from nereus.daemon.tables import SAMPLES_KEPT
from nereus.policy.performance import Measured
from nereus.policy.prediction import IoPhase


@dataclass(frozen=True)
class RecoveredState:
    sessions: list[Session] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    cancelled: list[Command] = field(default_factory=list)
    reservations: list[Wanted] = field(default_factory=list)
    known: dict[str, tuple[list[IoPhase], list[Measured]]] = field(default_factory=dict)
    last_epoch: int = 0
    last_command: int = 0
    last_event: int = 0


def recovered_state(store: Store) -> RecoveredState:
    rows = store.connection.execute
    jobs = checked(Job, rows("SELECT * FROM jobs WHERE ended IS NULL ORDER BY came, name"))
    sessions = [_session(job) for job in jobs]
    turns = checked(Turn, rows("SELECT job, number, epoch FROM turns"))
    held = {turn.job: Held(turn.number, turn.epoch) for turn in turns}
    for session in sessions:
        session.held = held.get(session.name)
        session.asked = max(session.finished, session.held.number if session.held else 0)
    meta = {each.name: each.value for each in checked(Meta, rows("SELECT name, value FROM meta"))}
    (last_event,) = rows("SELECT coalesce(max(number), 0) FROM events").fetchone()
    return RecoveredState(
        sessions,
        _commands(store.connection, "told"),
        _commands(store.connection, "cancelled"),
        _reservations(store.connection),
        {session.name: (_phases(store.connection, session), _times(store, session)) for session in sessions},
        meta.get("last_epoch", 0),
        meta.get("last_command", 0),
        last_event,
    )


def profile(store: Store, session: Session) -> list[Measured]:
    """The latest times of iterations that other jobs of the same program had, on each number of ranks; none
    where the file cannot be read.
    """
    values = {"program": program_of(session.command), "job": session.name, **_MOST}
    with suppress(sqlite3.Error):
        return _measured(good(Sample, store.connection.execute(_PROFILE, values)))
    return []


def events_since(store: Store, number: int, before: int, most: int) -> list[dict[str, Any]]:
    """Those after `number` and before another; none where the file cannot be read."""
    rows: list[Happened] = []
    with suppress(sqlite3.Error):
        found = store.connection.execute(
            """SELECT number, time, job, event, about FROM events WHERE number > ? AND number < ?
            ORDER BY number LIMIT ?""",
            (number, before, most),
        )
        rows = good(Happened, found)
    return [
        {
            **each.about,
            **{"number": each.number, "time_unix": round(each.time, 6), "job": each.job, "event": each.event},
        }
        for each in rows
    ]


# From one number of ranks to the next by the index: however many rows there are, few are read.
_MOST = {"sizes": 256, "times": SAMPLES_KEPT}
_PROFILE = """
    WITH RECURSIVE sizes (ranks) AS (
        SELECT min(ranks) FROM samples WHERE program = :program
        UNION ALL
        SELECT (SELECT min(ranks) FROM samples WHERE program = :program AND ranks > sizes.ranks)
        FROM sizes WHERE sizes.ranks IS NOT NULL LIMIT :sizes
    )
    SELECT samples.ranks, samples.seconds FROM sizes JOIN samples ON samples.rowid IN (
        SELECT rowid FROM samples WHERE program = :program AND ranks = sizes.ranks
        ORDER BY rowid DESC LIMIT :times
    ) WHERE samples.job != :job"""


def _session(job: Job) -> Session:
    return Session(
        name=job.name,
        **job.about.model_dump(),
        iteration=job.iteration,
        came=job.came,
        finished=job.finished,
        io=Io(job.phases, job.wait_seconds, job.service_seconds, job.bytes),
        resizes=job.resizes,
    )


def _commands(connection: sqlite3.Connection, state: str) -> list[Command]:
    rows = connection.execute(
        """SELECT number, job, ranks, at, why, loan, by FROM commands WHERE state = ? AND job IN
        (SELECT name FROM jobs WHERE ended IS NULL) ORDER BY number""",
        (state,),
    )
    return [Command(**dict(each)) for each in checked(Told, rows)]


def _reservations(connection: sqlite3.Connection) -> list[Wanted]:
    """Those that were granted first."""
    rows = connection.execute("SELECT job, ranks, granted FROM reservations ORDER BY granted DESC, number")
    return [Wanted(each.job, each.ranks, bool(each.granted)) for each in checked(Reserved, rows)]


def _phases(connection: sqlite3.Connection, session: Session) -> list[IoPhase]:
    rows = connection.execute(
        """SELECT start, wait_seconds, service_seconds, iteration, ranks, resized FROM
        (SELECT * FROM phases WHERE job = ? ORDER BY number DESC LIMIT 64) ORDER BY number""",
        (session.name,),
    )
    return [
        IoPhase(
            each.start,
            each.wait_seconds,
            each.service_seconds,
            each.iteration,
            each.ranks,
            bool(each.resized),
        )
        for each in checked(Phase, rows)
    ]


def _times(store: Store, session: Session) -> list[Measured]:
    statement = "SELECT ranks, seconds FROM samples WHERE job = ? ORDER BY rowid DESC LIMIT 200"
    return _measured(checked(Sample, store.connection.execute(statement, (session.name,))))


def _measured(rows: Iterable[Sample]) -> list[Measured]:
    return [Measured(each.ranks, each.seconds) for each in rows]
