# SPDX-License-Identifier: BSD-3-Clause
"""A file that one process has for itself, by a lock that ends with the process, however that ends."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO


def lock_file(path: Path) -> IO[str] | None:
    """The file, made where it is missing; None where another process has it. To close it gives it up."""
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            return None
        if _is_still(path, file):
            return file
        file.close()


def write_over(file: IO[str], text: str) -> None:
    """Have it hold this, in place of what the process before left in it."""
    # Nothing is kept back that could fail to be written when the file is closed.
    os.ftruncate(file.fileno(), 0)
    os.pwrite(file.fileno(), text.encode(), 0)


def remove_locked(path: Path, file: IO[str]) -> None:
    """Remove the file, and give up the lock after that: whoever opens it later makes a new one."""
    with suppress(OSError):
        path.unlink()
    file.close()


def _is_still(path: Path, file: IO[str]) -> bool:
    """Whether the file was not removed meanwhile by the process before."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
