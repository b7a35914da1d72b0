# SPDX-License-Identifier: BSD-3-Clause
"""The files that a program saves its state in: whether they are other ones than before.

No clock is compared: that of a file server may differ from ours.
"""

import glob
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

#: Inode, bytes, and when it was written, by path.
_Seen = dict[str, tuple[int, int, int]]


@dataclass(frozen=True)
class SavedFiles:
    """As they are at one time; a sequence of what each pattern finds."""

    patterns: tuple[str, ...]
    _seen: tuple[_Seen, ...]

    @staticmethod
    def now(patterns: Sequence[str]) -> "SavedFiles":
        return SavedFiles(tuple(patterns), tuple(_look(pattern) for pattern in patterns))

    @property
    def bytes(self) -> int:
        """Of all of them."""
        return sum(size for seen in self._seen for _, size, _ in seen.values())

    def not_since(self, before: "SavedFiles") -> list[str]:
        """The patterns of which no file has been written since then."""
        pairs = zip(self.patterns, self._seen, before._seen, strict=True)
        return [pattern for pattern, now, then in pairs if not now.items() - then.items()]


def _look(pattern: str) -> _Seen:
    found: _Seen = {}
    for path in glob.glob(pattern):  # noqa: PTH207 - a pattern may be a whole path, which Path.glob refuses
        with suppress(OSError):  # it may just be replaced
            status = _status(Path(path))
            found[path] = (status.st_ino, status.st_size, status.st_mtime_ns)
    return found


def _status(path: Path) -> os.stat_result:
    """A client of a file server asks for it anew where the file is opened."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except PermissionError:
        return path.stat()
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)
