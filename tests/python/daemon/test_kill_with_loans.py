# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: cores that were lent or promised, when the daemon is killed at the worst moment."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import pytest
from a_killed_daemon import in_store

from nereus.daemon import NoDaemon, ask_daemon
from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters

NEWCOMER, LATER = "1" * 16, "2" * 16
CANCELS = "INSERT INTO commands"


class Lends(Policy):
    """Two more cores for a while."""

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        return [Resize(job.name, 3, "a loan", until=1000) for job in state.settled if job.ranks == 1]


def starts(house: Any, dies: Callable[[], None] = lambda: None) -> None:
    child = house.begin_elsewhere(dies, policy=Lends(), cores=4)

    def answers() -> bool:
        with suppress(NoDaemon):
            return bool(ask_daemon({"kind": "status"}, 1.0)["pid"] == child)
        return False

    house.until(answers)


def done(job: Any, number: int, command: int, ranks: int) -> None:
    job.hosts, job.generation = ["localhost"] * ranks, job.generation + 1
    keys = {"hosts": job.hosts, "generation": job.generation, "iteration": 10, "seconds": 0.1, "message": ""}
    job.say("done", id=number, command=command, **keys)


def borrower(house: Any) -> Any:
    """A job that has cores that it is to give back at an iteration."""
    job = house.known_job()
    house.until(lambda: "resize" in job.kinds())
    first = job.last("resize")["command"]
    job.say("heard", command=first)
    house.until(lambda: job.last("resize")["command"] > first)
    back = job.last("resize")
    assert (back["ranks"], back["at"]) == (1, 1000)
    job.say("heard", command=back["command"])
    done(job, 1, first, 3)
    house.until(lambda: "noted" in job.kinds())
    job.commands = [back["command"]]
    return job


def is_known_again(house: Any, job: Any) -> None:
    job.received.clear()
    job.heartbeat()
    house.until(lambda: job.kinds())
    assert "who" not in job.kinds()


def wants(job: str, ranks: int) -> str:
    """What a daemon answers, be it its last word or none."""
    with suppress(NoDaemon):
        return str(ask_daemon({"kind": "reserve", "job": job, "ranks": ranks})["kind"])
    return "no answer"


def test_loans_survive_a_kill_and_are_returned(house: Any) -> None:
    starts(house)
    job = borrower(house)
    house.kill()
    starts(house)
    is_known_again(house, job)
    assert ask_daemon({"kind": "status"})["cores_free"] == 1
    done(job, 2, job.commands[0], 1)
    house.until(lambda: "noted" in job.kinds())
    # The policy lends them again.
    house.until(lambda: job.last("resize")["command"] > job.commands[0])


@pytest.mark.parametrize("moment", ["BEGIN", CANCELS, "COMMIT", "", "later"])
def test_recalled_loan_is_returned_whenever_the_daemon_is_killed(house: Any, moment: str) -> None:
    starts(house, in_store(CANCELS, moment) if moment != "later" else lambda: None)
    job = borrower(house)
    first = wants(NEWCOMER, 3)
    if moment == "later":
        house.kill()
    else:
        house.until(house.is_dead)
    assert first == ("waiting" if moment == "later" else "no answer")
    starts(house)
    is_known_again(house, job)
    if moment in ("", "later"):
        assert wants(LATER, 1) == "waiting", "it came behind the other"
    assert wants(NEWCOMER, 3) == "waiting"
    house.until(lambda: "cancel" in job.kinds())
    assert job.last("cancel")["command"] == job.commands[0]
    job.say("heard", command=job.commands[0])
    house.until(lambda: "resize" in job.kinds())
    assert job.last("resize")["ranks"] == 1
    done(job, 2, job.last("resize")["command"], 1)
    house.until(lambda: "noted" in job.kinds())
    assert wants(NEWCOMER, 3) == "reserved"
    house.kill()
    starts(house)
    assert ask_daemon({"kind": "status"})["cores_free"] == 0
    assert (wants(LATER, 1), wants(NEWCOMER, 3)) == ("waiting", "reserved")
