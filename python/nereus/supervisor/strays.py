# SPDX-License-Identifier: BSD-3-Clause
"""Newcomers that never became part of a job, and hold up its end.

One that was stopped while it came, or whose proxy died, may wait within MPI for ever. Its launcher waits for
it then, also when the job was closed and all who were part of it have ended.
"""

import os
import time
from collections.abc import Collection
from pathlib import Path

from nereus.launch import processes
from nereus.launch.processes import Process

#: Seconds that such processes have to end by themselves when all others have.
ENDED_WITHIN = 5.0
_TICKS = os.sysconf("SC_CLK_TCK")


class Strays:
    """Who was ever part of one job, and when no one of these was left."""

    def __init__(self, job: str) -> None:
        """`job`: its key."""
        self._job = job
        self._members: set[Process] = set()
        self._programs: set[str] = set()
        self._opened: float | None = None
        self._gone_since: float | None = None
        self._sees_all = True

    def opened(self) -> None:
        """All founders were started before now."""
        if self._opened is None:
            self._opened = time.clock_gettime(time.CLOCK_BOOTTIME) * _TICKS

    def follow(self, members: Collection[Process], all_are_here: bool) -> None:
        """These are part of the job; whether those on other hosts have ended is not known here."""
        self._sees_all = self._sees_all and all_are_here
        self._members |= set(members)
        self._programs |= {program for member in members if (program := _program(member))}

    def are_left(self, now: float) -> bool:
        """Of a closed job: whether strays alone have been left for so long that they are to be ended."""
        if self._opened is None or not self._sees_all:
            return False
        if any(processes.is_running(member) for member in self._members):
            self._gone_since = None
            return False
        if self._gone_since is None:
            self._gone_since = now
        if now - self._gone_since < ENDED_WITHIN:
            return False
        return any(self._is_stray(process) for process in processes.of_job(self._job))

    def _is_stray(self, process: Process) -> bool:
        assert self._opened is not None
        late = process.started > self._opened and process not in self._members
        return late and _program(process) in self._programs


def _program(process: Process) -> str:
    try:
        return str(Path(f"/proc/{process.pid}/exe").readlink())
    except OSError:
        return ""
