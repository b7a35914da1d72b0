# SPDX-License-Identifier: BSD-3-Clause
"""Shared memory outlives those who made it while somebody keeps it."""

import mmap
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nereus.supervisor.kept_memory import KeptMemory
from nereus.supervisor.messages import MemoryHandle

MAKER = """
import os, sys
file = os.memfd_create("nereus x")
os.write(file, b"elements" * 1024)
found = os.fstat(file)
print(os.getpid(), file, found.st_ino, found.st_dev, flush=True)
sys.stdin.read()
"""


@contextmanager
def made() -> Iterator[MemoryHandle]:
    """A file of a process that ends with the block."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", MAKER], text=True, **pipes) as maker:  # type: ignore[call-overload]
        pid, descriptor, inode, device = map(int, maker.stdout.readline().split())
        yield MemoryHandle(
            array="x", bytes=8192, pid=pid, descriptor=descriptor, inode=inode, device=device, path=""
        )
        maker.stdin.close()


def content(handle: MemoryHandle) -> bytes:
    """As another process of this host finds it."""
    path = Path(f"/proc/{handle.pid}/fd/{handle.descriptor}")
    with path.open("r+b") as file, mmap.mmap(file.fileno(), handle.bytes) as mapped:
        return mapped[:16]


def test_memory_outlives_the_process_that_made_it() -> None:
    memory = KeptMemory()
    with made() as handle:
        (kept,) = memory.keep([handle])
    assert kept is not None
    assert (kept.pid, kept.inode) == (os.getpid(), handle.inode)
    assert content(kept) == b"elementselements"
    memory.let_go()
    with pytest.raises(OSError):
        content(kept)


def test_other_files_are_not_kept() -> None:
    memory = KeptMemory()
    before = len(list(Path("/proc/self/fd").iterdir()))
    read, write = os.pipe()
    with made() as handle:
        found = os.fstat(read)
        pipe = {"pid": os.getpid(), "descriptor": read, "inode": found.st_ino, "device": found.st_dev}
        wrong = [
            handle.model_copy(update={"inode": handle.inode + 1}),
            handle.model_copy(update={"descriptor": 999}),
            handle.model_copy(update={"pid": 2**22 + 1}),
            handle.model_copy(update=pipe),
        ]
        assert memory.keep([*wrong, None]) == [None] * 5
        (kept,) = memory.keep([handle])
        assert kept is not None
    memory.let_go()
    os.close(read)
    os.close(write)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_so_many_files_that_descriptors_could_run_short_are_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("nereus.supervisor.kept_memory.resource.getrlimit", lambda _: (8, 8))
    memory = KeptMemory()
    with made() as handle:
        assert memory.keep([handle] * 3) == [None] * 3
        assert None not in memory.keep([handle] * 2)
    memory.let_go()
