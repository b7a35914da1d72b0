# SPDX-License-Identifier: BSD-3-Clause
"""Hydra, the launcher of MPICH and its relatives, and what Intel made of it."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from nereus.launch.builds import Build
from nereus.launch.hosts import Host, RemoteShell, Share
from nereus.launch.launcher import each_once, in_parts, ranks_of, share_list, unless_set

# A rank that waits long lets others have its core, as those of Open MPI do where ranks outnumber
# cores. Without it a resize on a crowded host takes two to three times as long.
MPICH_SETTINGS = {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1"}
# Hydra would take the hosts of a resource manager's job that we run in, and start processes by its means.
_HERE = {"HYDRA_RMK": "user", "HYDRA_LAUNCHER": "fork"}

# Without the first a spawn ends the job by a signal.
INTEL_SETTINGS = {"I_MPI_SPAWN": "1"}
INTEL_CHOICES = {
    # Spawned processes would be pinned to the very cores that the first ones have.
    "I_MPI_PIN": "0",
    # A rank that waits long lets others have its core.
    "I_MPI_THREAD_YIELD": "3",
}
_INTEL_ROOT = "I_MPI_ROOT"
# Where we reach hosts by a list of our own, its launcher asks no resource manager for others.
_INTEL_LISTED = {"I_MPI_HYDRA_RMK": "user"}
_INTEL_HERE = {**_INTEL_LISTED, "I_MPI_HYDRA_BOOTSTRAP": "fork"}


class Hydra:
    """MPICH's, with one list of hosts for the whole launch."""

    dies_silently = True
    is_on_all_hosts = False
    ended_at_once: Mapping[str, str] = MappingProxyType({})

    def options(self, server: Path | None, shell: RemoteShell | None, names: Sequence[str]) -> list[str]:
        """Hydra hands the whole environment on, and needs no name server."""
        return ["-launcher", "ssh", "-launcher-exec", shell.command] if shell else []

    def environment(self, build: Build, shell: RemoteShell | None, alone: bool) -> dict[str, str]:
        """Waiting ranks sleep now and then."""
        return {**unless_set(MPICH_SETTINGS, os.environ), **(_HERE if alone else {})}

    def placed(self, shares: Sequence[Share], program: list[str], hosts: Sequence[Host]) -> list[str]:
        """Hosts once each, with the number of their ranks."""
        return ["-hosts", share_list(each_once(shares)), "-n", str(ranks_of(shares)), *program]


class IntelHydra(Hydra):
    """Intel's: it takes no numbers from a list of hosts, so that each share is a part of its own."""

    def options(self, server: Path | None, shell: RemoteShell | None, names: Sequence[str]) -> list[str]:
        """The remote shell has Intel's names."""
        return ["-bootstrap", "ssh", "-bootstrap-exec", shell.command] if shell else []

    def environment(self, build: Build, shell: RemoteShell | None, alone: bool) -> dict[str, str]:
        """What spawns need; and where its files are, which mpiexec and ranks look for."""
        root = {_INTEL_ROOT: str(build.mpiexec.parent.parent)}
        manager = _INTEL_HERE if alone else _INTEL_LISTED if shell else {}
        return {**INTEL_SETTINGS, **unless_set({**root, **INTEL_CHOICES}, os.environ), **manager}

    def placed(self, shares: Sequence[Share], program: list[str], hosts: Sequence[Host]) -> list[str]:
        """A part for each share."""
        return in_parts("-host", [(share.host, share.ranks) for share in shares], program)
