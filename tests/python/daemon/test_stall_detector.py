# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: turns of jobs that live, to a daemon that stood still and heard them late."""

from typing import Any

import pytest

from nereus.daemon import sockets
from nereus.daemon.stall_detector import StallDetector

STOPPED = 60.0  # beyond the lease, and the time after which a job is taken for gone


def writers(house: Any, names: str) -> list[Any]:
    """Jobs that all write at the same time."""
    jobs = [house.known_job(name) for name in names]
    for job in jobs:
        job.ask(1)
        house.until(lambda job=job: "grant" in job.kinds())
        job.epoch = job.last("grant")["epoch"]
    return jobs


def test_no_job_loses_its_turn_to_a_stalled_daemon_with_unread_messages(
    house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.begin(policy="none")
    jobs = writers(house, "abcdefgh")
    monkeypatch.setattr(sockets, "MOST_AT_ONCE", 2)  # in one turn of the loop
    house.clock.pass_by(STOPPED)
    house.beat(*jobs)
    house.pass_by(3)
    assert house.events("turn_lost", "ended") == []
    assert all(job.last("alive")["turn"] is True for job in jobs)


def test_jobs_stalled_with_the_daemon_keep_their_turns(house: Any) -> None:
    daemon = house.begin(policy="none")
    lives, died = writers(house, "ab")
    house.clock.pass_by(STOPPED)
    daemon.turn()  # before the other has said a word
    house.beat(lives)
    house.pass_by(3)
    assert [event["job"] for event in house.events("turn_lost", "ended")] == [died.name]


def test_attentive_daemon_passes_the_turn_of_a_silent_job_on() -> None:
    attention = StallDetector(heartbeat=0.5, most=10.0)
    assert all(attention.is_paid(0.5 * each, more=each % 2 == 0) for each in range(100))


def test_flooding_job_does_not_keep_turns_of_dead_jobs_forever() -> None:
    attention = StallDetector(heartbeat=0.5, most=10.0)
    assert attention.is_paid(0.0, more=True)
    looks = [attention.is_paid(100.0 + 0.1 * each, more=True) for each in range(200)]
    assert not any(looks[:95]) and all(looks[105:])
    # One that stands still again and again looks now and then.
    assert any(attention.is_paid(200.0 + 5.0 * each, more=True) for each in range(10))
