# SPDX-License-Identifier: BSD-3-Clause
"""A user would see runs in `nereus top` that are long over, or lose memory to them."""

import mmap
import os
from pathlib import Path

import pytest

from nereus.launch import parts_folder


@pytest.fixture(autouse=True)
def shared_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Instead of the host's."""
    monkeypatch.setattr(parts_folder, "FOLDER", tmp_path)
    return tmp_path


def abandoned(where: Path, seconds: float = 3600) -> Path:
    """What a killed `nereus monitor` leaves."""
    folder = where / "nereus-2e-monitor-x"
    folder.mkdir(mode=0o700)
    (folder / "1.part").write_bytes(bytes(mmap.PAGESIZE))
    then = folder.stat().st_mtime - seconds
    os.utime(folder, (then, then))
    return folder


def test_run_is_monitored_until_its_monitor_ends() -> None:
    with parts_folder.made_for("1f") as folder:
        assert parts_folder.monitored() == [folder]
        assert parts_folder.run_of(folder) == "1f"
        assert parts_folder.is_locked(folder)
    assert parts_folder.monitored() == []
    assert not folder.exists()


def test_run_whose_monitor_was_killed_is_not_monitored(shared_memory: Path) -> None:
    folder = abandoned(shared_memory)
    assert parts_folder.monitored() == []
    assert not parts_folder.is_locked(folder)


def test_next_monitor_removes_what_a_killed_one_left(shared_memory: Path) -> None:
    folder = abandoned(shared_memory)
    with parts_folder.made_for("1f"):
        assert not folder.exists()


def test_new_folder_is_kept(shared_memory: Path) -> None:
    folder = abandoned(shared_memory, seconds=0)
    with parts_folder.made_for("1f"):
        assert folder.exists()


def test_folder_with_a_recording_process_is_kept(shared_memory: Path) -> None:
    folder = abandoned(shared_memory)
    with (folder / "1.part").open("r+b") as part, mmap.mmap(part.fileno(), 0), parts_folder.made_for("1f"):
        assert folder.exists()


def test_folder_accessible_to_others_is_kept(shared_memory: Path) -> None:
    folder = abandoned(shared_memory)
    folder.chmod(0o755)
    with parts_folder.made_for("1f"):
        assert folder.exists()


def test_parts_are_files_of_the_folder_alone(shared_memory: Path) -> None:
    folder = abandoned(shared_memory)
    (folder / "2.part").symlink_to("/etc/passwd")
    (folder / "other").touch()
    assert parts_folder.parts_in(folder) == [folder / "1.part"]


def test_folder_without_parts_has_no_totals(tmp_path: Path) -> None:
    assert parts_folder.totals(tmp_path) == []
