# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: two daemons, or two jobs of one name, where there may be one."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from nereus.launch.locked_file import lock_file, remove_locked, write_over

HAS_IT = """
import sys
from pathlib import Path
from nereus.launch.locked_file import lock_file
file = lock_file(Path(sys.argv[1]))
print(file is not None, flush=True)
sys.stdin.read()
"""


def test_only_one_process_holds_a_lock_until_release(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    file = lock_file(path)
    assert file is not None
    assert lock_file(path) is None
    remove_locked(path, file)
    assert not path.exists()
    again = lock_file(path)
    assert again is not None
    again.close()


def test_lock_of_a_killed_process_is_free_and_its_content_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HAS_IT, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        assert lock_file(path) is None
        process.kill()
    path.write_text("what was in it before")
    file = lock_file(path)
    assert file is not None
    write_over(file, "short")
    assert path.read_text() == "short"
    file.close()


def test_lock_file_removed_meanwhile_by_its_owner_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else two would have the lock: whoever makes the next file would have that one's."""
    path, flock = tmp_path / "lock", fcntl.flock

    def flock_when_it_is_removed(file: IO[str], how: int) -> None:
        monkeypatch.undo()
        path.unlink()
        flock(file, how)

    monkeypatch.setattr(fcntl, "flock", flock_when_it_is_removed)
    file = lock_file(path)
    assert file is not None
    assert os.path.samestat(path.stat(), os.fstat(file.fileno()))
    assert lock_file(path) is None
    file.close()
