# SPDX-License-Identifier: BSD-3-Clause
"""The processes that a job consists of, as its root tells, looked at by the supervisor itself.

A launcher may not tell that a process died which the job has spawned: MPICH's Hydra returns the status of
those that it started first. Processes on other hosts cannot be seen from here. For them the launcher's word
stands, and that no job ends well that was not closed.
"""

import time
from collections.abc import Sequence

from nereus.launch import processes
from nereus.launch.hosts import is_here
from nereus.launch.outcome import Outcome
from nereus.launch.processes import Process

#: Seconds that a launcher has to say how a process ended, and the root to say that it was to end.
EXPLAINED_WITHIN = 2.0
_LOOK_EVERY = 0.25


class Members:
    """Who is part of the job now."""

    def __init__(self) -> None:
        """Nobody yet."""
        self._ranks: dict[Process, int] = {}
        self._missed: dict[Process, float] = {}
        self._parents: dict[Process, int] = {}
        self._next_look = 0.0
        self._open = False
        self._was_opened = False
        self._generation = -1
        self._seen = False
        self._hosts: tuple[str, ...] = ()

    @property
    def hosts(self) -> tuple[str, ...]:
        """Of each rank of the latest generation."""
        return self._hosts

    @property
    def job_is_open(self) -> bool:
        """Whether the job was opened and not closed."""
        return self._open

    @property
    def job_was_opened(self) -> bool:
        """Whether it ever was."""
        return self._was_opened

    @property
    def due(self) -> float | None:
        """When to look again."""
        return self._next_look if self._ranks else None

    def open(self) -> None:
        """The job has a root."""
        if not self._open:
            self._open, self._was_opened, self._generation = True, True, -1

    def follow(self, generation: int, members: Sequence[Process], hosts: Sequence[str]) -> None:
        """In this generation the job consists of these, on these hosts, in the order of their ranks.

        What is heard of a former generation, or of a job that is closed, comes too late and changes nothing.
        """
        if not self._open or generation < self._generation:
            return
        self._generation, self._hosts = generation, tuple(hosts)
        here = {
            process: rank
            for rank, (process, host) in enumerate(zip(members, hosts, strict=True))
            if is_here(host)
        }
        # Where none was ever seen, as in a container of its own, an end cannot be told from a life elsewhere.
        self._seen = self._seen or any(processes.is_running(process) for process in here)
        self._ranks = here if self._seen else {}
        self._missed = {process: since for process, since in self._missed.items() if process in self._ranks}
        found = {process: self._parents.get(process) or processes.parent(process) for process in self._ranks}
        self._parents = {process: parent for process, parent in found.items() if parent is not None}
        self._next_look = 0.0

    def close(self) -> None:
        """The job is being closed: its processes may end."""
        self._ranks, self._missed, self._open = {}, {}, False

    def failure(self, now: float | None = None) -> Outcome | None:
        """That a process is gone whose end nobody has explained."""
        now = time.monotonic() if now is None else now
        if now < self._next_look:
            return None
        self._next_look = now + _LOOK_EVERY
        for process, rank in self._ranks.items():
            fault = self._fault(process)
            if fault and now - self._missed.setdefault(process, now) >= EXPLAINED_WITHIN:
                return Outcome(False, f"rank {rank} (process {process.pid}) {fault}", 1)
        return None

    def _fault(self, process: Process) -> str:
        if not processes.is_running(process):
            return "ended before the job was closed"
        # Without the process that started it, a launcher's proxy as a rule, nothing can be spawned any more.
        known = self._parents.get(process)
        return f"lost process {known}, which started it" if processes.parent(process) != known else ""
