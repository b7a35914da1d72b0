# SPDX-License-Identifier: BSD-3-Clause
"""A mark beside the sockets that the store is out of date: it does not say who has a turn."""

from contextlib import suppress
from pathlib import Path


class UncleanMarker:
    def __init__(self, path: Path) -> None:
        """`was`: a daemon ended without a store that it could write."""
        self._path = path
        self.was = path.exists()
        self.end()

    def begin(self) -> None:
        with suppress(OSError):
            self._path.touch(mode=0o600)

    def end(self) -> None:
        with suppress(OSError):
            self._path.unlink()
