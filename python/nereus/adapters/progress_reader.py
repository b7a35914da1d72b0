# SPDX-License-Identifier: BSD-3-Clause
"""How far a program is, by the last number of its kind in a file that it writes."""

import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path

from nereus.adapters.adapter import Progress

_LOOK_EVERY = 0.5
# The end of a file in which a number is looked for.
_TAIL_BYTES = 65_536
_MOST, _MOST_DIGITS = 2**53 - 1, 16


class ProgressReader:
    def __init__(self, progress: Progress, now: Callable[[], float] = time.monotonic) -> None:
        self._file, self._pattern = Path(progress.file), re.compile(progress.pattern)
        self._now, self._next = now, 0.0
        self._seen: tuple[int, int] | None = None
        self._begin = 0  # bytes of the file that were written before the program began
        #: The latest number that was seen; None: none yet.
        self.iteration: int | None = None

    def forget(self) -> None:
        """The program was started anew: what its file says from now on counts, and not what is in it."""
        self._seen = self._state()
        self._begin = self._seen[0] if self._seen is not None else 0
        self.iteration = None

    def turn(self) -> bool:
        """Look, now and then; whether it is farther than it was."""
        if self._now() < self._next:
            return False
        self._next = self._now() + _LOOK_EVERY
        state = self._state()
        if state is None or state == self._seen:
            return False
        self._seen = state
        number = self._last_number()
        if number is None or (self.iteration is not None and number <= self.iteration):
            return False
        self.iteration = number
        return True

    def _state(self) -> tuple[int, int] | None:
        """None where there is no such file; a pipe would have us wait."""
        try:
            status = self._file.stat()
        except OSError:
            return None
        return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None

    def _last_number(self) -> int | None:
        """Of those that something follows: the last one may have been written in part."""
        text = self._tail()
        found = [match[1] for match in self._pattern.finditer(text) if 0 <= match.end(1) < len(text)]
        number = found[-1] if found else ""
        readable = number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS
        return int(number) if readable and int(number) <= _MOST else None

    def _tail(self) -> str:
        try:
            with self._file.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                # A file that is shorter than it was is another one.
                file.seek(max(self._begin if size >= self._begin else 0, size - _TAIL_BYTES))
                return file.read(_TAIL_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""
