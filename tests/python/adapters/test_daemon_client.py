# SPDX-License-Identifier: BSD-3-Clause
"""What a job of a program without Nereus says to the daemon, and what it hears from it."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nereus.adapters.daemon_client import DaemonClient, State
from nereus.supervisor.sockets import Sockets

KEY = "0123456789abcdef"
LIMIT_MILLISECONDS = 60_000


class Line:
    """A client, of which the test plays the daemon."""

    def __init__(self, sockets: Sockets, address: str) -> None:
        self.now = 0.0
        self.state = State(["a", "a"], 1, 10)
        self.daemon = sockets.router()
        self.daemon.bind(address)
        about = {"command": ["program"], "mpi": "mpich", "most": 4}
        self.client = DaemonClient(sockets, KEY, about, lambda: self.state, now=self.clock)
        self.sender = b""
        self.hello = self.said("hello")

    def clock(self) -> float:
        """Goes on by itself, for who waits."""
        self.now += 0.001
        return self.now

    def said(self, kind: str) -> dict[str, Any]:
        """The next message of this kind; each must be our job's."""
        for _ in range(1000):
            self.now += 0.25
            self.client.turn()
            while self.daemon.poll(10):
                self.sender, frame = self.daemon.recv_multipart()
                message: dict[str, Any] = json.loads(frame)
                assert (message["version"], message["job"]) == (1, KEY)
                assert message["opening"] > 0
                if message["kind"] == kind:
                    return message
        raise AssertionError(f"no {kind} came")

    def kinds(self, seconds: float) -> list[str]:
        """Of all that is said in that time of the client's clock."""
        until, kinds = self.now + seconds, []
        while self.now < until:
            self.now += 0.25
            self.client.turn()
            while self.daemon.poll(5):
                kinds.append(json.loads(self.daemon.recv_multipart()[1])["kind"])
        return kinds

    def say(self, **message: Any) -> None:
        """To the client, which has it when this is over."""
        value = {"version": 1, "job": KEY, **message}
        self.daemon.send_multipart([self.sender, json.dumps(value).encode()])
        assert self.client._socket is not None
        assert self.client._socket.poll(LIMIT_MILLISECONDS)
        self.client.turn()

    def welcomed(self) -> "Line":
        self.say(kind="welcome", instance="x", heartbeat_seconds=0.5, lease_seconds=5)
        return self


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> Iterator[Line]:
    with tempfile.TemporaryDirectory(prefix="nst-") as folder, Sockets() as sockets:
        address = f"ipc://{Path(folder) / 'line'}"
        monkeypatch.setenv("NEREUS_CONTROLLER", address)
        yield Line(sockets, address)


def test_hello_is_said_until_it_is_welcome_and_heartbeats_from_then_on(line: Line) -> None:
    known = {key: line.hello[key] for key in ("command", "hosts", "most", "iteration", "supervised")}
    assert known == {
        "command": ["program"],
        "hosts": ["a", "a"],
        "most": 4,
        "iteration": 10,
        "supervised": True,
    }
    assert set(line.kinds(5)) == {"hello"}
    line.welcomed()
    line.kinds(2)  # what was on its way
    assert set(line.kinds(5)) == {"heartbeat"}
    line.say(kind="who")
    assert line.said("hello")["opening"] == line.hello["opening"]


def test_command_begins_at_its_iteration_and_its_end_is_said_until_it_is_noted(line: Line) -> None:
    line.welcomed().say(kind="resize", command=7, ranks=3, at=12, options={}, why="")
    assert line.said("heard")["command"] == 7
    assert line.client.begin_next() is None
    line.state = State(["a", "a"], 1, 12)
    command = line.client.begin_next()
    assert command is not None
    assert (command.number, command.ranks, line.client.begin_next()) == (7, 3, None)
    line.state = State(["a", "a", "a"], 2, 13)
    line.client.done(1.5, 7)
    done = line.said("done")
    assert (done["command"], done["hosts"], done["seconds"]) == (7, ["a", "a", "a"], 1.5)
    assert line.said("done")["id"] == done["id"]
    line.say(kind="noted", id=done["id"])
    line.kinds(2)
    assert "done" not in line.kinds(5)
    line.say(kind="resize", command=7, ranks=3, at=0, options={}, why="")
    assert line.client.begin_next() is None, "it is done"


def test_command_that_has_not_begun_is_cancelled(line: Line) -> None:
    line.welcomed().say(kind="resize", command=7, ranks=3, at=0)
    assert line.client.begin_next() is not None
    line.say(kind="resize", command=8, ranks=2, at=0)
    line.say(kind="cancel", command=7)
    line.say(kind="cancel", command=8)
    line.say(kind="cancel", command=9)
    assert [line.said("refused")["command"] for _ in range(2)] == [8, 9]
    line.client.done(0.1, 7)
    line.say(kind="resize", command=9, ranks=3, at=0)
    assert line.client.begin_next() is None


@pytest.mark.parametrize(
    ("wrong", "code"), [({"ranks": 5}, -3), ({"options": {"process-method": "merge"}}, -10)]
)
def test_command_that_cannot_be_carried_out_is_refused(line: Line, wrong: dict[str, Any], code: int) -> None:
    line.welcomed().say(**{"kind": "resize", "command": 7, "ranks": 3, "at": 0, **wrong})
    refused = line.said("refused")
    assert (refused["command"], refused["code"], line.client.begin_next()) == (7, code, None)


@pytest.mark.parametrize(
    "wrong",
    [{"ranks": 0}, {"ranks": "3"}, {"command": -1}, {"kind": "x"}, {"job": "f" * 16}, {"version": 2}],
)
def test_message_that_makes_no_sense_changes_nothing(line: Line, wrong: dict[str, Any]) -> None:
    line.welcomed().say(**{"kind": "resize", "command": 7, "ranks": 3, "at": 0, **wrong})
    assert line.client.begin_next() is None


def test_goodbye_is_said_to_a_daemon_that_has_welcomed_it(line: Line) -> None:
    line.client.close()
    assert line.welcomed().said("heartbeat")
    line.client.close()
    assert line.said("goodbye")


def test_job_without_a_daemon_says_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("NEREUS_CONTROLLER", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with Sockets() as sockets:
        client = DaemonClient(sockets, KEY, {"most": 4}, lambda: State(["a"], 0, 0))
        client.turn()
        client.done(1.0)
        client.close()
        assert client.begin_next() is None
