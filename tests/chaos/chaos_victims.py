# SPDX-License-Identifier: BSD-3-Clause
"""The processes of a job by their role."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from chaos_plan import Role

_PROGRAMS = {
    Role.PROXY: ("hydra_pmi_proxy", "orted"),
    Role.LAUNCHER: ("mpiexec", "mpiexec.hydra", "orterun"),
}


class Victims:
    """Who can be struck; members are the ranks that were there when the resize was asked for."""

    def __init__(self, site: Any, supervisor: int, daemon: int | None) -> None:
        """`site`: where the job runs."""
        self._site, self._supervisor, self._daemon = site, supervisor, daemon
        self._members: set[int] = set()

    def note_members(self) -> None:
        """All ranks of now are members."""
        self._members = set(self._ranks())

    def of(self, role: Role) -> list[int]:
        """Processes in this role, as far as they run."""
        match role:
            case Role.SUPERVISOR:
                return [self._supervisor]
            case Role.DAEMON:
                return [] if self._daemon is None else [self._daemon]
            case Role.MEMBER:
                return [pid for pid in self._ranks() if pid in self._members]
            case Role.NEWCOMER:
                return [pid for pid in self._ranks() if pid not in self._members]
        return [pid for pid in self._site.processes() if program_of(pid) in _PROGRAMS[role]]

    def strike(self, role: Role, number: signal.Signals, random: Random) -> int | None:
        """Send a signal to one of them; who got it."""
        found = sorted(self.of(role))
        if not found:
            return None
        victim = random.choice(found)
        with suppress(ProcessLookupError):
            os.kill(victim, number)
            return victim
        return None

    def _ranks(self) -> list[int]:
        return list(self._site.processes("resizable"))


def program_of(pid: int) -> str:
    """The name of what a process executes, "" when it is gone."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/exe").readlink().name
    return ""
