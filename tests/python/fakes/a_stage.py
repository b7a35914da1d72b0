# SPDX-License-Identifier: BSD-3-Clause
"""A stage for supervised jobs: a build of scripts, the player as program, and all that was received."""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from an_mpiexec import MPIEXEC

from nereus.launch import Build, Launch, Share
from nereus.launch.process_environment import processes_with
from nereus.supervisor import Job, Supervision
from nereus.supervisor.control_socket import control_socket_folder

LIMIT = 60.0
RELEASE = """#!/bin/sh
echo '{"released": "'"$1"'"}' >> events.jsonl
exec sleep 600
"""
PLAYER = Path(__file__).with_name("player.py")


def script(path: Path, text: str) -> Path:
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


class Stage:
    """Where a supervised job of players runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.prefix = folder / "mpich"
        mpiexec = script(self.prefix / "mpiexec", MPIEXEC)
        script(self.prefix / "bin" / "nereus-release", RELEASE)
        self.build = Build("mpich", self.prefix, mpiexec, "MPICH Version: 9.9")
        self.build.description.write_text("{}")

    def supervision(self, *acts: str, joins: bool, environment: dict[str, str]) -> Supervision:
        """A job whose root carries these acts out."""
        arguments = (str(PLAYER), *acts)
        launch = Launch(self.build, Path(sys.executable), arguments, environment=environment)
        return Supervision(launch, [Share("", 2)], joins)

    @contextmanager
    def job(self, *acts: str, joins: bool = True, **environment: str) -> Iterator[Job]:
        """Run it; whatever happens, it is ended soon."""
        job = Job(self.supervision(*acts, joins=joins, environment=environment), self.folder / "output.txt")
        job.grace = 2.0
        with job:
            yield job

    def play(self, *acts: str, joins: bool = True, **environment: str) -> Job:
        """Run it to its end."""
        with self.job(*acts, joins=joins, **environment) as job:
            self.attend(job, lambda: not job.running())
            return job

    def attend(self, job: Job, condition: Callable[[], bool]) -> None:
        """Be its supervisor until something has come true."""
        deadline = time.monotonic() + LIMIT
        while not condition():
            assert time.monotonic() < deadline, f"waited too long; {self.events()} {job.text()}"
            job.attend(0.02)

    def wait(self, condition: Callable[[], bool]) -> None:
        """Wait until something has come true that needs no supervisor."""
        deadline = time.monotonic() + LIMIT
        while not condition():
            assert time.monotonic() < deadline, "waited too long"
            time.sleep(0.01)

    def events(self, key: str = "") -> list[dict[str, Any]]:
        """What was recorded, or the records that have this key."""
        path = self.folder / "events.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        return [event for event in map(json.loads, lines) if not key or key in event]

    def received(self, kind: str) -> list[dict[str, Any]]:
        """Messages of this kind that the players got."""
        return [event for event in self.events("received") if event["received"] == kind]

    def control_sockets(self) -> list[Path]:
        """Those that are there."""
        return list(control_socket_folder().glob("*.control"))


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """An empty stage; in the end no process of it runs, and no file but its own is left."""
    # Names of sockets are short.
    runtime = Path(tempfile.mkdtemp(prefix="nst-"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(runtime))
    monkeypatch.setattr(tempfile, "tempdir", str(runtime))
    monkeypatch.setenv("NEREUS_STAGE", runtime.name)
    monkeypatch.chdir(tmp_path)
    yield Stage(tmp_path)
    left, running = list(runtime.iterdir()), processes_with(f"NEREUS_STAGE={runtime.name}".encode())
    shutil.rmtree(runtime)
    assert left == [], "files were left"
    assert running == [], "processes were left"
