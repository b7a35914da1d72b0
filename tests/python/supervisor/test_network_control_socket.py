# SPDX-License-Identifier: BSD-3-Clause
"""A job with other hosts is asked from them too: by who has its record, and by nobody else."""

import json
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zmq
from a_far_supervisor import NOWHERE, far_supervisor, record_of, write_record

from nereus.allocation import ResourceManager, static_hosts
from nereus.launch import Host, Launch, LaunchError, Reach, Share
from nereus.supervisor import Job, NoAnswer, Supervision, ask, find, found_jobs, statuses
from nereus.supervisor.asking import ask_all
from nereus.supervisor.curve import Pair, new_pair
from nereus.supervisor.job_records import job_records
from nereus.supervisor.key_folder import FOLDER_VARIABLE
from nereus.supervisor.network_address import NetworkAddress
from nereus.supervisor.sockets import Sockets

LIMIT = 60.0
STATUS = {"kind": "status"}
A, B, C = "a" * 16, "b" * 16, "c" * 16


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own, on a host that others reach by its loopback."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    for module in ("link_socket", "network_control_socket"):
        monkeypatch.setattr(f"nereus.supervisor.{module}.own_address", lambda others: "127.0.0.1")
    return folder


@pytest.fixture
def keys(home: Path) -> Path:
    """The folder of records."""
    return home / ".nereus" / "keys"


FAR = Reach((Host("elsewhere"),))


@contextmanager
def job_of(stage: Any, reach: Reach, *acts: str, manager: ResourceManager | None = None) -> Iterator[Job]:
    """A job of a user, of which nothing is started on other hosts."""
    arguments = (str(Path(__file__).parents[1] / "fakes" / "player.py"), *acts)
    launch = Launch(stage.build, Path(sys.executable), arguments, reach=reach, recorded=True)
    supervision = Supervision(launch, [Share("", 2)], joins=True, manager=manager)
    with Job(supervision, stage.folder / "output.txt") as job:
        job.grace = 2.0
        yield job


def never(text: str) -> None:
    raise AssertionError(text)


def address() -> NetworkAddress:
    """Of the one job that has a record."""
    (record,) = job_records(never)
    return record.network_address


def answered(
    stage: Any, job: Job, where: Path | NetworkAddress, question: dict[str, Any], seconds: float = LIMIT
) -> dict[str, Any] | NoAnswer:
    """What who asks gets, while the job is attended to."""
    found: list[dict[str, Any] | NoAnswer] = []
    thread = threading.Thread(target=lambda: found.extend(ask_all([where], question, seconds)), daemon=True)
    thread.start()
    stage.attend(job, lambda: not thread.is_alive())
    return found[0]


def test_job_with_other_hosts_is_asked_by_its_record_until_it_ends(stage: Any, home: Path) -> None:
    with job_of(stage, FAR, "open:3", "resize:0:7", "settled:7:1", "sleep") as job:
        (record,) = job_records(never)
        assert (record.job, record.name, record.host) == (job.key, job.name, socket.gethostname())
        assert (record.resource_manager, record.supervisor.pid) == (None, os.getpid())
        far, here = record.network_address, stage.control_sockets()[0]

        def is_open() -> bool:
            found = answered(stage, job, far, STATUS)
            return isinstance(found, dict) and found["state"] == "running"

        stage.attend(job, is_open)
        assert answered(stage, job, far, STATUS) == answered(stage, job, here, STATUS)
        wish = {"kind": "resize", "ranks": 5, "options": {"hosts": "n3:2"}, "wait": True}
        done = answered(stage, job, far, wish)
        assert isinstance(done, dict) and done["name"] == "NEREUS_RESIZED"
        refused = answered(stage, job, far, {"kind": "dance"})
        assert isinstance(refused, dict) and "allowed are status, resize" in refused["message"]
        assert [(one.key, one.where) for one in found_jobs(never)] == [(job.key, here)], "it is there twice"
    assert [asked["ranks"] for asked in stage.received("resize")] == [5]
    assert list(home.iterdir()) == []


def test_job_in_one_host_of_a_resource_manager_is_asked_too(stage: Any) -> None:
    manager = replace(static_hosts(Reach()), kind="slurm", job="4711")
    with job_of(stage, Reach(), "sleep", manager=manager) as job:
        (record,) = job_records(never)
        assert (record.resource_manager, record.resource_manager_job) == ("slurm", "4711")
        assert isinstance(answered(stage, job, record.network_address, STATUS), dict)


def test_job_of_this_host_alone_is_asked_here_only(stage: Any, home: Path) -> None:
    with job_of(stage, Reach(), "sleep"):
        assert list(home.iterdir()) == []
        assert len(found_jobs(never)) == 1


@pytest.mark.parametrize("shown", ["nothing", "another key", "the key of the job's processes"])
def test_who_has_not_the_key_gets_no_answer_and_the_job_goes_on(stage: Any, keys: Path, shown: str) -> None:
    with job_of(stage, FAR, "sleep") as job:
        right = address()
        if shown == "the key of the job's processes":
            (file,) = (path for path in keys.iterdir() if path.suffix != ".job")
            link = json.loads(file.read_text())
            wrong = replace(right, client=Pair(link["public"], link["secret"]))
        else:
            wrong = replace(right, client=new_pair())
        with Sockets() as sockets:
            stranger = sockets.dealer()
            failed = sockets.context().socket(zmq.PAIR)
            events = zmq.Event.HANDSHAKE_FAILED_AUTH | zmq.Event.HANDSHAKE_FAILED_PROTOCOL
            stranger.monitor("inproc://failed", events | zmq.Event.HANDSHAKE_FAILED_NO_DETAIL)
            failed.connect("inproc://failed")
            if shown == "nothing":
                stranger.connect(f"tcp://{right.host}:{right.port}")
            else:
                wrong.connect(stranger)
            stranger.send(b'{"version": 1, "kind": "status"}')
            stage.attend(job, lambda: bool(failed.poll(0)))
            assert not stranger.poll(0)
            stranger.disable_monitor()
        assert isinstance(answered(stage, job, right, STATUS), dict)


def test_supervisor_with_another_key_is_not_believed(stage: Any) -> None:
    with job_of(stage, FAR, "sleep") as job:
        wrong = replace(address(), server=new_pair().public)
        assert str(answered(stage, job, wrong, STATUS, seconds=1.0)) == "it did not answer in time"
        assert isinstance(answered(stage, job, address(), STATUS), dict)


def test_a_hundred_strangers_keep_nobody_from_asking(stage: Any) -> None:
    with job_of(stage, FAR, "sleep") as job, ExitStack() as opened:
        right = address()
        for number in range(100):
            stranger = opened.enter_context(socket.create_connection((right.host, right.port), LIMIT))
            stranger.sendall(b"GET / HTTP/1.1\r\n\r\n" if number % 2 else b"\xff")
        for where in (stage.control_sockets()[0], right):
            assert isinstance(answered(stage, job, where, STATUS), dict)


def test_folder_that_cannot_be_written_stops_no_job(
    stage: Any, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (home / ".nereus").touch()
    manager = replace(static_hosts(Reach()), kind="slurm", job="4711")
    with job_of(stage, Reach(), "touch:begun", "sleep", manager=manager) as job:
        stage.attend(job, (stage.folder / "begun").exists)
        assert isinstance(answered(stage, job, stage.control_sockets()[0], STATUS), dict)
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(
        f"nereus: job {job.name}: it can be asked from this host only: {home}/.nereus/keys"
    )
    assert line.endswith("Not a directory")


def test_jobs_of_other_hosts_are_found_by_name_key_and_its_beginning(stage: Any, keys: Path) -> None:
    with far_supervisor(keys, A) as far, far_supervisor(keys, B, name="far-2", host="n3"):
        assert [find(text).key for text in ("far-1", A, "aa", "far-2")] == [A, A, A, B]
        assert ask(find("far-1").where, {"kind": "resize", "ranks": 4}, LIMIT)["report"]["to"] == 4
        assert far.asked == [{"kind": "resize", "ranks": 4, "version": 1}]
        with pytest.raises(LaunchError, match=rf"running: far-1 on n2 \(key {A}\), far-2 on n3"):
            find("far")


def test_name_of_jobs_on_several_hosts_is_ambiguous_but_on_this_one(stage: Any, keys: Path) -> None:
    for key, host in ((A, "n2"), (B, "n3")):
        write_record(keys, record_of(key, name="python3-1", host=host))
    both = rf"could be any of python3-1 on n2 \(key {A}\), python3-1 on n3 \(key {B}\)$"
    with pytest.raises(LaunchError, match=both):
        find("python3-1")
    with stage.job("sleep") as job:
        name = job.name
        for key in (A, B):
            write_record(keys, record_of(key, name=name))
        assert find(name).key == job.key


def test_silent_jobs_are_shown_as_such_beside_others(stage: Any, keys: Path) -> None:
    with far_supervisor(keys, A), far_supervisor(keys, B, silent=True, host="n3"), socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        write_record(keys, record_of(C, address="127.0.0.1", port=closed.getsockname()[1]))
        write_record(keys, record_of("d" * 16, address=NOWHERE))
        shown = {job["job"]: job for job in statuses(never, 8.0)}
    assert (shown[A]["state"], shown[A]["host"], shown[A]["ranks"]) == ("running", "n2", 2)
    silent = {"job": B, "name": "far-1", "host": "n3", "state": "silent"}
    assert shown[B] == {**silent, "reason": "it did not answer in time"}
    assert shown[C]["reason"] == "its supervisor has ended"
    assert shown["d" * 16]["state"] == "silent"


def test_old_record_of_a_host_that_refuses_is_removed_and_not_shown(stage: Any, keys: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        where = {"address": "127.0.0.1", "port": closed.getsockname()[1]}
        path = write_record(keys, record_of(A, started_unix=1.0, **where))
        assert statuses(never, LIMIT) == []
    assert not path.exists()


def test_more_jobs_than_are_asked_at_once_all_answer(
    stage: Any, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nereus.supervisor.asking.MOST_AT_ONCE", 2)
    with ExitStack() as opened:
        for number in range(5):
            opened.enter_context(far_supervisor(keys, f"{number:016x}"))
        assert [job["state"] for job in statuses(never, LIMIT)] == 5 * ["running"]
