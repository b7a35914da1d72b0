# SPDX-License-Identifier: BSD-3-Clause
"""Commands that no daemon would give, to real jobs: refused or dropped, and a good one is carried out."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
import zmq
from test_daemon import MPIS, job, said

from conftest import LIMIT, Site

ERR_RANGE, ERR_PROCESS, ERR_SETTING = -3, -7, -11
MOST = 5  # ranks
#: What is sent as `ranks`, and what else; the code by which it is refused.
REFUSED: list[tuple[dict[str, Any], int]] = [
    ({"ranks": 0}, ERR_RANGE),
    ({"ranks": -1}, ERR_RANGE),
    ({"ranks": 2**31 - 1}, ERR_RANGE),
    ({"ranks": 2**31}, ERR_RANGE),
    ({"ranks": 2**64 - 1}, ERR_RANGE),
    ({"ranks": MOST + 1}, ERR_RANGE),
    ({"ranks": "3"}, ERR_RANGE),
    ({"ranks": 3.5}, ERR_RANGE),
    ({"ranks": None}, ERR_RANGE),
    ({"ranks": 3, "at": -1}, ERR_RANGE),
    ({"ranks": 3, "at": "soon"}, ERR_RANGE),
    ({"ranks": 3, "options": {"no": "x"}}, ERR_SETTING),
    ({"ranks": 3, "options": {"hosts": 7}}, ERR_RANGE),
    ({"ranks": 3, "options": ["hosts"]}, ERR_RANGE),
    ({"ranks": 3, "options": {"hosts": ":0:"}}, ERR_SETTING),
    ({"ranks": 3, "options": {"process-method": "?"}}, ERR_SETTING),
    ({"ranks": 3, "options": {"hosts": "nowhere:1"}}, ERR_RANGE),
]


class FakeDaemon:
    """In the daemon's place: serves one job, and says what a test wants."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.peer = b""
        self.name = ""
        self.number = 0

    def received(self, *kinds: str) -> dict[str, Any]:
        """The next message of one of those kinds; of all others what they need is answered."""
        while True:
            assert self.socket.poll(LIMIT * 1000), f"no {kinds} came"
            self.peer, frame = self.socket.recv_multipart()
            message: dict[str, Any] = json.loads(frame)
            self.name = message["job"]
            self._answer(message)
            if message["kind"] in kinds:
                return message

    def _answer(self, message: dict[str, Any]) -> None:
        if message["kind"] == "hello":
            self.say("welcome", instance="a", heartbeat_seconds=0.1, lease_seconds=10)
        if message["kind"] == "heartbeat":
            self.say("alive", instance="a", epoch=message["epoch"], turn=True)
        if message["kind"] == "io_request":
            self.say("grant", number=message["number"], epoch=10**6 + message["number"])
        if "id" in message:
            self.say("noted", id=message["id"])

    def say(self, kind: str, **keys: Any) -> None:
        self.send(json.dumps({"version": 1, "job": self.name, "kind": kind, **keys}).encode())

    def send(self, *frames: bytes) -> None:
        self.socket.send_multipart([self.peer, *frames])

    def command(self, **keys: Any) -> dict[str, Any]:
        """Tells the job to be resized, and waits for the end of that."""
        self.tell(**keys)
        return self.answer()

    def tell(self, **keys: Any) -> None:
        self.number += 1
        self.say("resize", **{"command": self.number, "at": 0, "options": {}, "why": "?", **keys})

    def answer(self) -> dict[str, Any]:
        """To the command that is answered next, whichever it was."""
        return self.received("done", "refused")


@contextmanager
def under_daemon(site: Site, mpi: str) -> "Iterator[tuple[FakeDaemon, subprocess.Popen[str]]]":
    """A job of two ranks that ends once there is the file `stop`, and its daemon."""
    address = f"ipc://{site.temporary}/line"
    start, *others = job(site, mpi, "100000", "20", "20", "1")
    command = (start, "--max-ranks", str(MOST), *others)
    with zmq.Context() as context, context.socket(zmq.ROUTER) as socket, ExitStack() as stack:
        socket.setsockopt(zmq.LINGER, 0)
        socket.bind(address)
        stack.callback((site.temporary / "line").unlink)
        environment = {"NEREUS_CONTROLLER": address, "NEREUS_TEST_STOP_FILE": str(site.folder / "stop")}
        with site.started(*command, **environment) as process:
            daemon = FakeDaemon(socket)
            daemon.received("hello")
            yield daemon, process


def end_of(site: Site, daemon: FakeDaemon, process: "subprocess.Popen[str]") -> str:
    """Of a job that iterates: what it printed; it ends well."""
    (site.folder / "stop").touch()
    daemon.received("goodbye")
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, err
    return out


def drop_all(daemon: FakeDaemon) -> None:
    """Says what no job can read, or is to read."""
    good = {"version": 1, "job": daemon.name, "kind": "resize", "command": 2**40, "ranks": 4, "at": 0}
    texts = [
        b"",
        b"{}",
        b"{",
        b"[]",
        b"null",
        bytes(range(256)),
        b"\xff" * 1000,
        b"[" * 100_000,
        json.dumps(good | {"version": 2}).encode(),
        json.dumps(good | {"version": "1"}).encode(),
        json.dumps(good | {"job": "f" * 16}).encode(),
        json.dumps(good | {"kind": 7}).encode(),
        json.dumps(good | {"why": "x" * 2**20}).encode(),
        json.dumps(good | {"command": -1}).encode(),
        json.dumps(good | {"command": 2**60}).encode(),
        json.dumps({key: value for key, value in good.items() if key != "command"}).encode(),
    ]
    for text in texts:
        daemon.send(text)
    daemon.send(json.dumps(good).encode(), json.dumps(good).encode())


@pytest.mark.parametrize("mpi", MPIS)
def test_invalid_commands_have_no_effect_on_job_and_next_command(site: Site, mpi: str) -> None:
    with under_daemon(site, mpi) as (daemon, process):
        drop_all(daemon)
        for keys, code in REFUSED:
            answer = daemon.command(**keys)
            told = {"kind": answer["kind"], "command": answer["command"], "code": answer.get("code")}
            assert told == {"kind": "refused", "command": daemon.number, "code": code}, (keys, answer)
            assert answer["message"]
        # To shrink, as processes that Open MPI spawns sometimes hang in it.
        answer = daemon.command(ranks=1)
        assert (answer["kind"], answer["command"], len(answer["hosts"])) == ("done", daemon.number, 1)
        out = end_of(site, daemon, process)
    assert [ranks for _, ranks in said(out, "resized")] == ["1"]


def test_command_for_a_missing_host_is_rolled_back_and_the_job_continues(site: Site) -> None:
    with under_daemon(site, "mpich") as (daemon, process):
        answer = daemon.command(ranks=3, options={"hosts": "nowhere:1", "oversubscribe": "on"})
        assert (answer["kind"], answer["code"]) == ("refused", ERR_PROCESS)
        answer = daemon.command(ranks=3)
        assert answer["kind"] == "done", answer
        out = end_of(site, daemon, process)
    assert [ranks for _, ranks in said(out, "resized")] == ["3"]


@pytest.mark.parametrize("ats", [(50, 50), (50, 80)], ids=["together", "later"])
def test_command_for_the_current_size_is_done_without_a_resize(site: Site, ats: tuple[int, int]) -> None:
    with under_daemon(site, "mpich") as (daemon, process):
        for at in ats:
            daemon.tell(ranks=3, at=at)
        first, second = daemon.answer(), daemon.answer()
        assert [each["kind"] for each in (first, second)] == ["done", "done"]
        assert [each["command"] for each in (first, second)] == [1, 2]
        assert [len(each["hosts"]) for each in (first, second)] == [3, 3]
        assert (second["seconds"], second["generation"]) == (0, 1)
        out = end_of(site, daemon, process)
    assert [ranks for _, ranks in said(out, "resized")] == ["3"]
