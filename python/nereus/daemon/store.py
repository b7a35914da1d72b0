# SPDX-License-Identifier: BSD-3-Clause
"""What outlives the daemon: an SQLite file, written before anybody is told of what is in it.

What is to be written is collected, and written in one transaction by commit(). A file that cannot be written
any more, as on a full disk, stops nobody: it is said once, and all is written again when that works.
"""

import json
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path
from typing import Any

from nereus.coordinator.known_jobs import Command
from nereus.daemon.error import DaemonError
from nereus.daemon.events import Event
from nereus.daemon.places import own_name
from nereus.daemon.reservations import Wanted
from nereus.daemon.sessions import Held, Session
from nereus.daemon.tables import APPLICATION, PRUNING, TABLES, TRIM_PHASES, TRIM_SAMPLES, VERSION
from nereus.policy.prediction import IoPhase

RETRY_SECONDS = 10.0
#: After all that is old was removed; and between two pieces of it.
_PRUNE_SECONDS, _PIECE_SECONDS = 60.0, 0.1
_TIDY_ROWS, _MOST_ROWS = 1000, 20_000


def usual_place(environment: Mapping[str, str] = os.environ) -> Path:
    """A file for each host, since a home folder may be on several."""
    state = environment.get("XDG_STATE_HOME", "")
    base = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    return base / "nereus" / f"daemon-{own_name()}.sqlite"


class Store:
    def __init__(self, path: Path) -> None:
        """Open it, or make it; DaemonError where it is no such store or cannot be had."""
        self.path = path
        self.trouble: str | None = None
        self._rows: list[tuple[str, tuple[Any, ...]]] = []
        self._retry = 0.0
        self._prune = 0.0
        self._piece = 0  # of PRUNING, that is next
        self._written = 0  # rows since the file was tidied up
        self.connection = _opened(path)

    def came(self, session: Session) -> None:
        """One that was not there; phases of another of its name are not its own."""
        self._add("DELETE FROM phases WHERE job = ?", session.name)
        self.job(session)

    def job(self, session: Session) -> None:
        """All of a job: it came, or has other ranks now."""
        about = {
            key: getattr(session, key)
            for key in ("command", "mpi", "pid", "supervised", "hosts", "most", "generation", "opening")
        }
        self._add(
            "INSERT OR REPLACE INTO jobs VALUES (?, ?, ?, NULL, ?, ?, ?, ?, ?, ?, ?)",
            *(session.name, json.dumps(about), session.came, session.iteration, session.finished),
            *(session.io.phases, session.resizes),
            *(session.io.wait_seconds, session.io.service_seconds, session.io.bytes),
        )

    def gone(self, job: str, now: float) -> None:
        self._add("UPDATE jobs SET ended = ? WHERE name = ?", now, job)
        self._add("UPDATE commands SET state = 'over' WHERE job = ?", job)
        self.given_back(job)

    def held(self, job: str, held: Held) -> None:
        self._add("INSERT OR REPLACE INTO turns VALUES (?, ?, ?)", job, held.number, held.epoch)
        self._at_least("last_epoch", held.epoch)

    def given_back(self, job: str) -> None:
        self._add("DELETE FROM turns WHERE job = ?", job)

    def command(self, command: Command) -> None:
        self._add("INSERT OR REPLACE INTO commands VALUES (?, ?, ?, ?, ?, ?, ?, 'told')", *astuple(command))
        self._at_least("last_command", command.number)

    def cancelled(self, job: str, number: int, why: str, by: str) -> None:
        """Known or not: it is to be said until it is heard, and the command not to be carried out."""
        self._add(
            """INSERT INTO commands VALUES (?, ?, 0, NULL, ?, NULL, ?, 'cancelled') ON CONFLICT (number)
            DO UPDATE SET state = 'cancelled', why = excluded.why, by = excluded.by""",
            *(number, job, why, by),
        )

    def is_over(self, command: int) -> None:
        self._add("UPDATE commands SET state = 'over' WHERE number = ?", command)

    def wanted(self, wanted: Wanted) -> None:
        """Cores for a job that is not there yet; again, where they are granted."""
        self._add(
            """INSERT INTO reservations (job, ranks, granted) VALUES (?, ?, ?) ON CONFLICT (job)
            DO UPDATE SET granted = excluded.granted""",
            *astuple(wanted),
        )

    def not_wanted(self, job: str) -> None:
        self._add("DELETE FROM reservations WHERE job = ?", job)

    def sample(self, session: Session, ranks: int, seconds: float, now: float) -> None:
        self.learnt(session.command, session.name, ranks, seconds, now)

    def learnt(self, command: Sequence[str], job: str, ranks: int, seconds: float, now: float) -> None:
        """An iteration without I/O of a job that ran that command."""
        row = (program_of(command), job, ranks, seconds, now)
        self._add("INSERT INTO samples VALUES (?, ?, ?, ?, ?)", *row)
        self._add(TRIM_SAMPLES, row[0], ranks)

    def phase(self, session: Session, number: int, epoch: int, phase: IoPhase, size: int) -> None:
        times = (phase.start, phase.wait, phase.service)
        row = (session.name, number, epoch, *times, size, phase.iteration, phase.ranks, phase.resized)
        self._add("INSERT OR IGNORE INTO phases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *row)
        self._add(TRIM_PHASES, session.name, number)
        io = session.io
        self._add(
            """UPDATE jobs SET iteration = ?, finished = ?, phases = ?, wait_seconds = ?, service_seconds = ?,
            bytes = ? WHERE name = ?""",
            *(session.iteration, session.finished, io.phases, io.wait_seconds, io.service_seconds, io.bytes),
            session.name,
        )

    def event(self, event: Event) -> None:
        row = (event.number, event.time, event.job, event.kind, json.dumps(event.about))
        self._add("INSERT OR REPLACE INTO events VALUES (?, ?, ?, ?, ?)", *row)

    def begin_anew(self, now: float) -> None:
        """What is written next is all there is: what the file says of now is out of date."""
        self._rows.clear()
        self._add("UPDATE jobs SET ended = ? WHERE ended IS NULL", now)
        self._add("UPDATE commands SET state = 'over'")
        self._add("DELETE FROM turns")
        self._add("DELETE FROM reservations")

    def wants_all(self, now: float) -> bool:
        """Whether it is time to try again, with all that is to be in it."""
        return self.trouble is not None and now >= self._retry

    def commit(self, now: float) -> bool:
        """Write what was collected; whether it is in the file."""
        rows, self._rows = self._rows, []
        if self.trouble is not None and now < self._retry:
            return False
        try:
            self._write(rows)
        except (sqlite3.Error, OverflowError, UnicodeError) as problem:
            self.trouble, self._retry = str(problem), now + RETRY_SECONDS
            return False
        self.trouble = None
        return True

    def tidy(self, now: float, idle: bool) -> None:
        """What takes milliseconds: the file without what is old, and without a long journal, in which case
        that can wait until nobody does.
        """
        if self.trouble is not None:
            return
        with suppress(sqlite3.Error):  # nothing is lost, and the next commit says what is wrong
            if now >= self._prune:
                self._remove_some(now)
            if self._written >= (_TIDY_ROWS if idle else _MOST_ROWS):
                self._written = 0
                self.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        self.connection.close()

    def _write(self, rows: list[tuple[str, tuple[Any, ...]]]) -> None:
        if not rows:
            return
        self._written += len(rows)
        try:
            self.connection.execute("BEGIN IMMEDIATE")
            for statement, values in rows:
                self.connection.execute(statement, values)
            self.connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                self.connection.execute("ROLLBACK")
            raise

    def _remove_some(self, now: float) -> None:
        """A piece of what is old; the next one later, so that messages are heard meanwhile."""
        self._prune = now + _PIECE_SECONDS
        removed = self.connection.execute(PRUNING[self._piece]).rowcount
        self._written += removed
        if removed == 0:
            self._piece = (self._piece + 1) % len(PRUNING)
        if removed == 0 and self._piece == 0:
            self._prune = now + _PRUNE_SECONDS

    def _add(self, statement: str, *values: Any) -> None:
        self._rows.append((statement, values))

    def _at_least(self, name: str, value: int) -> None:
        self._add(
            """INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE
            SET value = max(value, excluded.value)""",
            *(name, value),
        )


def program_of(command: Sequence[str]) -> str:
    """By which times are found again that other jobs of the same program measured."""
    return json.dumps(list(command))


def _opened(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # As a file of this user alone before anything is in it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as problem:
        raise DaemonError(f"--store = {path}: {problem.strerror}") from None
    connection = sqlite3.connect(path, timeout=0.0, isolation_level=None)
    try:
        _prepare(connection, path)
    except sqlite3.Error as problem:
        connection.close()
        raise DaemonError(f"--store = {path}: {_reason(problem)}") from None
    except DaemonError:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # Another daemon does not write it meanwhile, and after a kill the last transaction is there or is not.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and application != APPLICATION:
        raise DaemonError(f"--store = {path}: is a file of another program")
    if tables and version != VERSION:
        raise DaemonError(f"--store = {path}: has version {version}; allowed is {VERSION}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 0")
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES if not tables else ():
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _reason(problem: sqlite3.Error) -> str:
    if problem.sqlite_errorname == "SQLITE_BUSY":
        return "another daemon has it; --store takes another file"
    return str(problem)
