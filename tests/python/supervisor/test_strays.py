# SPDX-License-Identifier: BSD-3-Clause
"""Newcomers that never became part of a job."""

import os
import subprocess
import time
from collections.abc import Iterator

import pytest

from nereus.launch import processes
from nereus.launch.processes import Process
from nereus.supervisor.strays import ENDED_WITHIN, Strays

JOB = f"strays-{os.getpid()}"
LATER = 1000.0 + ENDED_WITHIN
Started = list["subprocess.Popen[bytes]"]


@pytest.fixture
def started() -> Iterator[Started]:
    """Ended with the test."""
    all_of_them: Started = []
    yield all_of_them
    for child in all_of_them:
        end(child)


def start(started: Started, *command: str) -> Process:
    """A process of the job; its start is told apart from others by more than a clock tick."""
    time.sleep(0.03)
    child = subprocess.Popen(command or ("sleep", "600"), env={**os.environ, "NEREUS_JOB": JOB})
    started.append(child)
    while True:  # a process that has executed its program just now has no environment yet for others
        found = [process for process in processes.of_job(JOB) if process.pid == child.pid]
        if found:
            time.sleep(0.03)
            return found[0]


def job_of_one(started: Started) -> Strays:
    """Of a job whose only member was started last."""
    strays = Strays(JOB)
    member = start(started)
    strays.opened()
    strays.follow([member], all_are_here=True)
    assert not strays.are_left(1000.0)
    return strays


def end(child: "subprocess.Popen[bytes]") -> None:
    child.kill()
    child.wait()


def test_newcomer_that_outlives_all_members_is_a_stray(started: Started) -> None:
    strays = job_of_one(started)
    start(started)
    assert not strays.are_left(1000.0)
    assert not strays.are_left(LATER), "a member runs still"
    end(started[0])
    assert not strays.are_left(LATER), "it may end by itself"
    assert strays.are_left(LATER + ENDED_WITHIN)


def test_process_from_before_the_opening_is_no_stray(started: Started) -> None:
    start(started)
    strays = job_of_one(started)
    end(started[-1])
    assert not strays.are_left(1000.0)
    assert not strays.are_left(LATER)


def test_other_program_started_by_a_member_is_no_stray(started: Started) -> None:
    strays = job_of_one(started)
    end(started[0])
    start(started, "tail", "-f", "/dev/null")
    assert not strays.are_left(1000.0)
    assert not strays.are_left(LATER)


def test_members_on_other_hosts_prevent_strays(started: Started) -> None:
    strays = job_of_one(started)
    end(started[0])
    strays.follow([], all_are_here=False)
    start(started)
    assert not strays.are_left(1000.0)
    assert not strays.are_left(LATER)
