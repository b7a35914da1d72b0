# SPDX-License-Identifier: BSD-3-Clause
"""A job's door and link: more come than there are descriptors for, the newest go, the job goes on."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import doors
from nereus.launch.admission import FULL

# A connection waits where others wait before it, for a second at most.
CROWD = """
import resource, socket, struct, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
crowd = [socket.socket(socket.AF_UNIX) for _ in range(300)]
for one in crowd:
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 1, 0))
    one.connect_ex(sys.argv[1])
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    """In this process, as after `ulimit -n 256`; the crowd is in another one."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@contextmanager
def crowd(path: Path) -> Iterator[None]:
    """Another process with many silent connections; when all have come, the block begins."""
    command = [sys.executable, "-c", CROWD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.communicate(timeout=60)


@pytest.mark.crowd
def test_a_job_lives_through_more_connections_than_descriptors(
    stage: Any, few_descriptors: None, capfd: pytest.CaptureFixture[str]
) -> None:
    with stage.job("open", "until:on", "closing") as job:
        (path,) = stage.doors()
        with crowd(path):
            stage.attend(job, lambda: "descriptors (ulimit -n) too few are left" in capfd.readouterr().err)
        # There is room again, and somebody to answer.
        stage.attend(job, path.exists)
        assert doors() == [path]
        (stage.folder / "on").touch()
        stage.attend(job, lambda: not job.running())
        assert job.outcome().good
    assert stage.doors() == []


def test_a_hidden_door_of_a_dead_supervisor_is_removed(stage: Any) -> None:
    with stage.job("open", "sleep"):
        (path,) = stage.doors()
        left = path.with_name(f"dead.door{FULL}")
        left.touch()
        os.utime(left, (0, 0))
        assert doors() == [path]
        assert not left.exists()
