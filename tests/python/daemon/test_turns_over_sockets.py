# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a store for one job alone, a turn that comes, and what was said once."""

import random
from typing import Any

import pytest


def grants(job: Any) -> list[int]:
    return [message["epoch"] for message in job.received if message["kind"] == "grant"]


def test_jobs_write_in_sequence_first_come_first_served(house: Any) -> None:
    house.begin()
    jobs = [house.known_job(name) for name in "abc"]
    for job in (jobs[2], jobs[0], jobs[1]):
        job.ask(1)
        house.settle()
    assert [len(grants(job)) for job in jobs] == [0, 0, 1]
    jobs[2].wrote(1, jobs[2].last("grant")["epoch"])
    house.until(lambda: grants(jobs[0]))
    assert not grants(jobs[1])
    jobs[0].wrote(1, grants(jobs[0])[0])
    house.until(lambda: grants(jobs[1]))
    assert grants(jobs[2]) < grants(jobs[0]) < grants(jobs[1])


def test_lost_grant_is_repeated_on_a_repeated_request(house: Any) -> None:
    house.begin()
    job = house.known_job()
    for _ in range(3):
        job.ask(1)
    house.until(lambda: len(grants(job)) == 3)
    assert len(set(grants(job))) == 1


def test_turn_of_a_dead_job_goes_to_the_next(house: Any) -> None:
    house.begin()
    dead, waiting = house.known_job("dead"), house.known_job("waiting")
    dead.ask(1)
    house.until(lambda: grants(dead))
    waiting.ask(1)
    house.settle()
    house.pass_by(9)
    waiting.ask(1)
    house.settle()
    assert not grants(waiting)
    house.pass_by(2)
    house.until(lambda: grants(waiting))
    (lost,) = house.events("turn_lost")
    assert (lost["job"], lost["epoch"]) == (dead.name, grants(dead)[0])
    dead.epoch = grants(dead)[0]
    dead.heartbeat()
    house.until(lambda: "alive" in dead.kinds())
    assert dead.last("alive")["turn"] is False


def test_long_writing_job_keeps_its_turn_while_it_sends_heartbeats(house: Any) -> None:
    house.begin()
    writes, waits = house.known_job("writes"), house.known_job("waits")
    writes.ask(1)
    house.until(lambda: grants(writes))
    writes.epoch = grants(writes)[0]
    for _ in range(5):
        house.pass_by(8)
        writes.heartbeat()
        waits.ask(1)
        house.settle()
        assert writes.last("alive")["turn"] is True
    assert not grants(waits)


def test_job_that_died_while_waiting_does_not_keep_its_turn(house: Any) -> None:
    house.begin()
    first, dead, last = (house.known_job(name) for name in ("first", "dead", "last"))
    for job in (first, dead, last):
        job.ask(1)
        house.settle()
    first.wrote(1, grants(first)[0])
    house.until(lambda: grants(dead))
    house.pass_by(11)
    last.heartbeat()
    house.until(lambda: grants(last))


def test_job_that_continued_without_a_turn_does_not_block_others(house: Any) -> None:
    house.begin()
    first, impatient, last = (house.known_job(name) for name in ("first", "impatient", "last"))
    for job in (first, impatient, last):
        job.ask(1)
        house.settle()
    impatient.wrote(1, 0)
    house.settle()
    first.wrote(1, grants(first)[0])
    house.until(lambda: grants(last))
    assert not grants(impatient)


def test_duplicate_or_late_messages_count_once(house: Any) -> None:
    house.begin()
    job, other = house.known_job(), house.known_job("other")
    job.ask(1)
    house.until(lambda: grants(job))
    for _ in range(3):
        job.wrote(1, grants(job)[0])
    other.ask(1)
    job.ask(1)
    house.until(lambda: grants(other) and job.kinds().count("noted") == 3)
    assert len(grants(job)) == 1
    assert house.job_documents()[job.name]["io"]["phases"] == 1
    assert len(house.events("wrote")) == 2 - 1


def test_closing_message_returns_turn_and_cores(house: Any) -> None:
    daemon = house.begin()
    job, other = house.known_job(), house.known_job("other")
    for each in (job, other):
        each.ask(1)
        house.settle()
    job.say("goodbye", id=7)
    house.until(lambda: grants(other) and "noted" in job.kinds())
    job.say("goodbye", id=7)
    job.hello()  # from before
    house.until(lambda: job.kinds().count("noted") == 2)
    assert list(house.job_documents()) == [other.name]
    assert daemon.state.coordinator.free == 8 - 1


def test_unknown_job_is_asked_to_identify_itself(house: Any) -> None:
    house.begin()
    job = house.job()
    job.heartbeat()
    job.say("sample", ranks=1, iteration=5, iterations=5, seconds=1)
    job.wrote(1, 0)
    house.until(lambda: job.kinds() == ["who"] * 3)
    assert house.job_documents() == {}


def test_silent_job_is_forgotten_and_can_return(house: Any) -> None:
    house.begin()
    job = house.known_job()
    house.pass_by(31)
    house.until(lambda: not house.job_documents())
    assert house.events("ended")[-1]["why"] == "silent"
    job.heartbeat()
    house.until(lambda: "who" in job.kinds())
    job.hello()
    house.until(lambda: job.name in house.job_documents())


@pytest.mark.parametrize("seed", range(3))
def test_no_two_jobs_write_at_once_over_a_lossy_line(house: Any, seed: int) -> None:
    house.begin(policy="fair", cores=12)
    jobs = house.lively("a", "b", "c", phases=3, chance=random.Random(seed))
    house.until(lambda: all(job.over for job in jobs))
    assert all(not others for job in jobs for others in job.met)
    epochs = sorted(epoch for job in jobs for epoch in job.epochs)
    assert len(set(epochs)) == 9
    known = house.job_documents()
    assert [known[job.name]["io"]["phases"] for job in jobs] == [3] * 3
    assert [known[job.name]["ranks"] for job in jobs] == [len(job.hosts) for job in jobs]


def test_flooding_job_does_not_starve_others(house: Any) -> None:
    house.begin()
    flood, quiet = house.known_job("flood"), house.known_job("quiet")
    for _ in range(900):
        flood.heartbeat()
    quiet.ask(1)
    daemon = house.daemon
    quiet.socket.poll(200)
    for _ in range(2):
        daemon.turn()
    house.daemon = None
    house.until(lambda: grants(quiet))
    daemon.close()
    assert flood.kinds().count("alive") < 900
