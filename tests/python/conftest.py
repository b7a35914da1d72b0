# SPDX-License-Identifier: BSD-3-Clause
"""What tests of the source tree share."""

import fcntl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from nereus.cli.main import run

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def others(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests in several processes run beside each other, but for those that are to be alone.

    Whatever ends a job looks for names in /dev/shm that were left, and takes those that a test put there.
    """
    alone = request.node.get_closest_marker("alone") is not None
    # Who waits to be alone has the door closed behind him, so that it comes to his turn.
    with Path(__file__).open() as room, Path(__file__).with_name("test_conventions.py").open() as door:
        fcntl.flock(door, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        fcntl.flock(door, fcntl.LOCK_UN)
        yield


@pytest.fixture(autouse=True)
def own_key_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of the user, and of other tests, have their keys and records elsewhere."""
    monkeypatch.setenv("NEREUS_KEY_FOLDER", str(tmp_path / "keys"))


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def tracked() -> dict[str, str]:
    """Text of every file that git knows, by path; binary files and removed ones left out."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True, timeout=60
    ).stdout.decode()
    texts = {}
    for name in filter(None, names.split("\0")):
        content = (REPOSITORY / name).read_bytes() if (REPOSITORY / name).is_file() else b"\0"
        if b"\0" not in content:
            with suppress(UnicodeDecodeError):
                texts[name] = content.decode()
    return texts


@pytest.fixture
def nereus(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Exit code, stdout and stderr of a command line, in this process."""

    def called(*arguments: str | Path) -> tuple[int, str, str]:
        code = run([str(each) for each in arguments])
        return code, *capsys.readouterr()

    return called
