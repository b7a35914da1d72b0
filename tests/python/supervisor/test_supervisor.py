# SPDX-License-Identifier: BSD-3-Clause
"""A supervised job: newcomers are started and ended as its root asks, and nobody waits for the dead."""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nereus.allocation import static_hosts
from nereus.launch import Host, Launch, LaunchError, Reach, Share
from nereus.launch.groups import Groups
from nereus.supervisor.frames import CODES, MOST_BYTES, decode, encode
from nereus.supervisor.link_socket import LinkSocket, own_address
from nereus.supervisor.messages import read_from_client, read_from_job
from nereus.supervisor.sockets import Sockets
from nereus.supervisor.supervision import Supervision
from nereus.supervisor.supervisor import Supervisor

JOB = "0123456789abcdef"


def test_newcomers_start_contact_the_root_and_join_the_job(stage: Any) -> None:
    job = stage.play(
        "open", "make:1:=2", "hello", "orders:1:0:go", "settled:1:1", UCX_TLS="posix,self", joins=True
    )
    assert job.outcome().good
    (started,) = stage.events("started")
    assert started["arguments"] == ["open", "make:1:=2", "hello", "orders:1:0:go", "settled:1:1"]
    assert started["folder"] == str(stage.folder)
    assert started["environment"]["NEREUS_JOINS"] == "on"
    assert started["environment"]["UCX_TLS"] == "posix,self"
    (hello,) = stage.received("hello")
    assert (hello["request"], hello["party"], hello["hello"]) == (1, 0, {"port": 5})
    (orders,) = stage.received("orders")
    assert orders["orders"] == {"do": "go"}


def test_job_opened_and_not_closed_has_failed_whatever_its_launcher_reports(stage: Any) -> None:
    outcome = stage.play("open", "vanish").outcome()
    assert (outcome.good, outcome.code) == (False, 1)
    assert "without nereus_close()" in outcome.text


def test_job_that_ended_before_its_first_message_was_read_has_failed(stage: Any) -> None:
    with stage.job("open", "vanish") as job:
        (group,) = job._groups.running
        os.waitid(os.P_PID, group.launcher.pid, os.WEXITED | os.WNOWAIT)
        outcome = job.outcome()
    assert not outcome.good and "without nereus_close()" in outcome.text


def test_orders_reach_their_leader(stage: Any) -> None:
    acts = ("open", "make:4:=1:=1", "orders:4:1:go", "orders:4:0:go", "hello", "hello", "settled:4:1")
    assert stage.play(*acts).outcome().good
    assert sorted(event["by"] for event in stage.received("orders")) == ["4.0", "4.1"]


def test_newcomers_of_a_rolled_back_resize_are_ended_and_the_job_continues(stage: Any) -> None:
    acts = ("open", "make:1:=1", "hello", "settled:1:-8", "until:done")
    with stage.job(*acts, PLAYER_LEADER="stubborn") as job:
        stage.attend(job, lambda: len(stage.received("hello")) == 1)
        stage.attend(job, lambda: len(job.processes()) == 1)
        assert job.running()
        (stage.folder / "done").touch()
        stage.attend(job, lambda: not job.running())
        assert job.outcome().good


def test_death_of_newcomers_is_reported_to_the_root_with_reason(stage: Any) -> None:
    job = stage.play("open", "make:3:=1", "died", "settled:3:-7", PLAYER_LEADER="dies")
    (death,) = stage.received("died")
    assert (death["request"], death["party"]) == (3, 0)
    assert death["reason"] == "a rank ended with exit code 5 (player: out of luck)"
    assert job.outcome().good
    assert "out of luck" in job.text()


def test_failure_of_newcomers_after_the_commit_fails_the_job(stage: Any) -> None:
    acts = ("open", "make:1:=1", "hello", "orders:1:0:later-fail", "settled:1:1", "touch:later", "sleep")
    job = stage.play(*acts)
    assert job.outcome().text == "a rank ended with exit code 6"
    assert job.processes() == []


def test_failure_of_newcomers_just_before_the_commit_fails_the_job(stage: Any) -> None:
    job = stage.play("open", "make:1:=1", "hello", "orders:1:0:fail", "died", "settled:1:1", "sleep")
    outcome = job.outcome()
    assert not outcome.good
    assert outcome.code == 6


def test_job_continues_when_its_founders_were_replaced(stage: Any) -> None:
    with stage.job("open", "make:1:=1", "hello", "orders:1:0:later-go", "settled:1:1") as job:
        stage.attend(job, lambda: len(job.processes()) == 1 and len(stage.received("orders")) == 1)
        assert job.running()
        (stage.folder / "later").touch()
        stage.attend(job, lambda: not job.running())
        assert job.outcome().good


def test_uncommitted_newcomers_do_not_keep_a_job_alive(stage: Any) -> None:
    assert stage.play("open", "make:1:=1", "hello").outcome().good


def test_failure_of_the_founders_ends_the_newcomers(stage: Any) -> None:
    job = stage.play("open", "make:1:=1", "hello", "settled:1:1", "fail:3")
    assert job.outcome().code == 3
    assert job.processes() == []


@pytest.mark.parametrize(
    ("joins", "host", "reason"),
    [
        (False, "", "cannot start processes that join"),
        (True, "-x rm", "no name of a host"),
        (True, "elsewhere", "host elsewhere: the job was started for this host alone"),
    ],
)
def test_newcomers_that_cannot_be_started_are_refused(
    stage: Any, joins: bool, host: str, reason: str
) -> None:
    assert stage.play("open", f"make:1:{host}=1", "died", "settled:1:-7", joins=joins).outcome().good
    (death,) = stage.received("died")
    assert reason in death["reason"]


def test_missing_launcher_does_not_end_the_job(stage: Any) -> None:
    with stage.job("touch:begun", "open", "until:gone", "make:1:=1", "died", "settled:1:-7") as job:
        stage.attend(job, (stage.folder / "begun").exists)
        stage.build.mpiexec.unlink()
        (stage.folder / "gone").touch()
        stage.attend(job, lambda: not job.running())
        assert job.outcome().good
    (death,) = stage.received("died")
    assert "the launcher of the build mpich is missing" in death["reason"]


@pytest.fixture
def released_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However late the release is."""
    monkeypatch.setattr("nereus.supervisor.resize_request._RELEASE_AGAIN_AFTER", 600.0)


def test_accept_waiting_for_dead_processes_is_released(stage: Any, released_once: None) -> None:
    acts = ("open", "make:1:=1", "hello", "connecting:1:600", "orders:1:0:fail", "died", "until:released")
    with stage.job(*acts, "connected:1", "settled:1:-7") as job:
        stage.attend(job, lambda: len(stage.events("released")) == 1)
        (stage.folder / "released").touch()
        stage.attend(job, lambda: not job.running())
        assert job.outcome().good
    assert stage.events("released") == [{"released": "port-of-mine"}]


def test_accept_that_takes_too_long_is_released(stage: Any, released_once: None) -> None:
    acts = ("open", "make:1:=1", "hello", "connecting:1:0.1", "until:released", "connected:1", "settled:1:-8")
    with stage.job(*acts) as job:
        stage.attend(job, lambda: len(stage.events("released")) == 1)
        (stage.folder / "released").touch()
        stage.attend(job, lambda: not job.running())


def test_accept_for_woken_processes_is_released(stage: Any, released_once: None) -> None:
    acts = ("open", "connecting:1:0.1", "until:released", "connected:1", "settled:1:-8")
    with stage.job(*acts) as job:
        stage.attend(job, lambda: len(stage.events("released")) == 1)
        (stage.folder / "released").touch()
        stage.attend(job, lambda: not job.running())


def test_other_founders_are_started_before_the_first_resize(stage: Any) -> None:
    acts = ("open:1", "make:0:=1:=1", "hello", "hello", "orders:0:0:go", "orders:0:1:go", "settled:0:1")
    assert stage.play(*acts).outcome().good
    assert sorted(event["started"] for event in stage.events("started")) == ["0.0", "0.1"]


def test_finished_accept_is_not_released(stage: Any) -> None:
    acts = ("open", "make:1:=1", "hello", "connecting:1:600", "connected:1", "orders:1:0:fail", "died")
    stage.play(*acts, "settled:1:-7")
    assert stage.events("released") == []


def test_unreadable_messages_are_ignored(stage: Any) -> None:
    acts = ("garbage", "open", "garbage", "make:1:=1", "hello", "orders:1:0:go", "settled:1:1")
    assert stage.play(*acts).outcome().good
    assert len(stage.received("hello")) == 1


def test_variables_of_another_supervisor_are_not_passed_on(
    stage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEREUS_PARTY", "9.9")
    monkeypatch.setenv("NEREUS_LINK", "ipc:///nowhere")
    assert stage.play("open", "closing").outcome().good


def test_long_temporary_folder_name_is_no_obstacle(stage: Any, tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    sockets = Sockets()
    link = LinkSocket(sockets, folder, Launch(stage.build, Path(sys.executable)), JOB)
    path = Path(link.address.removeprefix("ipc://"))
    assert path.exists()
    link.close()
    sockets.close()
    assert not path.parent.exists()


def test_job_with_other_hosts_is_reached_over_the_network(stage: Any, tmp_path: Path) -> None:
    sockets = Sockets()
    launch = Launch(stage.build, Path(sys.executable), reach=Reach((Host("192.0.2.77"),)))
    try:
        link = LinkSocket(sockets, tmp_path, launch, JOB)
    except LaunchError as problem:
        # A machine without any network has no way to other hosts.
        assert "192.0.2.77 cannot be reached" in str(problem)
    else:
        assert link.address.startswith(f"tcp://{own_address(['192.0.2.77'])}:")
        link.close()
    sockets.close()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
KINDS = (
    "root",
    "make",
    "orders",
    "connecting",
    "connected",
    "settled",
    "answer",
    "closing",
    "hello",
    "resize",
)
KEYS = ("request", "parties", "party", "orders", "port", "seconds", "code", "message", "report", "ticket")
ALMOST = st.fixed_dictionaries(
    {"version": st.just(1) | VALUES, "job": st.just(JOB) | VALUES, "kind": st.sampled_from(KINDS) | VALUES},
    optional={key: VALUES for key in (*KEYS, "ranks", "hosts", "generation", "hello", "options", "wait")},
)
FRAMES = st.binary(max_size=200) | ALMOST.map(lambda value: json.dumps(value).encode())


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(FRAMES, max_size=10))
def test_no_message_stops_the_supervisor(stage: Any, frames: list[bytes]) -> None:
    groups = Groups(JOB, stage.folder, stage.folder / "output.txt")
    launch = Launch(stage.build, Path(sys.executable))
    start = Supervision(launch, [Share("", 2)], joins=False)
    supervisor = Supervisor(groups, "cg-1", start, static_hosts(Reach()).open(JOB, stage.folder))
    try:
        for frame in frames:
            message = read_from_job(frame, JOB)
            if message is not None:
                supervisor._take(message, b"somebody")
        supervisor.turn()
    finally:
        supervisor.close()
    assert groups.running == []


@given(FRAMES)
def test_no_request_at_the_control_socket_stops_the_supervisor(frame: bytes) -> None:
    value = decode(frame)
    if value is not None:
        read_from_client(value)


def test_only_messages_of_our_version_and_job_are_read() -> None:
    good = {"version": 1, "job": JOB, "kind": "closing"}
    assert read_from_job(json.dumps(good).encode(), JOB) is not None
    for other in ({"version": 2}, {"version": True}, {"job": "other"}, {"kind": "opening"}):
        assert read_from_job(json.dumps({**good, **other}).encode(), JOB) is None


def test_too_long_messages_are_neither_read_nor_sent() -> None:
    long = {"version": 1, "job": JOB, "kind": "closing", "more": "x" * MOST_BYTES}
    assert read_from_job(json.dumps(long).encode(), JOB) is None
    assert encode(long) is None


def test_names_of_codes_are_those_of_the_library(repository: Path) -> None:
    text = (repository / "include" / "nereus" / "errors.h").read_text()
    for number, name in CODES.items():
        assert f"{name} = {number}," in text or f"{name} = {number} " in text


def test_supervisor_answers_at_once(stage: Any) -> None:
    """Not a measurement: were a message noticed at the end of a wait only, one wait would not do."""
    limit = 60.0
    acts = ("open", "make:1:=1", "hello", "orders:1:0:go", "died", "settled:1:-7")
    with stage.job(*acts) as job:
        begin = time.monotonic()
        job.attend(limit)
        assert not job.running()
        assert time.monotonic() - begin < limit
