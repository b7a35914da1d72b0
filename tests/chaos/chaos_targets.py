# SPDX-License-Identifier: BSD-3-Clause
"""The processes of a job by their role."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from chaos_plan import Role, Step

_PROGRAMS = {
    Role.PROXY: ("hydra_pmi_proxy", "orted", "prted"),
    Role.LAUNCHER: ("mpiexec", "mpiexec.hydra", "orterun", "orterun_wrapper", "prterun"),
}


class Targets:
    """Who can be hit; members are the ranks that were there when the resize was asked for."""

    def __init__(self, site: Any, supervisor: int, daemon: int | None, told: Path) -> None:
        """`site`: where the job runs; ranks write next to `told` (tests/system/programs/kill_at.c)."""
        self._site, self._supervisor, self._daemon, self._told = site, supervisor, daemon, told
        self._members: dict[int, int] = {}
        self._leavers: set[int] = set()

    def note_members(self, step: Step) -> None:
        """The ranks of now are members, and some of them leave with this resize."""
        self._members = self._ranks_told()
        stays = step.ranks if step.options["process-method"] == "merge" else 0
        self._leavers = {pid for pid, rank in self._members.items() if rank >= stays}

    @property
    def members(self) -> list[int]:
        """The members that were noted."""
        return sorted(self._members)

    @property
    def leavers(self) -> list[int]:
        """Those of them that leave."""
        return sorted(self._leavers)

    @property
    def ranks(self) -> int:
        """How many processes the job had when its members were noted; 0: none has told it."""
        return len(self._members)

    def of(self, role: Role) -> list[int]:
        """Processes in this role, as far as they run."""
        match role:
            case Role.SUPERVISOR:
                return [self._supervisor]
            case Role.DAEMON:
                return [] if self._daemon is None else [self._daemon]
            case Role.SOURCE:
                return [pid for pid in self._running() if pid in self._members]
            case Role.LEAVER:
                return [pid for pid in self._running() if pid in self._leavers]
            case Role.NEWCOMER:
                return [pid for pid in self._running() if pid not in self._members]
        return [pid for pid in self._site.processes() if program_of(pid) in _PROGRAMS[role]]

    def hit(self, role: Role, number: signal.Signals, random: Random) -> int | None:
        """Send a signal to one of them; who got it."""
        found = sorted(self.of(role))
        if not found:
            return None
        target = random.choice(found)
        with suppress(ProcessLookupError):
            os.kill(target, number)
            return target
        return None

    def _running(self) -> list[int]:
        return list(self._site.processes("resizable"))

    def _ranks_told(self) -> dict[int, int]:
        """The rank of each process that takes part; parked ones have told it of a job of another size."""
        told = {}
        for pid in self._running():
            with suppress(OSError, ValueError):
                path = self._told.with_name(f"{self._told.name}.rank.{pid}")
                rank, size = map(int, path.read_text().split())
                told[pid] = (rank, size, path.stat().st_mtime_ns)
        # The rank 0 that told it last is the one of now.
        roots = [(when, size) for rank, size, when in told.values() if rank == 0]
        now = max(roots)[1] if roots else 0
        return {pid: rank for pid, (rank, size, _) in told.items() if size == now}


def program_of(pid: int) -> str:
    """The name of what a process executes, "" when it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/exe").readlink().name
    return ""
