# SPDX-License-Identifier: BSD-3-Clause
"""The process that ends a job when its supervisor is gone."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.launch.watchdog import Watchdog

# Holds a watchdog as a supervisor does, until it is killed.
SUPERVISOR = """
import sys, time
from pathlib import Path
from nereus.launch.watchdog import Watchdog
watchdog = Watchdog(sys.argv[1], Path(sys.argv[2]))
print(watchdog._process.pid, flush=True)
time.sleep(600)
"""


def comes_about(condition: Callable[[], bool], within: float = 20.0) -> bool:
    deadline = time.monotonic() + within
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def sleeper(variable: str) -> "subprocess.Popen[bytes]":
    """A process of the job; it reads nothing and hears no request to end."""
    name, value = variable.split("=")
    words = ["sh", "-c", "trap '' TERM; exec sleep 600"]
    return subprocess.Popen(words, env={**os.environ, name: value}, stdin=subprocess.DEVNULL)


def test_remaining_processes_are_killed_after_their_supervisor(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    (folder / "session").mkdir(parents=True)
    variable = f"NEREUS_JOB=watched-{os.getpid()}"
    other = sleeper(f"{variable}-not")
    words = [sys.executable, "-c", SUPERVISOR, variable, str(folder)]
    with sleeper(variable) as mine, subprocess.Popen(words, stdout=subprocess.PIPE) as supervisor:
        try:
            assert supervisor.stdout is not None
            supervisor.stdout.readline()
            os.kill(supervisor.pid, signal.SIGKILL)
            assert comes_about(lambda: mine.poll() is not None)
            assert mine.returncode == -signal.SIGKILL
            assert comes_about(lambda: not folder.exists())
            assert other.poll() is None
        finally:
            for process in (mine, supervisor, other):
                process.kill()
            other.wait()


def test_nothing_is_killed_after_a_regular_end(tmp_path: Path) -> None:
    variable = f"NEREUS_JOB=ended-{os.getpid()}"
    with sleeper(variable) as mine:
        try:
            watchdog = Watchdog(variable, tmp_path)
            watchdog.close()
            assert mine.poll() is None
            assert tmp_path.exists()
        finally:
            mine.kill()


@pytest.mark.alone
def test_only_shared_memory_of_the_killed_job_is_removed(tmp_path: Path) -> None:
    job = f"watched-{os.getpid()}"
    words = [sys.executable, "-c", SUPERVISOR, f"NEREUS_JOB={job}", str(tmp_path / "job")]
    mine, of_another_job = (Path(f"/dev/shm/nereus-{name}-array") for name in (job, f"other-{os.getpid()}"))
    with subprocess.Popen(words, stdout=subprocess.PIPE) as supervisor:
        try:
            assert supervisor.stdout is not None
            watchdog = int(supervisor.stdout.readline())
            assert comes_about(lambda: is_waiting(watchdog))
            for path in (mine, of_another_job):
                path.write_bytes(b"data")
            os.kill(supervisor.pid, signal.SIGKILL)
            assert comes_about(lambda: not mine.exists())
            assert comes_about(lambda: not Path(f"/proc/{watchdog}").exists())
            assert of_another_job.exists()
        finally:
            supervisor.kill()
            for path in (mine, of_another_job):
                path.unlink(missing_ok=True)


def is_waiting(pid: int) -> bool:
    """For the end of its input: what was there before has been looked at."""
    return "pipe_" in Path(f"/proc/{pid}/wchan").read_text()
