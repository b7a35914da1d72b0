# SPDX-License-Identifier: BSD-3-Clause
"""A job's control socket and link: more connections than descriptors, the newest go, the job goes on."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from nereus.supervisor import control_sockets

MANY = """
import resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
many = [socket.socket(socket.AF_UNIX) for _ in range(int(sys.argv[2]))]
for one in many:
    one.connect(sys.argv[1])
print(flush=True)
sys.stdin.read()
"""


FREE = 224


@pytest.fixture
def few_descriptors() -> Iterator[None]:
    """In this process so many are free, whatever other tests have open; others make the connections."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    open_now = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_now + FREE, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@contextmanager
def many_connections(path: Path) -> Iterator[None]:
    """Of another process, which says nothing; when all are made, the block begins."""
    command = [sys.executable, "-c", MANY, str(path), str(FREE + 76)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.communicate(timeout=60)


def test_job_survives_more_connections_than_descriptors(
    stage: Any, few_descriptors: None, capfd: pytest.CaptureFixture[str]
) -> None:
    with stage.job("open", "until:on", "closing") as job:
        (path,) = stage.control_sockets()
        with many_connections(path):
            stage.attend(job, lambda: "descriptors (ulimit -n) too few are left" in capfd.readouterr().err)
        assert control_sockets() == [path]
        (stage.folder / "on").touch()
        stage.attend(job, lambda: not job.running())
        assert job.outcome().good
    assert stage.control_sockets() == []
