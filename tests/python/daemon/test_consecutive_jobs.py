# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a program that opens jobs one behind the other, and waits for a turn for ever."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from a_daemon import SocketlessDaemon, hello, message

A, B = "a" * 16, "b" * 16


@pytest.fixture
def socketless() -> Iterator[SocketlessDaemon]:
    made = SocketlessDaemon("blocking")
    yield made
    made.close()


class Opening:
    """A job as it is opened once, which says so or (0) does not."""

    def __init__(self, socketless: SocketlessDaemon, opening: int, iteration: int = 0) -> None:
        self._everything, self._opening, self._iteration = socketless, opening, iteration

    def say(self, kind: str, name: str = A, **keys: Any) -> list[Any]:
        own: dict[str, Any] = {"opening": self._opening} if self._opening else {}
        return list(self._everything.receive(message(kind, name, **own, **keys)))

    def hello(self, asked: int = 0, epoch: int = 0) -> list[Any]:
        own = {"opening": self._opening, "asked": asked, "epoch": epoch}
        return list(self._everything.receive(hello(A, iteration=self._iteration, **own)))

    def ask(self, number: int) -> list[Any]:
        return self.say("io_request", number=number, bytes=0, iteration=self._iteration)

    def wrote(self, number: int, epoch: int) -> list[Any]:
        self._iteration += 10
        keys: dict[str, Any] = {
            "id": number,
            "number": number,
            "epoch": epoch,
            "bytes": 0,
            "iteration": self._iteration,
        }
        times: dict[str, Any] = {"wait_seconds": 0, "service_seconds": 1, "age_seconds": 0}
        return self.say("io_done", ranks=1, **keys, **times)

    def writes(self, phases: int) -> None:
        for number in range(1, phases + 1):
            (granted,) = self.ask(number)
            self.wrote(number, granted["epoch"])


def held(socketless: SocketlessDaemon) -> int:
    """By which epoch the job has its turn; 0: it has none."""
    found = socketless.state.sessions[A].held
    return found.epoch if found is not None else 0


def kinds(messages: list[Any]) -> list[str]:
    return [each["kind"] for each in messages]


def waited(socketless: SocketlessDaemon, job: Opening, number: int, limit: float = 5.0) -> list[Any]:
    """What a job hears that waits for that phase, and does all that the library does."""
    until = socketless.now + limit
    while socketless.now < until:
        socketless.now += 0.25
        received = job.ask(number)
        if kinds(received) == ["grant"]:
            return received
        if kinds(received) == ["who"]:
            job.hello(asked=number)
    return []


@pytest.mark.parametrize(("first", "second"), [(0, 0), (5, 7)])
@pytest.mark.parametrize("iteration", [0, 30, 40])
def test_job_gets_its_turn_after_a_lost_closing_message_of_another(
    socketless: SocketlessDaemon, first: int, second: int, iteration: int
) -> None:
    before = Opening(socketless, first)
    before.hello()
    before.writes(3)
    later = Opening(socketless, second, iteration)
    later.hello()
    assert kinds(waited(socketless, later, 1)) == ["grant"]


def test_late_messages_of_the_previous_job_neither_take_nor_end_a_turn(socketless: SocketlessDaemon) -> None:
    before, later = Opening(socketless, 5), Opening(socketless, 7)
    before.hello()
    before.ask(3)
    later.hello()
    (granted,) = waited(socketless, later, 1)
    assert kinds(before.wrote(3, 1)) == ["noted"]
    assert before.hello(asked=3) == before.ask(3) == before.say("heartbeat", iteration=50, epoch=1) == []
    assert kinds(before.say("goodbye", id=9)) == ["noted"]
    assert held(socketless) == granted["epoch"]
    (still,) = later.say("heartbeat", iteration=1, epoch=granted["epoch"])
    assert still["turn"] is True


def test_unknown_later_job_is_asked_to_identify_itself(socketless: SocketlessDaemon) -> None:
    Opening(socketless, 5).hello()
    later = Opening(socketless, 7)
    assert kinds(later.ask(1)) == ["who"]
    assert kinds(later.hello(asked=1))[0] == "welcome"
    assert socketless.state.sessions[A].opening == 7


def test_next_job_is_accepted_right_after_the_closing_message(socketless: SocketlessDaemon) -> None:
    before, later = Opening(socketless, 5), Opening(socketless, 7)
    before.hello()
    before.say("goodbye", id=1)
    assert before.hello() == []
    assert kinds(later.hello())[0] == "welcome"


@pytest.mark.parametrize("opening", [0, 5])
@pytest.mark.parametrize("seed", range(5))
def test_messages_of_a_finished_phase_take_no_turn(
    socketless: SocketlessDaemon, opening: int, seed: int
) -> None:
    chance = random.Random(seed)
    job, other = Opening(socketless, opening), Opening(socketless, 0)
    job.hello()
    job.writes(2)
    (granted,) = job.ask(3)
    socketless.receive(hello(B))
    for _ in range(60):
        socketless.now += 0.25
        assert "grant" not in kinds(job.ask(chance.choice((1, 2))))
        job.hello(asked=chance.choice((1, 2, 3)))
        job.say("heartbeat", iteration=20, epoch=granted["epoch"])
        assert kinds(other.say("io_request", B, number=1, bytes=0, iteration=0)) == []
    assert held(socketless) == granted["epoch"]
    assert socketless.state.sessions[A].io.phases == 2


@pytest.mark.parametrize("opening", [0, 5])
def test_old_messages_do_not_make_a_job_another_one(socketless: SocketlessDaemon, opening: int) -> None:
    job = Opening(socketless, opening)
    job.hello()
    job.writes(2)
    for number in (1, 2, 2):
        job.ask(number)
    job.hello(asked=2)
    job.hello()  # as it is: it waits for nothing
    for _ in range(3):
        job.ask(2)
    job.hello(asked=2)
    assert socketless.state.sessions[A].io.phases == 2


def test_phases_of_an_earlier_job_of_the_same_name_are_not_restored(house: Any) -> None:
    house.begin()
    before = house.known_job(opening=5)
    for number in (1, 2, 3):
        before.iteration = 10 * number
        before.wrote(number, 0, opening=5)
    house.until(lambda: before.kinds().count("noted") == 3)
    later = house.known_job(opening=7)
    later.wrote(1, 0, opening=7)
    house.until(lambda: "noted" in later.kinds())
    house.end()
    daemon = house.begin()
    (known,) = daemon.state.coordinator.jobs.values()
    assert len(known.phases) == 1
    assert daemon.state.sessions[later.name].opening == 7
