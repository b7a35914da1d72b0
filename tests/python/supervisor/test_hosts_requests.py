# SPDX-License-Identifier: BSD-3-Clause
"""Requests for hosts at a job's control socket: what the job is asked for, and what who asked is told."""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from an_allocation import FakeAllocation

from nereus.allocation import ResourceManager
from nereus.launch import Build, Launch
from nereus.supervisor import Job, ask
from nereus.supervisor.control_socket import control_socket_of
from nereus.supervisor.frames import PENDING, RESIZED
from nereus.supervisor.identity import Identity
from nereus.supervisor.messages import Answer, AskHosts, AskSave, Root, Saved
from nereus.supervisor.request_server import RequestServer
from nereus.supervisor.sockets import Sockets

LIMIT = 60.0
KEY = "0123456789abcdef"


class Client:
    """Asks from another thread, as another program would."""

    def __init__(self, path: Path, **question: Any) -> None:
        self.answer: dict[str, Any] = {}
        message = {"kind": "hosts", "change": "grow", **question}
        self._thread = threading.Thread(
            target=lambda: self.answer.update(ask(path, message, LIMIT)), daemon=True
        )
        self._thread.start()

    def is_back(self) -> bool:
        return not self._thread.is_alive()


@contextmanager
def job_on(stage: Any, allocation: FakeAllocation | None, *acts: str) -> Iterator[Job]:
    """A job whose root carries these acts out, once it is open."""
    supervision = stage.supervision("open", *acts, joins=True, environment={})
    if allocation is not None:
        manager = ResourceManager("fake", supervision.launch.reach, lambda key, folder: allocation)
        supervision = replace(supervision, manager=manager)
    with Job(supervision, stage.folder / "output.txt") as job:
        job.grace = 2.0
        stage.attend(job, lambda: told(stage, job, kind="status").get("state") == "running")
        yield job


def told(stage: Any, job: Job, **question: Any) -> dict[str, Any]:
    """What who asks this is told."""
    client = Client(stage.control_sockets()[0], **question)
    stage.attend(job, client.is_back)
    return client.answer


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"count": 1, "names": ["n1"]},
        {"count": -1},
        {"names": ["n1 rm"]},
        {"count": 1, "change": "shrink"},
        {"count": 1, "ranks": 0},
        {"count": 1, "patience": -1},
        {"count": 1, "options": {"nonsense": "1"}},
    ],
)
def test_wrong_request_is_answered_with_what_is_allowed(stage: Any, question: dict[str, Any]) -> None:
    with job_on(stage, FakeAllocation(1), "sleep") as job:
        answer = told(stage, job, **question)
    assert (answer["kind"], "allowed are" in answer["message"]) == ("refused", True)


def test_job_with_hosts_by_a_list_tells_that_it_cannot_grow(stage: Any) -> None:
    with job_on(stage, None, "sleep") as job:
        answer = told(stage, job, count=1)
    assert (answer["kind"], answer["never"]) == ("refused", True)
    assert "no others can be had" in answer["message"]


def test_job_that_has_no_host_to_spare_tells_so(stage: Any) -> None:
    with job_on(stage, None, "sleep") as job:
        answer = told(stage, job, change="release", count=1)
    assert (answer["kind"], answer["message"]) == ("refused", "of 0 hosts at most 0 can be released")


def test_who_waits_for_hosts_is_told_of_the_resize(stage: Any) -> None:
    allocation = FakeAllocation(1)
    with job_on(stage, allocation, "resize:0:7", "settled:7:1", "sleep") as job:
        client = Client(stage.control_sockets()[0], count=2, options={"process-method": "merge"})
        stage.attend(job, lambda: allocation.growing)
        assert not client.is_back()
        allocation.grant(allocation.growing[0])
        stage.attend(job, client.is_back)
    assert (client.answer["kind"], client.answer["code"]) == ("resized", RESIZED)
    (asked,) = stage.received("resize")
    assert (asked["ranks"], asked["options"]) == (6, {"process-method": "merge", "hosts": "n1:2,n2:2"})


def test_who_does_not_wait_for_hosts_is_told_that_they_are_asked_for(stage: Any) -> None:
    allocation = FakeAllocation(1)
    with job_on(stage, allocation, "resize:0:7", "sleep") as job:
        answer = told(stage, job, count=1, wait=False)
        allocation.grant(allocation.growing[0])
        stage.attend(job, lambda: stage.received("resize"))
    assert (answer["kind"], answer["code"], answer["request"]) == ("resized", PENDING, 0)


@pytest.mark.parametrize("never", [True, False])
def test_who_waits_for_hosts_in_vain_is_told_why(stage: Any, never: bool) -> None:
    allocation = FakeAllocation(1)
    with job_on(stage, allocation, "sleep") as job:
        client = Client(stage.control_sockets()[0], count=1)
        stage.attend(job, lambda: allocation.growing)
        allocation.fail(allocation.growing[0], "Slurm grants none", never)
        stage.attend(job, client.is_back)
    assert client.answer["message"] == "Slurm grants none"
    assert (client.answer["kind"], client.answer["never"]) == ("refused", never)


def test_who_waits_for_hosts_when_the_job_ends_is_told_so(stage: Any) -> None:
    allocation = FakeAllocation(1)
    with job_on(stage, allocation, "sleep") as job:
        client = Client(stage.control_sockets()[0], count=1)
        stage.attend(job, lambda: allocation.growing)
    stage.wait(client.is_back)
    assert (client.answer["kind"], "the job ended" in client.answer["message"]) == ("refused", True)


class Asked:
    """What a request server asks a job's root, which may change."""

    def __init__(self, sockets: Sockets, build: Build) -> None:
        self.questions: list[tuple[int, int, dict[str, str]]] = []
        launch = Launch(build, Path("/bin/true"))

        def note(ticket: int, ranks: int, options: dict[str, str]) -> None:
            self.questions.append((ticket, ranks, options))

        def change_hosts(ticket: int, asked: AskHosts) -> None: ...

        self.saves: list[tuple[int, bool]] = []

        def note_save(ticket: int, stops: bool) -> None:
            self.saves.append((ticket, stops))

        self.server = RequestServer(
            sockets, Identity(KEY, "true-1"), launch, 1, note, change_hosts, note_save
        )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    with ExitStack() as opened:
        # Names of sockets are short.
        runtime = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="nst-")))
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        sockets = opened.enter_context(Sockets())
        asked = Asked(sockets, Build("mpich", runtime, runtime / "mpiexec", "MPICH Version: 9.9"))
        opened.callback(asked.server.close)
        assert control_socket_of(KEY).exists()
        yield asked


def test_resize_that_nobody_asked_for_is_asked_of_the_next_root_too(asked: Asked) -> None:
    root = Root(kind="root", generation=1, ranks=2, hosts=["n0", "n1"])
    asked.server.root_is_there(root)
    asked.server.hand_on(asked.server.new_ticket(), 1, {"release-hosts": "n1"})
    asked.server.root_is_there(root)
    asked.server.ask_again()
    assert asked.questions == [(1, 1, {"release-hosts": "n1"})] * 2


def told_by(asked: Asked, stops: bool = False) -> tuple[int, list[tuple[int, str, dict[str, Any] | None]]]:
    heard: list[tuple[int, str, dict[str, Any] | None]] = []
    ticket = asked.server.ask(AskSave(kind="save", stops=stops), lambda *words: heard.append(words))
    return ticket, heard


def saved_epoch(request: int, code: int = 0, message: str = "") -> Saved:
    known: dict[str, Any] = {"epoch": 3, "iteration": 17, "bytes": 100, "seconds": 0.5}
    known |= {"stops": False, "in_memory": False}
    return Saved(kind="saved", request=request, code=code, message=message, **known)


def test_request_to_save_is_asked_of_the_root_and_told_when_it_is_saved(asked: Asked) -> None:
    asked.server.root_is_there(Root(kind="root", generation=0, ranks=1, hosts=["n0"]))
    ticket, heard = told_by(asked, stops=True)
    assert asked.saves == [(ticket, True)]
    asked.server.answered(Answer(kind="answer", ticket=ticket, code=0, message="", request=5))
    asked.server.saved(saved_epoch(4))
    assert heard == []
    asked.server.saved(saved_epoch(5))
    report = {"epoch": 3, "iteration": 17, "bytes": 100, "seconds": 0.5, "stops": False}
    assert heard == [(0, "", report)]


def test_request_to_save_that_is_refused_or_fails_is_told_why(asked: Asked) -> None:
    asked.server.root_is_there(Root(kind="root", generation=0, ranks=1, hosts=["n0"]))
    ticket, heard = told_by(asked)
    asked.server.answered(Answer(kind="answer", ticket=ticket, code=-10, message="no folder", request=0))
    assert heard == [(-10, "no folder", None)]
    ticket, heard = told_by(asked)
    asked.server.answered(Answer(kind="answer", ticket=ticket, code=0, message="", request=6))
    asked.server.saved(saved_epoch(6, code=-13, message="the disk is full"))
    assert heard == [(-13, "the disk is full", None)]


def test_request_to_save_is_asked_of_the_next_root_too(asked: Asked) -> None:
    asked.server.root_is_there(Root(kind="root", generation=0, ranks=1, hosts=["n0"]))
    ticket, _ = told_by(asked)
    asked.server.ask_again()
    assert asked.saves == [(ticket, False)] * 2
