# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: disk, to a store that only grows; cores of one job, to another after a restart."""

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nereus.daemon.recovery import profile
from nereus.daemon.sessions import Session
from nereus.daemon.store import Store
from nereus.daemon.tables import PHASES_KEPT, SAMPLES_KEPT
from nereus.policy.prediction import IoPhase

MOST_EVENTS, MOST_COMMANDS, MOST_JOBS, MOST_SAMPLES = 100_000, 10_000, 1000, 100_000
OLD = 3000  # more rows than that
PROGRAM = ["./cg", "100"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "store.sqlite")
    yield made
    made.close()


def session(name: str, command: list[str] = PROGRAM) -> Session:
    return Session(name, command, "mpich", 1, True, ["localhost"], 4, 0, 0, 1.0)


def rows(connection: sqlite3.Connection, table: str) -> int:
    (found,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(found)


def fill(
    connection: sqlite3.Connection, statement: str, of: Callable[[int], tuple[Any, ...]], n: int
) -> None:
    connection.execute("BEGIN")
    connection.executemany(statement, (of(number) for number in range(1, n + 1)))
    connection.execute("COMMIT")


def fill_with_events(connection: sqlite3.Connection) -> None:
    statement = "INSERT INTO events VALUES (?, 1.0, '', 'note', '{}')"
    fill(connection, statement, lambda number: (number,), MOST_EVENTS + OLD)


def fill_with_the_old(connection: sqlite3.Connection) -> None:
    fill_with_events(connection)
    statement = "INSERT INTO commands VALUES (?, 'a', 1, NULL, '', NULL, '', 'over')"
    # Numbers begin anew with the time at each start of a daemon.
    fill(connection, statement, lambda number: (number * 1000,), MOST_COMMANDS + OLD)
    statement = "INSERT INTO jobs VALUES (?, '{}', 1.0, ?, 0, 0, 0, 0, 0, 0, 0)"
    fill(connection, statement, lambda number: (f"{number:016x}", float(number)), MOST_JOBS + 40)
    statement = "INSERT INTO phases VALUES (?, 1, 1, 1.0, 0, 0, 0, 0, 1, 0)"
    fill(connection, statement, lambda number: (f"{number:016x}",), MOST_JOBS + 40)
    statement = "INSERT INTO samples VALUES (?, 'a', 1, 0.5, 1.0)"
    fill(connection, statement, lambda number: (f"[{number}]",), MOST_SAMPLES + OLD)


def test_old_rows_are_removed_in_small_steps_even_without_idle_time(store: Store) -> None:
    fill_with_the_old(store.connection)
    now, steps, most = 1e9, 0, 0
    while steps < 3000:
        before = store.connection.total_changes
        store.tidy(now, idle=False)
        most = max(most, store.connection.total_changes - before)
        now, steps = now + 0.05, steps + 1
    limits = {"events": MOST_EVENTS, "commands": MOST_COMMANDS, "jobs": MOST_JOBS, "samples": MOST_SAMPLES}
    assert {table: rows(store.connection, table) for table in limits} == limits
    assert rows(store.connection, "phases") == MOST_JOBS
    assert 0 < most <= 1000
    (first,) = store.connection.execute("SELECT min(number) FROM events").fetchone()
    assert first == OLD + 1, "the latest are kept"


def test_pending_commands_and_running_jobs_are_never_removed(store: Store) -> None:
    add = store.connection.execute
    add("INSERT INTO commands VALUES (1, 'runs', 1, NULL, '', NULL, '', 'told')")
    add("INSERT INTO commands VALUES (2, 'runs', 1, NULL, '', NULL, '', 'cancelled')")
    add("INSERT INTO jobs VALUES ('runs', '{}', 0.0, NULL, 0, 0, 0, 0, 0, 0, 0)")
    fill_with_the_old(store.connection)
    for step in range(3000):
        store.tidy(1e9 + 0.05 * step, idle=False)
    assert add("SELECT number FROM commands WHERE number < 10").fetchall() == [(1,), (2,)]
    assert add("SELECT count(*) FROM jobs WHERE name = 'runs'").fetchone() == (1,)


def test_store_does_not_grow_while_jobs_send_constantly(house: Any) -> None:
    daemon = house.begin()
    fill_with_events(daemon.store.connection)
    job = house.known_job()
    deadline = time.monotonic() + 20

    def is_over() -> bool:
        for _ in range(3):  # it never falls silent
            job.heartbeat()
        house.clock.pass_by(0.05)
        job.take()
        job.received.clear()
        return rows(daemon.store.connection, "events") <= MOST_EVENTS or time.monotonic() > deadline

    daemon.serve(is_over)
    assert rows(daemon.store.connection, "events") <= MOST_EVENTS


def test_latest_values_of_long_running_jobs_are_kept(store: Store) -> None:
    job = session("a" * 16)
    store.came(job)
    for number in range(1, PHASES_KEPT + 50):
        store.sample(job, 1 + number % 2, float(number), 1.0)
        job.finished = number
        store.phase(job, number, 0, IoPhase(float(number), 0.0, 1.0, number, 1), 0)
    assert store.commit(1.0)
    assert rows(store.connection, "samples") == 2 * SAMPLES_KEPT
    assert rows(store.connection, "phases") == PHASES_KEPT
    latest = store.connection.execute("SELECT max(number) FROM phases").fetchone()
    assert latest == (PHASES_KEPT + 49,)
    times = profile(store, session("b" * 16))
    assert sorted({each.ranks for each in times}) == [1, 2]
    assert max(each.seconds for each in times) == PHASES_KEPT + 49


def test_arriving_job_reads_few_of_many_rows(store: Store) -> None:
    program = json.dumps(PROGRAM)
    statement = "INSERT INTO samples VALUES (?, ?, ?, ?, 1.0)"
    fill(store.connection, statement, lambda number: (program, "a", 1 + number % 400, float(number)), 50_000)
    read = 0

    def count() -> int:
        nonlocal read
        read += 1
        return 0

    store.connection.set_progress_handler(count, 1000)
    times = profile(store, session("b" * 16))
    store.connection.set_progress_handler(None, 0)
    assert len(times) == 256 * SAMPLES_KEPT
    assert min(each.seconds for each in times if each.ranks == 2) > 37_000, "the latest"
    assert read < 500
    assert profile(store, session("a")) == []
    assert profile(store, session("b" * 16, ["another"])) == []


def answer(house: Any, **question: Any) -> dict[str, Any]:
    found: dict[str, Any]
    found, outs = house.daemon._query_handler.answer(question, house.clock.now())
    house.daemon._send(outs)
    return found


def asked(house: Any, job: str, ranks: int) -> str:
    return str(answer(house, kind="reserve", job=job, ranks=ranks)["kind"])


def test_restart_restores_reservations_and_waiting_jobs(house: Any) -> None:
    one, two, three = ("1" * 16, "2" * 16, "3" * 16)

    house.begin(cores=4)
    assert asked(house, one, 3) == "reserved"
    assert asked(house, two, 2) == asked(house, three, 1) == "waiting"
    house.end()
    house.begin(cores=4)
    coordinator = house.daemon.state.coordinator
    assert coordinator.free == 1
    # Whoever asks first: cores that one was told to have are its own, and who came first is first.
    assert (asked(house, three, 1), asked(house, two, 2), asked(house, one, 3)) == (
        "waiting",
        "waiting",
        "reserved",
    )
    answer(house, kind="release", job=one)
    assert (asked(house, three, 1), asked(house, two, 2)) == ("reserved", "reserved")
    comes = house.job(two)
    comes.hosts = ["localhost"] * 2
    comes.hello()
    house.until(lambda: "welcome" in comes.kinds())
    house.end()
    house.begin(cores=4)
    assert house.daemon.state.coordinator.free == 1
    house.pass_by(61)
    assert asked(house, "4" * 16, 2) == "reserved"
    assert [event["job"] for event in house.events("reservation_dropped")] == [three]


def test_restart_gives_reserved_cores_to_no_running_job(house: Any) -> None:
    house.begin(cores=4)
    job = house.known_job()
    assert asked(house, "1" * 16, 2) == "reserved"
    house.end()
    house.begin(cores=4, policy="fair")
    job.heartbeat()
    house.until(lambda: "resize" in job.kinds())
    assert job.last("resize")["ranks"] == 2


def test_restart_with_fewer_cores_drops_impossible_reservations(house: Any) -> None:
    house.begin(cores=4)
    assert asked(house, "1" * 16, 3) == "reserved"
    house.end()
    house.begin(cores=2)
    assert house.daemon.state.coordinator.free == 2
    house.end()
    house.begin(cores=4)
    assert house.daemon.state.coordinator.free == 4
