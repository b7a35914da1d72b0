# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a store that one job has for itself, and commands that are done, over restarts."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from a_killed_daemon import at_message, in_store

from nereus.daemon import ask_daemon

TAKES, GIVES_BACK = "INSERT OR REPLACE INTO turns", "DELETE FROM turns"
TELLS = "INSERT OR REPLACE INTO commands"


def status() -> dict[str, Any]:
    return {job["job"]: job for job in ask_daemon({"kind": "status"})["jobs"]}


@pytest.mark.parametrize(
    "dies",
    [
        *(at_message(*each) for each in [("welcome", 2), ("alive", 4), ("grant", 1), ("grant", 3)]),
        *(at_message(*each) for each in [("noted", 1), ("noted", 5), ("resize", 2)]),
        *(in_store(TAKES, moment, 2) for moment in ("BEGIN", TAKES, "COMMIT", "")),
        *(in_store(GIVES_BACK, moment, 4) for moment in ("BEGIN", "COMMIT")),
        *(in_store(TELLS, moment) for moment in (TELLS, "COMMIT")),
    ],
)
def test_killed_daemon_grants_no_turn_twice(house: Any, dies: Callable[[], None]) -> None:
    keys = {"policy": "fair", "cores": 12}
    house.begin_elsewhere(dies, **keys)
    jobs = house.lively("a", "b", "c", phases=3)
    house.until(house.is_dead)
    house.begin_elsewhere(**keys)
    house.until(lambda: all(job.over for job in jobs))
    assert all(not others for job in jobs for others in job.met)
    epochs = sorted(epoch for job in jobs for epoch in job.epochs)
    assert len(set(epochs)) == 9
    found = status()
    assert [found[job.name]["io"]["phases"] for job in jobs] == [3] * 3
    assert [found[job.name]["ranks"] for job in jobs] == [len(job.hosts) for job in jobs]
    # What was told the first time is done once: numbers of commands go on.
    assert all(job.done and job.generation == len(job.done) for job in jobs)


def test_stopped_daemon_is_followed_by_one_with_its_state(house: Any) -> None:
    house.begin()
    writes, waits = house.known_job("writes"), house.known_job("waits")
    writes.ask(1)
    house.until(lambda: "grant" in writes.kinds())
    epoch = writes.last("grant")["epoch"]
    house.end()
    house.begin()
    waits.ask(1)
    writes.epoch = epoch
    writes.heartbeat()
    house.until(lambda: "alive" in writes.kinds())
    assert writes.last("alive")["turn"] is True
    assert "grant" not in waits.kinds()
    assert "who" not in writes.kinds() + waits.kinds()
    writes.wrote(1, epoch)
    house.until(lambda: "grant" in waits.kinds())
    assert waits.last("grant")["epoch"] > epoch


def test_turn_of_a_job_that_died_without_a_daemon_expires(house: Any) -> None:
    house.begin()
    dead, waits = house.known_job("dead"), house.known_job("waits")
    dead.ask(1)
    house.until(lambda: "grant" in dead.kinds())
    house.end()
    house.begin()
    waits.ask(1)
    house.settle()
    assert "grant" not in waits.kinds()
    house.pass_by(11)
    house.until(lambda: "grant" in waits.kinds())


def test_daemon_without_its_store_accepts_a_claimed_turn(house: Any) -> None:
    house.begin()
    writes = house.known_job("writes")
    writes.ask(3)
    house.until(lambda: "grant" in writes.kinds())
    writes.epoch = writes.last("grant")["epoch"]
    house.end()
    (house.folder / "store.sqlite").unlink()
    house.begin()
    writes.heartbeat()
    house.until(lambda: "who" in writes.kinds())
    writes.hello()
    waits = house.known_job("waits")
    waits.ask(1)
    house.beat(writes, waits)
    assert writes.last("alive")["turn"] is True
    assert "grant" not in waits.kinds()
    writes.wrote(3, writes.epoch)
    house.until(lambda: "grant" in waits.kinds())


def test_only_one_of_two_claimed_turns_is_accepted(house: Any) -> None:
    house.begin()
    one = house.known_job("one", asked=1, epoch=5)
    other = house.known_job("other", asked=1, epoch=6)
    for job, epoch in ((one, 5), (other, 6)):
        job.epoch = epoch
        job.heartbeat()
    house.until(lambda: "alive" in one.kinds() and "alive" in other.kinds())
    assert (one.last("alive")["turn"], other.last("alive")["turn"]) == (True, False)


def test_commands_unknown_after_loss_of_the_store_are_cancelled(house: Any) -> None:
    house.begin()
    job = house.known_job(commands=[7, 9])
    house.until(lambda: "cancel" in job.kinds())
    assert job.last("cancel")["command"] == 7
    job.say("heard", command=7)
    house.until(lambda: job.last("cancel")["command"] == 9)
    job.say("heard", command=9)
    house.until(lambda: not house.job_documents()[job.name]["commands"])


def test_command_is_repeated_until_acknowledged_and_forgotten_when_done(house: Any) -> None:
    house.begin(policy="fair")
    job = house.known_job()
    house.until(lambda: "resize" in job.kinds())
    first = job.last("resize")
    assert first["ranks"] == 4 and first["why"]
    for _ in range(2):
        house.clock.pass_by(1.1)
        house.settle()
    assert job.kinds().count("resize") == 3
    job.say("heard", command=first["command"])
    house.settle()
    house.clock.pass_by(1.1)
    house.settle()
    assert job.kinds().count("resize") == 3
    hosts = ["localhost"] * 4
    done = {"hosts": hosts, "generation": 1, "iteration": 8, "seconds": 0.5, "message": ""}
    for _ in range(2):
        job.say("done", id=1, command=first["command"], **done)
    house.until(lambda: job.kinds().count("noted") == 2)
    known = house.job_documents()[job.name]
    assert (known["ranks"], known["commands"], known["resizes"]) == (4, [], 1)
    (resized,) = house.events("resized")
    assert (resized["before"], resized["ranks"], resized["by"]) == (1, 4, "fair")


def test_refused_command_is_dropped_and_reported(house: Any) -> None:
    house.begin(policy="fair")
    job = house.known_job()
    house.until(lambda: "resize" in job.kinds())
    job.say("refused", id=1, command=job.last("resize")["command"], code=-7, message="no more processes")
    house.until(lambda: "noted" in job.kinds())
    assert house.job_documents()[job.name]["commands"] == []
    (refused,) = house.events("refused")
    assert refused["text"] == "no more processes"


def test_events_continue_and_are_complete_after_a_restart(house: Any) -> None:
    house.begin()
    house.known_job("one")
    house.end()
    house.begin()
    house.known_job("two")
    numbers = [event["number"] for event in house.events()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [event["job"] for event in house.events("came")] == [
        name.encode().hex().ljust(16, "0") for name in ("one", "two")
    ]


def test_iteration_times_of_a_program_are_known_at_its_next_start(house: Any) -> None:
    daemon = house.begin()
    first = house.known_job("first")
    first.say("sample", ranks=1, iteration=10, iterations=10, seconds=5)
    first.say("goodbye", id=1)
    house.until(lambda: "noted" in first.kinds())
    second, other = house.known_job("second"), house.known_job("other", command=["another"])
    profiles = {name: job.about.profile for name, job in daemon.state.coordinator.jobs.items()}
    assert [(each.ranks, each.seconds) for each in profiles[second.name]] == [(1, 0.5)]
    assert profiles[other.name] == []


def test_store_is_private_and_records_decisions(house: Any) -> None:
    house.begin(policy="fair")
    job = house.known_job()
    house.until(lambda: "resize" in job.kinds())
    house.end()
    path: Path = house.folder / "store.sqlite"
    assert path.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(path) as store:
        (command,) = store.execute("SELECT ranks, why, state FROM commands").fetchall()
    assert command[0] == 4 and command[1] and command[2] == "told"
