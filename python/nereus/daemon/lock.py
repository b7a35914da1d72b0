# SPDX-License-Identifier: BSD-3-Clause
"""That there is one daemon of a user on a host: a lock that its process has, and that ends with it."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from nereus.daemon.error import DaemonError


class Lock:
    def __init__(self, path: Path) -> None:
        """DaemonError where another daemon has it."""
        self._path = path
        self._file = _taken(path)

    def release(self) -> None:
        # Before it is given up: whoever opens the file later makes a new one.
        with suppress(OSError):
            self._path.unlink()
        self._file.close()


def _taken(path: Path) -> IO[str]:
    while True:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            there = file.read(20).strip() or "?"
            file.close()
            raise DaemonError(f"a daemon of yours runs already (process {there}): {path}") from None
        if _is_still(path, file):
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            return file
        file.close()


def _is_still(path: Path, file: IO[str]) -> bool:
    """Whether the file was not removed meanwhile by the daemon before."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False
