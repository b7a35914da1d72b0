# SPDX-License-Identifier: BSD-3-Clause
"""The command line that starts a program on some ranks, whatever the kind of launcher."""

import os
import socket
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nereus.launch.builds import Build
from nereus.launch.error import LaunchError
from nereus.launch.hosts import Reach, Share, short_name
from nereus.launch.hydra import Hydra, IntelHydra
from nereus.launch.launcher import Launcher, merged, ranks_of, unless_set
from nereus.launch.open_mpi import OpenMpi, Prrte
from nereus.launch.preloading import COMPONENTS, LIBRARY, SEARCHED, preloaded

_LAUNCHERS: Mapping[str, Launcher] = {
    "mpich": Hydra(),
    "intel": IntelHydra(),
    "openmpi": OpenMpi(),
    "prrte": Prrte(),
}
#: Where a job finds the daemon of many jobs; empty: nowhere.
CONTROLLER = "NEREUS_CONTROLLER"
PROCESS_METHOD = "NEREUS_PROCESS_METHOD"
#: Where the data of a job lies while others take the place of its processes; whether these are those others.
RESTART_FOLDER, RESTARTED = "NEREUS_RESTART_FOLDER", "NEREUS_RESTARTED"
#: Where a job keeps epochs in memory; empty: it keeps none.
PROTECT_FOLDER = "NEREUS_PROTECT_FOLDER"


@dataclass(frozen=True)
class Command:
    """What to execute, and what to add to the environment."""

    arguments: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    #: Whether the launcher's ranks end, on all hosts, where it is killed.
    dies_silently: bool = False
    #: Where it has processes, its own or the launcher's, until it ends: how many ranks on each host.
    hosts: Mapping[str, int] = field(default_factory=dict)
    #: Whether it gets our standard input, where that is no terminal.
    reads_input: bool = True


@dataclass(frozen=True)
class Launch:
    """What a job runs and how it is started: all that its groups have in common."""

    build: Build
    program: Path
    arguments: tuple[str, ...] = ()
    reach: Reach = field(default_factory=Reach)
    #: Settings and the MPI's transports.
    environment: Mapping[str, str] = field(default_factory=dict)
    #: Whether it is what a user wants to watch, where we run under `nereus monitor`; trials of ours are not.
    recorded: bool = False
    #: Whether ranks count for themselves what they send each other, so that resizes can place them by it.
    measured: bool = False
    #: Whether it continues where it failed: what is left of it is ended at once then.
    recovers: bool = False

    def command(
        self,
        shares: Sequence[Share],
        environment: Mapping[str, str] | None = None,
        server: Path | None = None,
    ) -> Command:
        """How a group of these shares is started; `server`: the file that tells where ompi-server is."""
        build = self.build
        if not os.access(build.mpiexec, os.X_OK):
            remedy = "run `pip install --force-reinstall mpich`" if build.is_packaged else build.remedy
            raise LaunchError(
                f"{build.mpiexec}: the launcher of the build {build.name} is missing, of "
                f"{build.library_version}; {remedy}"
            )
        launcher, shell = _LAUNCHERS[build.kind], self.reach.remote_shell
        watched = {} if self.recorded else _unrecorded()
        needed = launcher.environment(build, shell, not self.reach.hosts)
        counts = _counts(build, needed) if self.measured else {}
        ended = unless_set(launcher.ended_at_once, os.environ) if self.recovers else {}
        own = {**(shell.environment if shell else {}), **self.environment, **(environment or {})}
        complete = {**build.environment, **needed, **watched, **ended, **own, **counts}
        options = launcher.options(server, shell, list(complete) if self.reach.far else [])
        words = [str(build.mpiexec), *options, *self._placed(launcher, shares)]
        return Command(words, complete, launcher.dies_silently, self._hosts_of(launcher, shares))

    def _placed(self, launcher: Launcher, shares: Sequence[Share]) -> list[str]:
        program = [str(self.program), *self.arguments]
        if all(not share.host for share in shares):
            return ["-n", str(ranks_of(shares)), *program]
        named = merged([Share(share.host or socket.gethostname(), share.ranks) for share in shares])
        return launcher.placed(named, program, self.reach.hosts)

    def _hosts_of(self, launcher: Launcher, shares: Sequence[Share]) -> dict[str, int]:
        """Ranks that a group of these shares has on each host, by short names."""
        others = [Share(host.name, 0) for host in self.reach.hosts] if launcher.is_on_all_hosts else []
        ranks: Counter[str] = Counter()
        for share in (*others, *shares):
            ranks[short_name(share.host or socket.gethostname())] += share.ranks
        return dict(ranks)


def command(build: Build, ranks: int, program: Path, arguments: Sequence[str] = ()) -> Command:
    """How `build` starts `program` on `ranks` processes of this host."""
    return Launch(build, program, tuple(arguments)).command([Share("", ranks)])


def _unrecorded() -> dict[str, str]:
    """What keeps the monitor, where we run under it, and a daemon from what we start for ourselves."""
    is_here = LIBRARY in os.environ.get("LD_PRELOAD", "")
    are_here = Path(COMPONENTS).name in os.environ.get(SEARCHED, "")
    unwatched = {"NEREUS_MONITOR": "none"} if is_here or are_here else {}
    return {**unwatched, CONTROLLER: ""}  # nor is it a job of the user's for the daemon


def _counts(build: Build, needed: Mapping[str, str]) -> dict[str, str]:
    """What lets ranks count what they send, where we do not run under `nereus monitor` anyway."""
    others = needed.get("LD_PRELOAD", os.environ.get("LD_PRELOAD", ""))
    if LIBRARY in others or Path(COMPONENTS).name in os.environ.get(SEARCHED, ""):
        return {}
    loaded = preloaded(build.library(LIBRARY), {}, {"LD_PRELOAD": others})["LD_PRELOAD"]
    return {"LD_PRELOAD": loaded, "NEREUS_MONITOR": "inside", "NEREUS_MONITOR_MODEL": "on"}
