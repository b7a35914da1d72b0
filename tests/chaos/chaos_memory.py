# SPDX-License-Identifier: BSD-3-Clause
"""Which files in /dev/shm belong to a trial: others make some meanwhile."""

import os
import re
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Any, Self

from conftest import shared_memory

_LOOK_EVERY = 0.2
_MAPPED = re.compile(r"(/dev/shm/\S+)")
# Open MPI's number of a job; its shared memory has it in hexadecimal: vader_segment.HOST.USER.JOB.RANK.
_NAMESPACE = re.compile(rb"(?:^|\0)PMIX_NAMESPACE=(\d+)\0")
_JOB = re.compile(rb"(?:^|\0)NEREUS_JOB=(\w+)\0")


class MemoryWatch:
    """Looks again and again what the processes of a site map, and what their jobs are called."""

    def __init__(self, site: Any) -> None:
        """Look from now on, within the block."""
        self._site = site
        self._before = shared_memory()
        self._mapped: set[Path] = set()
        self._names: set[str] = set()
        self._over = Event()
        self._thread = Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End."""
        self._over.set()
        self._thread.join()

    def left(self) -> set[Path]:
        """Files of this site's processes that nobody maps any more."""
        return {path for path in self._new() if self._is_of_the_site(path)}

    def _new(self) -> set[Path]:
        return made_since(self._before)

    def _is_of_the_site(self, path: Path) -> bool:
        parts = set(re.split(r"[.-]", path.name))
        return path in self._mapped or bool(parts & self._names)

    def _look_on(self) -> None:
        while not self._over.wait(_LOOK_EVERY):
            for pid in self._site.processes():
                with suppress(OSError, ValueError):
                    self._look_at(Path(f"/proc/{pid}"))

    def _look_at(self, process: Path) -> None:
        maps = (process / "maps").read_text(errors="replace")
        self._mapped |= {Path(name) for name in _MAPPED.findall(maps)}
        environment = (process / "environ").read_bytes()
        self._names |= {f"{int(name):x}" for name in _NAMESPACE.findall(environment)}
        self._names |= {name.decode() for name in _JOB.findall(environment)}


def made_since(before: set[Path]) -> set[Path]:
    """Files of this user that were not there before, and nobody maps."""
    found = set()
    for path in shared_memory() - before:
        with suppress(OSError):
            if path.lstat().st_uid == os.geteuid():
                found.add(path)
    return found
