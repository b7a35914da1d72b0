# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a daemon whose policy says which jobs give cores to one that waits."""

import time
from collections.abc import Sequence
from typing import Any

import pytest

from nereus.daemon.policy_guard import PolicyGuard
from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters

WAITS = "1" * 16


def test_strategy_tells_the_largest_job_to_give_cores_to_one_that_waits(house: Any) -> None:
    daemon = house.begin(policy="strategy-fair", cores=8)
    jobs = {name: house.job(name) for name in "ab"}
    for (_, job), ranks in zip(jobs.items(), (6, 2), strict=True):
        job.hosts = ["localhost"] * ranks
        job.most = ranks  # else who is welcomed first is to grow
        job.hello()
    house.until(lambda: all("welcome" in job.kinds() for job in jobs.values()))
    question = {"kind": "reserve", "job": WAITS, "ranks": 3}
    found, outs = daemon._query_handler.answer(question, house.clock.now())
    daemon._send(outs)
    assert found["kind"] == "waiting"
    house.until(lambda: "resize" in jobs["a"].kinds())
    told = jobs["a"].last("resize")
    assert (told["ranks"], told["why"]) == (3, "gives cores to a job that waits, by the strategy fair")
    house.settle()
    assert "resize" not in jobs["b"].kinds()


class MakesRoom(Policy):
    def __init__(self, says: Any) -> None:
        self._says = says

    def make_room(self, state: State, cores: int, parameters: Parameters) -> Sequence[Resize] | None:
        if isinstance(self._says, BaseException):
            raise self._says
        time.sleep(self._says if isinstance(self._says, float) else 0)
        return [] if isinstance(self._says, float) else self._says


def asked(guard: PolicyGuard, now: float = 0.0) -> Sequence[Resize] | None:
    return guard.make_room(State(now, [], 0), 2, Parameters())


@pytest.mark.parametrize("says", [ZeroDivisionError("mine"), SystemExit(), 7])
def test_mistake_of_a_policy_leaves_it_to_the_daemon_who_gives_cores(says: Any) -> None:
    told: list[str] = []
    guard = PolicyGuard(MakesRoom(says), told.append)
    assert asked(guard) is None and asked(guard) is None
    (text,) = told
    assert text.startswith("policy MakesRoom: make_room: ")


def test_what_is_no_resize_is_dropped_and_noted() -> None:
    told: list[str] = []
    good = Resize("a", 2, "why")
    strange: list[Any] = [good, "b", Resize("c", 10**30, "")]
    guard = PolicyGuard(MakesRoom(strange), told.append)
    assert asked(guard) == [good]
    assert len(told) == 1


def test_policy_that_is_not_to_be_asked_now_has_no_say() -> None:
    guard = PolicyGuard(MakesRoom(0.03), print)
    assert asked(guard, 1.0) == []
    assert asked(guard, 1.01) is None, "it took long"
    assert asked(guard, 100.0) == []
    guard.awake = False
    assert asked(guard, 200.0) is None
