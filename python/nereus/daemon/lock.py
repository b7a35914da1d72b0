# SPDX-License-Identifier: BSD-3-Clause
"""That there is one daemon of a user on a host: a lock that its process has, and that ends with it."""

import os
from pathlib import Path

from nereus.daemon.error import DaemonError
from nereus.launch.locked_file import lock_file, remove_locked, write_over

_MOST_DIGITS = 20


class Lock:
    def __init__(self, path: Path) -> None:
        """DaemonError where another daemon has it."""
        file = lock_file(path)
        if file is None:
            raise DaemonError(f"a daemon of yours runs already (process {_process_in(path)}): {path}")
        write_over(file, str(os.getpid()))
        self._path, self._file = path, file

    def release(self) -> None:
        remove_locked(self._path, self._file)


def _process_in(path: Path) -> str:
    """Which process wrote down that it has the lock; it may just be ending."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")[:_MOST_DIGITS].strip() or "?"
    except OSError:
        return "?"
