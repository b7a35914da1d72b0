# SPDX-License-Identifier: BSD-3-Clause
"""What killed jobs leave in shared memory goes; what others use stays."""

import mmap
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nereus.launch.shared_memory import FOLDER, Snapshot

pytestmark = pytest.mark.alone

HOLD = """
import mmap, sys, time
with open(sys.argv[1], "r+b") as file, mmap.mmap(file.fileno(), 0):
    print(flush=True)
    time.sleep(float(sys.argv[2]))
"""


@contextmanager
def used(file: Path, seconds: float) -> Iterator[None]:
    """A process maps it for so long."""
    command = [sys.executable, "-c", HOLD, str(file), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as user:
        assert user.stdout and user.stdout.readline()
        try:
            yield
        finally:
            user.kill()


@pytest.fixture
def name() -> Iterator[Path]:
    file = FOLDER / f"mpich_shm_test_{secrets.token_hex(4)}"
    yield file
    file.unlink(missing_ok=True)


def made(file: Path) -> Snapshot:
    """A snapshot that knows all files but this one."""
    file.write_bytes(bytes(mmap.PAGESIZE))
    return Snapshot(frozenset(path.name for path in FOLDER.iterdir() if path != file))


def test_file_that_nobody_uses_is_removed(name: Path) -> None:
    assert name in made(name).remove_leftovers()
    assert not name.exists()


def test_folder_between_two_generations_of_a_job_is_removed() -> None:
    before = Snapshot.take("0123456789abcdef")
    folders = [FOLDER / f"nereus-{key}-restart" for key in ("0123456789abcdef", "fedcba9876543210")]
    try:
        for folder in folders:
            (folder / "epoch-1").mkdir(parents=True)
        assert before.remove_leftovers() == folders[:1]
        assert [folder.exists() for folder in folders] == [False, True], "that of another job stays"
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def test_file_from_before_the_job_stays(name: Path) -> None:
    name.touch()
    Snapshot.take().remove_leftovers()
    assert name.exists()


def test_file_that_a_process_uses_stays(name: Path) -> None:
    snapshot = made(name)
    with used(name, 60):
        assert name not in snapshot.remove_leftovers(0.1)
        assert name.exists()


def test_file_of_a_process_that_is_ending_is_waited_for(name: Path) -> None:
    """A launcher may end while a rank that dies still maps its file."""
    snapshot = made(name)
    with used(name, 0.3):
        assert name in snapshot.remove_leftovers(20)
    assert not name.exists()
