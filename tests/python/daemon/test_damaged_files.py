# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a daemon that says what is wrong with its files in a line, without a traceback."""

import contextlib
import json
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pytest
from a_daemon import SocketlessDaemon, hello
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.coordinator.known_jobs import Command
from nereus.daemon import DaemonError
from nereus.daemon.daemon import read_store
from nereus.daemon.events import Events
from nereus.daemon.executor import CommandExecutor
from nereus.daemon.keys import SERVER, make_keys, read_keys
from nereus.daemon.policy_guard import PolicyGuard
from nereus.daemon.recovery import events_since, profile
from nereus.daemon.reservations import Wanted
from nereus.daemon.sessions import Held
from nereus.daemon.state import Chosen, DaemonState
from nereus.daemon.store import Store
from nereus.policy.parameters import Parameters
from nereus.policy.policies import BY_NAME
from nereus.policy.prediction import IoPhase

A = "a" * 16
TABLES = ("meta", "jobs", "phases", "samples", "turns", "reservations", "commands", "events")


def fill(store: Store) -> None:
    """A row of each kind, of a job that was there when the daemon ended."""
    socketless = SocketlessDaemon()
    try:
        socketless.receive(hello(A))
        session = socketless.state.sessions[A]
    finally:
        socketless.close()
    store.came(session)
    store.held(A, Held(2, 5))
    store.command(Command(7, A, 3, 40, "why", None, "policy"))
    store.wanted(Wanted("b" * 16, 2, granted=True))
    store.sample(session, 2, 0.5, 1e9)
    store.learnt(session.command, "c" * 16, 2, 0.5, 1e9)
    store.phase(session, 1, 4, IoPhase(1e9, 0.0, 1.0, 3, 1), 100)
    for event in socketless.state.events.since(0, 10):
        store.event(event)
    assert store.commit(1e9)


def columns(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    return [
        (table, column)
        for table in TABLES
        for _, column, *_ in connection.execute(f"PRAGMA table_info({table})")
    ]


def resume(store: Store) -> DaemonState:
    before = read_store(store)
    chosen = Chosen("fair", {"h": 4}, Parameters())
    last = (before.last_epoch, before.last_command)
    guard = PolicyGuard(BY_NAME["fair"](), print)
    state = DaemonState(chosen, guard, store, Events(store.event), last)
    CommandExecutor(state, guard).resume(before, 1e9)
    return state


def look_at_all(store: Store) -> None:
    """What a daemon reads while it runs."""
    for session in resume(store).sessions.values():
        profile(store, session)
    assert isinstance(json.dumps(events_since(store, 0, 2**53, 1000)), str)


strange = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(max_size=40),
    st.binary(max_size=40),
    st.none(),
    st.sampled_from(
        ["{}", "[]", "null", '{"command": 1}', "[" * 5000, '{"a": 1e999}', A, "A" * 16, "b" * 16]
    ),
)


# Each example writes a store.
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_store_with_a_strange_value_is_read_or_refused_with_one_line(data: st.DataObject) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(Store(Path(folder) / "s.sqlite")) as store,
    ):
        fill(store)
        table, column = data.draw(st.sampled_from(columns(store.connection)))
        with contextlib.suppress(sqlite3.IntegrityError):
            store.connection.execute(f"UPDATE {table} SET {column} = ?", (data.draw(strange),))
        try:
            look_at_all(store)
        except DaemonError as problem:
            assert str(problem).isprintable() and "--store takes another file" in str(problem)


def test_invalid_row_is_reported(tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "s.sqlite")) as store:
        fill(store)
        store.connection.execute("UPDATE jobs SET iteration = 'ten\x1b[2J'")
        with pytest.raises(DaemonError, match=f'cannot be read: job "{A}": iteration: Input should be'):
            look_at_all(store)


@pytest.mark.parametrize(
    "changed",
    [
        {"public": "\udcff" * 40},
        {"public": "ü" * 40},
        {"secret": "~" * 40},
        {"secret": "#" * 40},
        {"clients": [" " * 40]},
        {"clients": "no list"},
        {"public": "0" * 40},
    ],
)
def test_invalid_keys_are_refused_with_one_line(tmp_path: Path, changed: dict[str, Any]) -> None:
    make_keys(tmp_path / "keys")
    path = tmp_path / "keys" / SERVER
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    with pytest.raises(DaemonError, match="are no keys of --make-keys"):
        read_keys(tmp_path / "keys")


def test_generated_keys_are_read(tmp_path: Path) -> None:
    make_keys(tmp_path / "keys")
    assert read_keys(tmp_path / "keys").clients


@given(st.binary(max_size=300))
def test_any_bytes_as_keys_are_refused_with_one_line(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / SERVER).write_bytes(content)
        with pytest.raises(DaemonError, match="are no keys of --make-keys"):
            read_keys(Path(folder))
