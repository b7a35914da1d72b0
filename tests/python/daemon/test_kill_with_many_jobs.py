# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the jobs of a busy machine, or a turn at the store, when its daemon is killed."""

from typing import Any

from nereus.daemon import ask_daemon

JOBS = 100
TURNS = 5


def granted(jobs: list[Any]) -> list[Any]:
    """Those that have heard that they may write."""
    return [job for job in jobs if "grant" in job.kinds()]


def test_daemon_killed_with_100_jobs_restores_all_and_grants_no_turn_twice(house: Any) -> None:
    keys = {"policy": "blocking", "cores": 4 * JOBS}
    house.begin_elsewhere(**keys)
    jobs = [house.known_job(f"{number:016x}") for number in range(JOBS)]
    for job in jobs:
        job.ask(1)
    house.until(lambda: granted(jobs) != [])
    house.beat(*jobs)
    (writer,) = granted(jobs)
    writer.epoch = writer.last("grant")["epoch"]
    house.kill()
    house.begin_elsewhere(**keys)
    house.beat(*jobs)
    assert all("who" not in job.kinds() for job in jobs), "it knows them without asking"
    assert {job["job"] for job in ask_daemon({"kind": "status"}, 30)["jobs"]} == {job.name for job in jobs}
    epochs = [writer.epoch]
    for turn in range(1, TURNS + 1):
        for job in jobs:
            if job not in granted(jobs):
                job.ask(1)
        house.beat(*jobs)
        assert len(granted(jobs)) == turn, "while one writes no other may"
        writer.wrote(1, writer.epoch)
        house.until(lambda before=turn: len(granted(jobs)) > before)
        (writer,) = [job for job in granted(jobs) if job.last("grant")["epoch"] not in epochs]
        writer.epoch = writer.last("grant")["epoch"]
        epochs.append(writer.epoch)
    assert epochs == sorted(set(epochs))
