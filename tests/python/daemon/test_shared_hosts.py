# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that share out one allocation: what the daemon says to questions about hosts, and after a restart."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from a_clock import PassingTime
from a_daemon import SocketlessDaemon, hello

from nereus.daemon import Ask, DaemonError, NoDaemon, queue
from nereus.daemon.error import SilentDaemon
from nereus.daemon.queries import QueryHandler
from nereus.daemon.state import Pilot
from nereus.daemon.status import daemon_document
from nereus.launch import Stopping
from nereus.supervisor.daemon_address import daemon_control_socket

A, B = "a" * 16, "b" * 16
PILOT = Pilot("4711", {"n1": 2, "n2": 2, "n3": 2})


def raising(problem: DaemonError) -> Ask:
    """In place of a daemon that is asked."""

    def ask(question: Mapping[str, Any], seconds: float = 0.0) -> dict[str, Any]:
        raise problem

    return ask


class Asked:
    """A daemon and its control socket."""

    def __init__(self, daemon: SocketlessDaemon) -> None:
        self.daemon = daemon
        self._handler = QueryHandler(daemon.state, daemon.executor, {"pid": 1})

    def ask(self, kind: str, **words: Any) -> dict[str, Any]:
        answer, _ = self._handler.answer({"kind": kind, **words}, self.daemon.now)
        return answer

    def has(self, job: str, names: list[str], **words: Any) -> list[str]:
        """The hosts of a job after its supervisor has spoken."""
        names_now: list[str] = self.ask("hosts", job=job, names=names, first=1, **words)["names"]
        return names_now

    def look(self, seconds: float) -> None:
        self.daemon.now += seconds
        self._handler.look(self.daemon.now)

    def held(self) -> dict[str, str | None]:
        """The job of each host."""
        hosts: dict[str, str | None] = daemon_document(self.daemon.state)["pilot"]["hosts"]
        return hosts


@pytest.fixture
def asked() -> Iterator[Asked]:
    daemon = SocketlessDaemon("blocking", pilot=PILOT)
    yield Asked(daemon)
    daemon.close()


def test_first_hosts_are_reserved_whole(asked: Asked) -> None:
    assert asked.ask("reserve", job=A, ranks=3) == {"kind": "reserved", "places": {"n1": 2, "n2": 2}}
    assert asked.ask("reserve", job=B, ranks=3) == {"kind": "waiting", "before": 0}
    assert asked.held() == {"n1": A, "n2": A, "n3": None}
    assert "1 to 6 are there" in asked.ask("reserve", job=B, ranks=7)["message"]


def test_job_that_waits_starts_when_hosts_are_let_go(asked: Asked) -> None:
    asked.ask("reserve", job=A, ranks=6)
    asked.ask("reserve", job=B, ranks=2)
    assert asked.has(A, ["n1", "n2"]) == ["n1", "n2"]
    assert asked.ask("reserve", job=B, ranks=2)["places"] == {"n3": 2}


def test_reservation_that_is_released_has_no_hosts_any_more(asked: Asked) -> None:
    asked.ask("reserve", job=A, ranks=6)
    asked.ask("release", job=A)
    asked.has(A, [])
    assert asked.held() == {"n1": None, "n2": None, "n3": None}


def test_hosts_of_a_silent_supervisor_are_free_after_a_minute(asked: Asked) -> None:
    asked.ask("reserve", job=A, ranks=2)
    asked.has(A, ["n1"])
    asked.look(59)
    assert asked.held()["n1"] == A
    asked.look(2)
    assert asked.held()["n1"] is None
    notes = [each.about["text"] for each in asked.daemon.state.events.since(0, 100) if each.kind == "note"]
    assert notes == ["its supervisor is silent: its hosts are free"]


def test_wish_that_can_never_come_true_is_told(asked: Asked) -> None:
    asked.ask("reserve", job=A, ranks=2)
    answer = asked.ask("hosts", job=A, names=["n1"], first=1, more=3)
    assert (answer["names"], answer["never"]) == (
        ["n1"],
        "3 hosts: 2 are there beside those that the job began with",
    )


def test_wish_that_waits_has_a_reason(asked: Asked) -> None:
    asked.ask("reserve", job=A, ranks=2)
    asked.ask("reserve", job=B, ranks=4)
    answer = asked.ask("hosts", job=A, names=["n1"], first=1, more=1)
    assert (answer["names"], answer["why"]) == (["n1"], "of 3 hosts 0 are free")


@pytest.mark.parametrize(
    "words",
    [
        {"names": ["n 1"], "first": 1},
        {"names": "n1", "first": 1},
        {"names": [], "first": -1},
        {"names": [], "first": 0, "more": -1},
        {"names": []},
    ],
)
def test_question_about_hosts_that_makes_no_sense_is_refused(asked: Asked, words: dict[str, Any]) -> None:
    assert asked.ask("hosts", job=A, **words)["kind"] == "refused"
    assert asked.held() == {"n1": None, "n2": None, "n3": None}


def test_daemon_without_shared_hosts_says_so() -> None:
    daemon = SocketlessDaemon("blocking")
    asked = Asked(daemon)
    assert asked.ask("pilot") == {"kind": "pilot", "job": ""}
    assert "shares out no hosts" in asked.ask("hosts", job=A, names=[], first=0)["message"]
    assert daemon_document(daemon.state)["pilot"] is None
    daemon.close()


def test_restarted_daemon_learns_who_has_which_host(asked: Asked) -> None:
    again = Asked(SocketlessDaemon("blocking", pilot=PILOT, quiet_seconds=3.0))
    try:
        assert again.ask("reserve", job=B, ranks=2)["kind"] == "waiting"
        assert again.has(A, ["n1"], more=1) == ["n1"]
        again.daemon.sent(hello(A, hosts=["n1", "n1"]), b"a")
        again.look(3.0)
        assert again.ask("reserve", job=B, ranks=2)["places"] == {"n2": 2}
    finally:
        again.daemon.close()


@pytest.fixture
def clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PassingTime:
    made = PassingTime()
    monkeypatch.setattr(queue, "time", made)
    monkeypatch.setenv("NEREUS_KEY_FOLDER", str(tmp_path))
    return made


@pytest.mark.parametrize(
    ("answer", "shares"), [({"job": "4711"}, True), ({"job": "4712"}, False), ({}, False)]
)
def test_daemon_shares_the_hosts_of_its_own_job_alone(
    clock: PassingTime, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], shares: bool
) -> None:
    monkeypatch.setattr(queue, "ask_daemon", lambda question: answer)
    with Stopping() as stopping:
        assert queue.shares_hosts_of("4711", True, stopping, print) is shares


@pytest.mark.parametrize(
    ("comes_at", "expected", "shares"), [(50.0, True, True), (99.0, True, False), (5.0, False, False)]
)
def test_daemon_that_is_just_being_started_is_waited_for_if_it_is_expected(
    clock: PassingTime, monkeypatch: pytest.MonkeyPatch, comes_at: float, expected: bool, shares: bool
) -> None:
    def ask(question: dict[str, Any]) -> dict[str, Any]:
        if clock.now < comes_at:
            raise NoDaemon("none")
        return {"job": "4711"}

    monkeypatch.setattr(queue, "ask_daemon", ask)
    told: list[str] = []
    with Stopping() as stopping:
        assert queue.shares_hosts_of("4711", expected, stopping, told.append) is shares
    assert clock.now <= 61.0
    assert told == (["waiting for a daemon of the job 4711, for 60 s at most"] if expected else [])


def test_daemon_of_an_earlier_version_shares_nothing(
    clock: PassingTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "ask_daemon", raising(DaemonError("the daemon refused: allowed are status")))
    with Stopping() as stopping:
        assert queue.shares_hosts_of("4711", True, stopping, print) is False


@pytest.fixture
def recorded(clock: PassingTime, monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon that answers at the address in its record."""
    monkeypatch.setattr(
        queue, "address_in_record", lambda of_job: "tcp://n1:4000" if of_job == "4711" else None
    )
    monkeypatch.setattr(queue, "answers", lambda address: True)


@pytest.mark.parametrize("expected", [True, False])
def test_job_on_another_host_than_the_daemon_is_refused(
    recorded: None, monkeypatch: pytest.MonkeyPatch, expected: bool
) -> None:
    monkeypatch.setattr(queue, "ask_daemon", raising(NoDaemon("none")))
    with Stopping() as stopping, pytest.raises(DaemonError, match="tcp://n1:4000: start jobs on its host"):
        queue.shares_hosts_of("4711", expected, stopping, print)


@pytest.mark.parametrize("expected", [True, False])
@pytest.mark.parametrize("first", [NoDaemon("none"), SilentDaemon("silent")])
def test_job_is_shared_where_the_daemon_begins_after_it_was_asked(
    recorded: None, monkeypatch: pytest.MonkeyPatch, first: NoDaemon, expected: bool
) -> None:
    answers: Iterator[NoDaemon | dict[str, Any]] = iter([first, {"job": "4711"}])

    def ask(question: dict[str, Any]) -> dict[str, Any]:
        found = next(answers)
        if isinstance(found, NoDaemon):
            raise found
        return found

    monkeypatch.setattr(queue, "ask_daemon", ask)
    with Stopping() as stopping:
        assert queue.shares_hosts_of("4711", expected, stopping, print)


@pytest.mark.parametrize("expected", [True, False])
def test_job_does_not_start_beside_a_daemon_that_does_not_answer(
    recorded: None, monkeypatch: pytest.MonkeyPatch, expected: bool
) -> None:
    monkeypatch.setattr(queue, "ask_daemon", raising(SilentDaemon("silent")))
    with Stopping() as stopping, pytest.raises(SilentDaemon):
        queue.shares_hosts_of("4711", expected, stopping, print)


def test_daemon_opens_its_control_socket_before_it_writes_its_record(
    house: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[bool] = []

    def listen(line: Any, store: Path, address: Any, of_job: str) -> Any:
        found.append(daemon_control_socket().is_socket())
        return "tcp://n1:4000", lambda: None

    monkeypatch.setattr("nereus.daemon.daemon.listen_for_jobs", listen)
    house.begin(pilot=PILOT)
    assert found == [True]
