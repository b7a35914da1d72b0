# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a daemon that a policy of one's own cannot stop, and answers that are whole."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from nereus.daemon import NoDaemon, ask_daemon
from nereus.daemon.daemon import Daemon, Settings
from nereus.daemon.error import DaemonError
from nereus.daemon.messages import encode
from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.turns import Request


class Raises(Policy):
    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        raise ZeroDivisionError("mine")


class Nonsense(Policy):
    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        strange: Any = ["grow!", Resize("nobody", 3, "why"), Resize(state.jobs[0].name, "four", "why")]  # type: ignore[arg-type]
        return strange  # type: ignore[no-any-return]


class Leaves(Policy):
    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        raise SystemExit


class Unspeakable(Policy):
    """Its mistake cannot even be told."""

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        class Mute(Exception):
            def __str__(self) -> str:
                raise SystemExit(3)

        raise Mute


class Endless(Policy):
    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        return [Resize(job.name, 10**30, "more") for job in state.jobs]


class Generous:
    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        raise KeyError("order")


class NoOrder(Policy):
    order = Generous()


class Quitting:
    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        raise SystemExit(0)


class NoOrderAtAll(Policy):
    order = Quitting()


class Garbled(Policy):
    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        return [Resize(job.name, 2, "\udcff\x1b[2J") for job in state.settled]


@pytest.mark.parametrize(
    "policy", [Raises(), Nonsense(), NoOrder(), Leaves(), Unspeakable(), Endless(), NoOrderAtAll()]
)
def test_failing_policy_is_reported_once_and_jobs_write_one_by_one(house: Any, policy: Policy) -> None:
    house.begin(**{"policy": "blocking", "parameters": {}})
    house.end()
    usual = house.settings()
    house.daemon = Daemon(Settings(policy, "mine", usual.cores, usual.store), clock=house.clock)
    one, other = house.known_job("one"), house.known_job("other")
    one.ask(1)
    house.until(lambda: "grant" in one.kinds())
    other.ask(1)
    house.settle()
    assert "grant" not in other.kinds()
    one.wrote(1, one.last("grant")["epoch"])
    house.until(lambda: "grant" in other.kinds())
    (trouble,) = house.events("trouble")
    assert type(policy).__name__ in trouble["text"]


def test_unencodable_reason_is_stored_and_sent_as_escaped_text(house: Any) -> None:
    usual = house.settings()
    house.daemon = Daemon(Settings(Garbled(), "mine", usual.cores, usual.store), clock=house.clock)
    job = house.known_job("one")
    house.until(lambda: "resize" in job.kinds())
    assert job.last("resize")["why"] == "\\udcff\\u001b[2J"
    assert house.daemon.store.trouble is None and house.events("trouble") == []


class Slow(Policy):
    """Takes long, and grows jobs at the second question."""

    asked = 0

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        self.asked += 1
        time.sleep(0.05)
        return [Resize(job.name, 2, "why") for job in state.settled if self.asked > 1 and job.ranks < 2]


def test_slow_policy_does_not_block_jobs_and_is_asked_later(house: Any) -> None:
    policy = Slow()
    usual = house.settings(cores=16)
    house.daemon = Daemon(Settings(policy, "slow", usual.cores, usual.store), clock=house.clock)
    jobs = [house.known_job(name) for name in "abcdefgh"]
    for _ in range(10):
        for job in jobs:
            job.ask(job.asked + 1)
            house.until(lambda job=job: "grant" in job.kinds())
            job.wrote(job.asked, job.last("grant")["epoch"])
            job.received.clear()
    asked = policy.asked
    assert asked < 80
    house.pass_by(1)
    house.until(lambda: policy.asked > asked)
    house.until(lambda: all("resize" in job.kinds() for job in jobs))


def answer(house: Any, **question: Any) -> dict[str, Any]:
    found: dict[str, Any]
    found, outs = house.daemon._query_handler.answer(question, house.clock.now())
    house.daemon._send(outs)
    return found


def test_cores_are_reserved_for_starting_jobs_first_come_first_served(house: Any) -> None:
    house.begin(cores=4)
    one, two, three = ("1" * 16, "2" * 16, "3" * 16)
    first = answer(house, kind="reserve", job=one, ranks=3)
    assert (first["kind"], sum(first["places"].values())) == ("reserved", 3)
    assert answer(house, kind="reserve", job=one, ranks=3) == first
    assert answer(house, kind="reserve", job=two, ranks=2) == {"kind": "waiting", "before": 0}
    assert answer(house, kind="reserve", job=three, ranks=1) == {"kind": "waiting", "before": 1}
    assert "1 to 4" in answer(house, kind="reserve", job="4" * 16, ranks=5)["message"]
    assert answer(house, kind="release", job=one)["kind"] == "released"
    assert answer(house, kind="reserve", job=two, ranks=2)["kind"] == "reserved"
    assert answer(house, kind="reserve", job=three, ranks=1)["kind"] == "reserved"


def test_decisions_record_who_took_cores_back(house: Any) -> None:
    house.begin(cores=4, policy="fair")
    job = house.known_job()
    house.until(lambda: "resize" in job.kinds())
    told = job.last("resize")["command"]
    done = {"hosts": ["localhost"] * 4, "generation": 1, "iteration": 8, "seconds": 0.5, "message": ""}
    job.say("done", id=1, command=told, **done)
    house.until(lambda: "noted" in job.kinds())
    assert answer(house, kind="reserve", job="2" * 16, ranks=2)["kind"] == "waiting"
    assert [(each["ranks"], each["by"]) for each in house.events("decided")] == [
        (4, "fair"),
        (2, "resource manager"),
    ]


def test_reservation_is_used_by_its_job_or_expires(house: Any) -> None:
    daemon = house.begin(cores=4)
    job, ghost = house.job("comes"), "2" * 16
    answer(house, kind="reserve", job=job.name, ranks=1)
    answer(house, kind="reserve", job=ghost, ranks=3)
    job.hello()
    house.until(lambda: "welcome" in job.kinds())
    assert daemon.state.coordinator.free == 0
    house.pass_by(25)
    house.beat(job)
    house.pass_by(25)
    house.beat(job)
    house.pass_by(25)
    house.beat(job)
    house.until(lambda: daemon.state.coordinator.free == 3)
    assert list(house.job_documents()) == [job.name]


def test_running_jobs_make_room_for_a_waiting_one(house: Any) -> None:
    house.begin(cores=4, policy="fair")
    job = house.known_job()
    house.until(lambda: "resize" in job.kinds())
    command = job.last("resize")
    keys = {"hosts": ["localhost"] * 4, "generation": 1, "iteration": 1, "seconds": 0.1, "message": ""}
    job.say("done", id=1, command=command["command"], **keys)
    house.until(lambda: "noted" in job.kinds())
    assert answer(house, kind="reserve", job="2" * 16, ranks=2)["kind"] == "waiting"
    house.until(lambda: job.last("resize")["command"] > command["command"])
    assert job.last("resize")["ranks"] == 2
    keys = {**keys, "hosts": ["localhost"] * 2, "generation": 2}
    job.say("done", id=2, command=job.last("resize")["command"], **keys)
    house.until(lambda: job.kinds().count("noted") == 2)
    assert answer(house, kind="reserve", job="2" * 16, ranks=2)["kind"] == "reserved"


def test_all_of_many_jobs_and_events_are_listed(house: Any) -> None:
    house.begin()
    job = house.job()
    house._jobs.clear()
    names = [f"{number:016x}" for number in range(400)]
    for name in names:
        job.name = name
        job.hello(command=["x" * 500] * 10)
        if int(name, 16) % 50 == 0:
            house.daemon.turn()
    house.until(lambda: len(house.daemon.state.sessions) == len(names))
    job.socket.close(linger=0)
    found: list[str] = []
    left = 1
    rounds = 0
    while left:
        page = answer(house, **{"kind": "status", "from": len(found)})
        found += [each["job"] for each in page["jobs"]]
        left = page["jobs_left"]
        rounds += 1
    assert found == names and rounds > 1


def test_long_messages_of_a_job_leave_room_for_others(house: Any) -> None:
    house.begin()
    names = [f"{number:016x}" for number in range(30)]
    many = [f"{number:0200}" for number in range(1500)]
    for name in names:
        job = house.job(name)
        job.hello(command=["x" * 10_000] * 60, hosts=many)
        house.until(lambda job=job: "welcome" in job.kinds())
    since, came = 0, []
    while since < answer(house, kind="events", since=since)["last"]:
        found = answer(house, kind="events", since=since)["events"]
        assert encode({"events": found}) is not None
        came += [event["job"] for event in found if event["event"] == "came"]
        since = found[-1]["number"]
    assert came == names
    page = answer(house, kind="status")
    assert encode(page) is not None and 0 < len(page["jobs"]) < 30


@pytest.mark.parametrize(
    "question",
    [{"kind": "dance"}, {"kind": "events", "since": -1}, {"kind": "reserve", "job": "x", "ranks": 1}],
)
def test_unknown_request_is_answered(house: Any, question: dict[str, Any]) -> None:
    house.begin()
    assert "allowed are status" in answer(house, **question)["message"]


def test_status_without_daemon_reports_error(house: Any) -> None:
    with pytest.raises(DaemonError, match="no daemon of yours runs on this host"):
        ask_daemon({"kind": "status"})
    house.begin_elsewhere()
    house.kill()
    with pytest.raises(DaemonError, match="no daemon of yours runs on this host"):
        ask_daemon({"kind": "status"})


def test_status_of_a_daemon_that_is_busy_says_so(house: Any) -> None:
    house.begin()
    with pytest.raises(NoDaemon, match=r"the daemon of this host does not answer within 0\.2 s"):
        ask_daemon({"kind": "status"}, seconds=0.2)


def test_stop_request_ends_the_daemon_and_leaves_no_files(house: Any) -> None:
    house.begin_elsewhere()
    assert ask_daemon({"kind": "stop"})["pid"] == house.child
    house.until(house.is_dead)
    house.child = None
    assert not house.line.parent.exists()
