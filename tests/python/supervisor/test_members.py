# SPDX-License-Identifier: BSD-3-Clause
"""The supervisor sees for itself whether the processes of a job live."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from nereus.launch.processes import Process
from nereus.supervisor.members import EXPLAINED_WITHIN, Members
from nereus.supervisor.messages import read_from_job

HERE, JOB = "localhost", "0123456789abcdef"


def as_seen(pid: int) -> Process:
    """The process with its start, as the library reads it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return Process(pid, int(fields[19]))


@pytest.fixture
def child() -> "Iterator[subprocess.Popen[bytes]]":
    """A process that runs until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as process:
        yield process
        process.kill()


@pytest.fixture
def living() -> Process:
    """A process that outlives the test."""
    return as_seen(os.getpid())


def opened() -> Members:
    """Of a job that has a root."""
    members = Members()
    members.open()
    return members


def failure_at(members: Members, seconds: float) -> str:
    """What is said so many seconds after a look at 1000 s; "": nothing."""
    assert members.failure(1000.0) is None
    found = members.failure(1000.0 + seconds)
    return found.text if found is not None else ""


def test_unexplained_death_of_a_member_is_a_failure(
    child: "subprocess.Popen[bytes]", living: Process
) -> None:
    members = opened()
    members.follow(0, [living, as_seen(child.pid)], [HERE, HERE])
    assert members.failure(0.0) is None
    child.kill()
    child.wait()
    assert failure_at(members, EXPLAINED_WITHIN - 0.1) == ""
    late = members.failure(1000.0 + EXPLAINED_WITHIN + 1)
    assert late is not None
    assert late.text == f"rank 1 (process {child.pid}) ended before the job was closed"


def test_zombie_is_dead(child: "subprocess.Popen[bytes]", living: Process) -> None:
    members = opened()
    members.follow(0, [living, as_seen(child.pid)], [HERE, HERE])
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert failure_at(members, EXPLAINED_WITHIN) != ""


def test_reused_process_number_is_another_process(living: Process) -> None:
    members = opened()
    members.follow(0, [living, replace(living, started=living.started + 1)], [HERE, HERE])
    assert "rank 1" in failure_at(members, EXPLAINED_WITHIN)


@pytest.mark.parametrize("explanation", ["left", "closed"])
def test_end_explained_by_the_root_is_no_failure(
    child: "subprocess.Popen[bytes]", living: Process, explanation: str
) -> None:
    members = opened()
    members.follow(0, [living, as_seen(child.pid)], [HERE, HERE])
    child.kill()
    child.wait()
    assert members.failure(1000.0) is None
    if explanation == "left":
        members.follow(0, [living], [HERE])
    else:
        members.close()
    assert members.failure(1000.0 + EXPLAINED_WITHIN) is None


def test_process_that_died_before_it_was_reported_is_a_failure(
    child: "subprocess.Popen[bytes]", living: Process
) -> None:
    newcomer = as_seen(child.pid)
    members = opened()
    members.follow(0, [living], [HERE])
    child.kill()
    child.wait()
    members.follow(0, [living, newcomer], [HERE, HERE])
    assert "rank 1" in failure_at(members, EXPLAINED_WITHIN)


def test_processes_of_other_hosts_and_pid_namespaces_are_left_to_the_launcher(living: Process) -> None:
    nobody = Process(2**22 + 1, 1)
    members = opened()
    members.follow(0, [living, nobody], [HERE, "elsewhere"])
    assert failure_at(members, EXPLAINED_WITHIN) == ""
    members = opened()
    members.follow(0, [nobody], [HERE])
    assert failure_at(members, EXPLAINED_WITHIN) == ""


def test_member_whose_launcher_died_is_a_failure(living: Process) -> None:
    code = (
        "import subprocess, sys; print(subprocess.Popen(['sleep', '60']).pid, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as proxy:
        assert proxy.stdout is not None
        member = as_seen(int(proxy.stdout.readline()))
        members = opened()
        members.follow(0, [living, member], [HERE, HERE])
        assert members.failure(0.0) is None
        proxy.kill()
    try:
        assert f"rank 1 (process {member.pid}) lost process {proxy.pid}" in failure_at(
            members, EXPLAINED_WITHIN
        )
    finally:
        os.kill(member.pid, signal.SIGKILL)


def test_late_message_of_an_earlier_generation_restores_no_member(
    child: "subprocess.Popen[bytes]", living: Process
) -> None:
    members = opened()
    leaver = as_seen(child.pid)
    members.follow(1, [living, leaver], [HERE, HERE])
    members.follow(2, [living], [HERE])
    child.kill()
    child.wait()
    members.follow(1, [living, leaver], [HERE, HERE])
    assert failure_at(members, EXPLAINED_WITHIN) == ""
    members.follow(2, [living, leaver], [HERE, HERE])
    assert "rank 1" in failure_at(members, EXPLAINED_WITHIN + 1000)


def test_message_after_the_close_restores_no_member_until_the_next_job(
    child: "subprocess.Popen[bytes]", living: Process
) -> None:
    members = opened()
    leaver = as_seen(child.pid)
    members.follow(7, [living, leaver], [HERE, HERE])
    members.close()
    child.kill()
    child.wait()
    members.follow(7, [living, leaver], [HERE, HERE])
    members.follow(8, [living, leaver], [HERE, HERE])
    assert failure_at(members, EXPLAINED_WITHIN) == ""
    assert not members.job_is_open
    members.open()
    members.follow(0, [living, leaver], [HERE, HERE])
    assert "rank 1" in failure_at(members, EXPLAINED_WITHIN + 1000)


ONE = {"pid": 1, "started": 2}


@pytest.mark.parametrize(
    "wrong",
    [
        {"processes": [{"pid": 1}]},
        {"processes": [{**ONE, "pid": -1}]},
        {"processes": [{**ONE, "pid": "1"}]},
        {"processes": [[1, 2]]},
        {"processes": [ONE, ONE]},
        {"processes": 5},
        {"generation": -1},
        {"generation": None},
    ],
)
def test_invalid_members_are_dropped(wrong: dict[str, object]) -> None:
    said = {"generation": 0, "processes": [ONE], "hosts": ["h"]}
    message = {"version": 1, "job": JOB, "kind": "members"} | said
    assert read_from_job(json.dumps(message).encode(), JOB) is not None
    assert read_from_job(json.dumps(message | wrong).encode(), JOB) is None
