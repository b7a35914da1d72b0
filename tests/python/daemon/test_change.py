# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a daemon that goes on with another policy, and jobs that notice nothing else."""

from typing import Any

import pytest

from nereus.policy.policies import BY_NAME


def change(house: Any, **asked: Any) -> Any:
    found, outs = house.daemon._query_handler.answer({"kind": "change", **asked}, house.clock.now())
    house.daemon._send(outs)
    return found


def status(house: Any) -> Any:
    return house.daemon._query_handler.answer({"kind": "status"}, house.clock.now())[0]


def test_waiting_job_gets_its_turn_when_the_policy_lets_all_write(house: Any) -> None:
    house.begin(policy="blocking")
    one, other = house.known_job("one"), house.known_job("other")
    one.ask(1)
    house.until(lambda: "grant" in one.kinds())
    other.ask(1)
    house.settle()
    assert "grant" not in other.kinds()
    assert change(house, policy="none") == {"kind": "changed", "policy": "none"}
    house.until(lambda: "grant" in other.kinds())
    assert status(house)["policy"] == "none"
    assert [event["policy"] for event in house.events("changed")] == ["none"]


def test_free_cores_are_shared_out_when_the_policy_does_so(house: Any) -> None:
    house.begin(policy="blocking", cores=4)
    job = house.known_job()
    house.settle()
    assert "resize" not in job.kinds()
    change(house, policy="fair")
    house.until(lambda: "resize" in job.kinds())
    assert job.last("resize")["ranks"] == 4
    assert [event["by"] for event in house.events("decided")] == ["fair"]


def test_parameters_change_alone_and_the_policy_stays(house: Any) -> None:
    house.begin(policy="fair")
    assert change(house, parameters=["window=7", "uncertainty=0.5"]) == {"kind": "changed", "policy": "fair"}
    found = status(house)
    assert (found["policy"], found["parameters"]["window"], found["parameters"]["uncertainty"]) == (
        "fair",
        7,
        0.5,
    )
    assert change(house, parameters=["io_weight=4"])["kind"] == "changed"
    assert (status(house)["parameters"]["window"], status(house)["parameters"]["io_weight"]) == (7, 4.0)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"policy": "nice"}, "policy nice: while the daemon runs, allowed are none, blocking"),
        ({"policy": "/tmp/mine.py:Mine"}, "while the daemon runs, allowed are"),
        ({"policy": "none", "parameters": ["window=-1"]}, "window=-1: whole numbers above 0 are allowed"),
        ({"policy": "none", "parameters": ["windows=1"]}, "windows: allowed are"),
        ({"policy": "none", "parameters": ["lease=3"]}, "lease: cannot be changed while the daemon runs"),
        ({"policy": 3}, "allowed are status"),
        ({"parameters": "window=3"}, "allowed are status"),
    ],
)
def test_bad_change_is_refused_with_the_reason_and_changes_nothing(
    house: Any, asked: Any, reason: str
) -> None:
    house.begin(policy="blocking")
    before = status(house)
    found = change(house, **asked)
    assert found["kind"] == "refused"
    assert reason in found["message"]
    after = status(house)
    assert (after["policy"], after["parameters"]) == (before["policy"], before["parameters"])
    assert house.events("changed") == []


def test_any_policy_can_follow_any_other_while_jobs_write(house: Any) -> None:
    house.begin(policy="none")
    jobs = [house.known_job(name) for name in "ab"]
    for number, policy in enumerate((*BY_NAME, *reversed(list(BY_NAME))), 1):
        assert change(house, policy=policy)["policy"] == policy
        for job in jobs:
            job.received.clear()
            job.ask(number)
        for _ in jobs:
            house.until(lambda: any("grant" in job.kinds() for job in jobs))
            writes = next(job for job in jobs if "grant" in job.kinds())
            writes.wrote(number, writes.last("grant")["epoch"])
            writes.received.clear()
