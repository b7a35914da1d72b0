# SPDX-License-Identifier: BSD-3-Clause
"""The limit of a store, on files that stand for the kernel's control groups."""

import os
from pathlib import Path

import pytest

from nereus.simulation.live import LiveError, store
from nereus.simulation.live.folder import Folder
from nereus.simulation.live.plan import Planned
from nereus.simulation.live.throttle import limited


def mounts(tmp_path: Path, line: str) -> Path:
    file = tmp_path / "mounts"
    file.write_text(f"tmpfs /sys/fs/cgroup tmpfs rw 0 0\n{line} 0 0\n")
    return file


def test_limit_is_removed_even_after_an_exception(tmp_path: Path) -> None:
    file = tmp_path / "blkio.throttle.write_bps_device"
    file.touch()
    table = mounts(tmp_path, f"cgroup {tmp_path} cgroup rw,relatime,blkio")
    with pytest.raises(KeyError), limited("7:3", 1000, table):
        assert file.read_text() == "7:3 1000\n"
        raise KeyError
    assert file.read_text() == "7:3 0\n"


def test_kernel_without_limits_is_reported(tmp_path: Path) -> None:
    table = mounts(tmp_path, f"cgroup {tmp_path} cgroup rw,relatime,memory")
    with pytest.raises(LiveError, match="blkio or io"), limited("7:3", 1000, table):
        pytest.fail("there is no limit")


def test_user_without_root_gets_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert 'needs root, for a loop device and its limit; store = "folder"' in store.complaint()
    with pytest.raises(LiveError, match="needs root"), store.limited_store(2**24, 1e6):
        pytest.fail("there is no store")


def test_results_of_another_study_are_kept(tmp_path: Path) -> None:
    run = Folder(tmp_path / "first", "a = 1\n").anew(Planned("none", None, 1))
    (run / "run.json").touch()
    assert Folder(tmp_path / "first", "a = 1\n").of(Planned("none", None, 1)) == run
    with pytest.raises(LiveError, match="another study"):
        Folder(tmp_path / "first", "a = 2\n")
    with pytest.raises(LiveError, match="is not empty"):
        Folder(tmp_path, "a = 1\n")
