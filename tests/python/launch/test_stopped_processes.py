# SPDX-License-Identifier: BSD-3-Clause
"""Processes that are looked at stand still meanwhile, and go on afterwards."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from nereus.launch import processes
from nereus.launch.process_environment import state_fields

LIMIT = 30.0


@pytest.fixture
def two() -> Iterator[list[processes.Process]]:
    """Running processes, killed in the end."""
    with ExitStack() as undone:
        found = []
        for _ in range(2):
            started = undone.enter_context(subprocess.Popen(["/bin/sleep", "600"]))
            undone.callback(started.kill)
            found.append(processes.Process(started.pid, int(state_fields(started.pid)[19])))
        yield found


def wait_until_not_stopped(process: processes.Process) -> None:
    deadline = time.monotonic() + LIMIT
    while processes.is_stopped(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_processes_stand_still_in_the_block_and_go_on_after_it(two: list[processes.Process]) -> None:
    with pytest.raises(ValueError), processes.stopped(two):
        assert all(map(processes.is_stopped, two))
        raise ValueError
    for process in two:
        wait_until_not_stopped(process)
        assert processes.is_running(process)


def test_process_that_somebody_stopped_before_does_not_go_on(two: list[processes.Process]) -> None:
    with processes.stopped(two[:1]):
        with processes.stopped(two):
            assert all(map(processes.is_stopped, two))
        wait_until_not_stopped(two[1])
        assert processes.is_stopped(two[0])


def test_processes_that_have_ended_are_not_waited_for(two: list[processes.Process]) -> None:
    processes.send(two[0], signal.SIGKILL)
    began = time.monotonic()
    while processes.is_running(two[0]):
        assert time.monotonic() < began + LIMIT
    with processes.stopped(two):
        assert (processes.is_running(two[0]), processes.is_stopped(two[1])) == (False, True)
