# SPDX-License-Identifier: BSD-3-Clause
"""Removes the shared memory files that the MPI of a killed job, or the job's own arrays, leave behind.

No MPI names its files after a job, so what belongs to an ended job is told by what is known: the file
appeared after the job began, has a name that MPIs use, belongs to this user, and no process maps it, twice
in a row. Files of ours are named after their job, "nereus-JOB-...": those of another job are left alone, also
when a process maps them that we cannot see.
"""

import contextlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("/dev/shm")
NAME_PREFIXES = (
    "mpich_shm_",
    "mpich_shar_tmp",
    "vader_segment.",
    "sm_segment.",
    "ucx_shm_",
    "psm2_shm",
    "nereus",
)
# A process that just made its file maps it within microseconds; this is ample.
_SECOND_LOOK_AFTER = 0.2
_LOOK_EVERY = 0.05  # s


@dataclass(frozen=True)
class Snapshot:
    """The files that were there before a job began."""

    names: frozenset[str]
    job: str | None = None

    @staticmethod
    def take(job: str | None = None) -> "Snapshot":
        """List the files that are there now; of later ones of ours only those of `job`, or of any, count."""
        return Snapshot(frozenset(_names()), job)

    def remove_leftovers(self, patience: float = 0) -> list[Path]:
        """Remove what appeared since and nobody uses; returns what was removed.

        `patience`: seconds to wait for processes that still use some, since they may be ending.
        """
        self._wait_for_users(patience)
        candidates = self._unused()
        if candidates:
            time.sleep(_SECOND_LOOK_AFTER)
            candidates &= self._unused()
        for path in candidates:
            _remove(path)
        return sorted(candidates)

    def _wait_for_users(self, patience: float) -> None:
        limit = time.monotonic() + patience
        while time.monotonic() < limit and mapped(self._new()):
            time.sleep(_LOOK_EVERY)

    def _unused(self) -> set[Path]:
        new = self._new()
        return new - mapped(new)

    def _new(self) -> set[Path]:
        names = (name for name in _names() if name not in self.names and self._may_be_of_the_job(name))
        return {path for path in map(FOLDER.joinpath, names) if _is_ours(path)}

    def _may_be_of_the_job(self, name: str) -> bool:
        if name.endswith("-epochs"):  # nobody maps what is in it; who made it removes it, or its watchdog
            return False
        return self.job is None or not name.startswith("nereus-") or name.startswith(f"nereus-{self.job}-")


def _remove(path: Path) -> None:
    """Also a folder, as of a job whose processes were being started anew."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        path.unlink()


def _names() -> list[str]:
    try:
        return [path.name for path in FOLDER.iterdir() if path.name.startswith(NAME_PREFIXES)]
    except OSError:
        return []


def _is_ours(path: Path) -> bool:
    try:
        return path.lstat().st_uid == os.geteuid()
    except OSError:
        return False


def mapped(paths: set[Path]) -> set[Path]:
    """Those of `paths` that some process maps or whose users cannot be told."""
    used: set[Path] = set()
    if not paths:
        return used
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                maps = (process / "maps").read_text(encoding="utf-8", errors="replace")
                used |= {path for path in paths if f" {path}\n" in maps}
    return used
