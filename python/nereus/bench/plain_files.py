# SPDX-License-Identifier: BSD-3-Clause
"""The bytes of an epoch in plain files: what the file system takes for them, without anything of ours."""

import mmap
import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PIECE = 1 << 23


@dataclass(frozen=True)
class PlainFiles:
    """A file for each of so many ranks, which all write or read at the same time."""

    folder: Path
    ranks: int
    bytes: int

    def write(self) -> float:
        """Seconds until all of it is on the disk, by pwrite and fsync; the files stay."""
        self.folder.mkdir()
        sources = [memoryview(os.urandom(1 << 16) * (self._share // (1 << 16) + 1)) for _ in self._paths]
        begun = time.perf_counter()
        with ThreadPoolExecutor(self.ranks) as pool:
            list(pool.map(lambda path, source: _write(path, source[: self._share]), self._paths, sources))
        _sync_folder(self.folder)
        return time.perf_counter() - begun

    def remove(self) -> None:
        """The files, and their folder."""
        for path in self._paths:
            with suppress(FileNotFoundError):
                path.unlink()
        with suppress(FileNotFoundError):
            self.folder.rmdir()

    @property
    def _share(self) -> int:
        return -(-self.bytes // self.ranks)

    @property
    def _paths(self) -> list[Path]:
        return [self.folder / str(rank) for rank in range(self.ranks)]


def seconds_to_read(paths: Sequence[Path], readers: int) -> float:
    """All of these files, by so many processes at the same time, into memory that nobody has touched yet."""
    shares = [paths[reader::readers] for reader in range(readers)]
    with ProcessPoolExecutor(readers) as pool:
        list(pool.map(_read, [[]] * readers))  # they are started
        begun = time.perf_counter()
        list(pool.map(_read, shares))
        return time.perf_counter() - begun


def _write(path: Path, source: memoryview) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        at = 0
        while at < len(source):
            at += os.pwrite(descriptor, source[at : at + _PIECE], at)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _read(paths: Sequence[Path]) -> None:
    for path in paths:
        size = path.stat().st_size
        with path.open("rb") as file, mmap.mmap(-1, max(1, size)) as memory:
            at = 0
            while at < size and (count := os.preadv(file.fileno(), [memoryview(memory)[at:]], at)):
                at += count


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
