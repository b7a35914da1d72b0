# SPDX-License-Identifier: BSD-3-Clause
"""The command line that starts a program on some ranks, for each family of MPI."""

import os
import socket
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from nereus.launch.builds import Build
from nereus.launch.error import LaunchError
from nereus.launch.hosts import Host, Reach, RemoteShell, Share, host_list, place, short_name
from nereus.launch.preloading import COMPONENTS, LIBRARY, SEARCHED, preloaded

# A rank that waits long lets others have its core, as those of Open MPI do where ranks outnumber
# cores. Without it a resize on a crowded host takes two to three times as long.
MPICH_SETTINGS = {"MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1"}
# Hydra would take the hosts of a resource manager's job that we run in, and start processes by its means.
_HERE = {"HYDRA_RMK": "user", "HYDRA_LAUNCHER": "fork"}
# Open MPI takes these for processes that a running job spawns too, unlike the options of mpiexec. Binding
# is off because spawned processes would be bound to the very cores that the first ones have.
OPEN_MPI_SETTINGS = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    # Hosts are what the job's list says, whatever job of a resource manager we run in.
    "OMPI_MCA_ras": "^slurm,tm,lsf,gridengine",
    # A spawned process sometimes never comes out of PMIx_Init, less often without a store in shared memory.
    "PMIX_MCA_gds": "hash",
}
OPEN_MPI_CHOICES = {
    # Microseconds between looks at the sockets on which newcomers call for the first time; 10 ms as a rule.
    "OMPI_MCA_mpi_event_tick_rate": "1000",
}
# What makes waiting ranks of Open MPI sleep: it turns their yielding into short sleeps (decision 0010).
OPEN_MPI_YIELD = "OMPI_MCA_mpi_yield_when_idle"
OPEN_MPI_YIELD_LIBRARY = "lib/libnereus-yield.so"
#: Where a job finds the daemon of many jobs; empty: nowhere.
CONTROLLER = "NEREUS_CONTROLLER"


@dataclass(frozen=True)
class Command:
    """What to execute, and what to add to the environment."""

    arguments: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    #: Whether the launcher's ranks end, on all hosts, where it is killed: Hydra's proxies see to it. Where it
    #: is asked to end, it tells its user of a bad termination.
    dies_silently: bool = False
    #: Where it has processes, its own or the launcher's, until it ends: how many ranks on each host.
    hosts: Mapping[str, int] = field(default_factory=dict)


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

    def command(
        self,
        shares: Sequence[Share],
        environment: Mapping[str, str] | None = None,
        server: Path | None = None,
    ) -> Command:
        """How a group of these shares is started; `server`: the file that tells where ompi-server is."""
        build = self.build
        if not os.access(build.mpiexec, os.X_OK):
            raise LaunchError(
                f"{build.mpiexec}: the launcher of the build {build.name} is missing; run `make build` again"
            )
        watched = {} if self.recorded else _unrecorded()
        counts = _counts(build) if self.measured else {}
        shell = self.reach.remote_shell.environment if self.reach.remote_shell else {}
        own = {**shell, **self.environment, **(environment or {})}
        complete = {**_environment(build), **({} if self.reach.hosts else _HERE), **watched, **own, **counts}
        options = _options(build, server, self.reach.remote_shell, list(complete) if self.reach.far else [])
        where = _placed(build, shares, [str(self.program), *self.arguments], self.reach.hosts)
        words = [str(build.mpiexec), *options, *where]
        return Command(words, complete, build.kind == "mpich", self._hosts_of(shares))

    def _hosts_of(self, shares: Sequence[Share]) -> dict[str, int]:
        """Ranks that a group of these shares has on each host, by short names."""
        # mpiexec of Open MPI starts a daemon on each host that it is told of.
        others = [Share(host.name, 0) for host in self.reach.hosts] if self.build.kind == "openmpi" else []
        ranks: Counter[str] = Counter()
        for share in (*others, *shares):
            ranks[short_name(share.host or socket.gethostname())] += share.ranks
        return dict(ranks)


def command(build: Build, ranks: int, program: Path, arguments: Sequence[str] = ()) -> Command:
    """How `build` starts `program` on `ranks` processes of this host."""
    return Launch(build, program, tuple(arguments)).command([Share("", ranks)])


def _options(build: Build, server: Path | None, rsh: RemoteShell | None, names: Sequence[str]) -> list[str]:
    """Options for the whole launch; `names`: variables that go to other hosts."""
    if build.kind != "openmpi":
        return ["-launcher", "ssh", "-launcher-exec", rsh.command] if rsh else []
    options = ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
    if rsh:
        started_by = {"plm": "rsh", "plm_rsh_agent": rsh.command, "plm_rsh_no_tree_spawn": "1"}
        # Else its daemons leave the remote shell, and a resource manager ends what that leaves behind.
        started_by["orte_leave_session_attached"] = "1"
        options += [word for name, value in started_by.items() for word in ("--mca", name, value)]
    if server is not None:
        options += ["--ompi-server", f"file:{server}"]
    if names:
        # Hydra hands the whole environment on, Open MPI nothing but its own variables.
        ours = {name for name in os.environ if name.startswith("NEREUS_")} | {"NEREUS_JOB", *names}
        options += [part for name in sorted(ours) if not name.startswith("OMPI_") for part in ("-x", name)]
    return options


def _environment(build: Build) -> dict[str, str]:
    """What jobs of this MPI need, and what lets waiting ranks sleep, unless the user decided about that."""
    if build.kind != "openmpi":
        return {name: value for name, value in MPICH_SETTINGS.items() if name not in os.environ}
    choices = OPEN_MPI_CHOICES | _for_mpi4py(build)
    chosen = {name: value for name, value in choices.items() if name not in os.environ}
    return {**OPEN_MPI_SETTINGS, **chosen, **_naps(build)}


def _for_mpi4py(build: Build) -> dict[str, str]:
    """What makes mpi4py use this Open MPI; by itself it prefers MPICH, and the MPI of the system."""
    if build.library_folder is None:
        return {"MPI4PY_MPIABI": "openmpi"}
    return {"MPI4PY_LIBMPI": str(build.library_folder)}


def _unrecorded() -> dict[str, str]:
    """What keeps the monitor, where we run under it, and a daemon from what we start for ourselves."""
    is_here = Path(LIBRARY).name in os.environ.get("LD_PRELOAD", "")
    are_here = Path(COMPONENTS).name in os.environ.get(SEARCHED, "")
    unwatched = {"NEREUS_MONITOR": "none"} if is_here or are_here else {}
    return {**unwatched, CONTROLLER: ""}  # nor is it a job of the user's for the daemon


def _counts(build: Build) -> dict[str, str]:
    """What lets ranks count what they send, where we do not run under `nereus monitor` anyway."""
    others = _environment(build).get("LD_PRELOAD", os.environ.get("LD_PRELOAD", ""))
    library = build.prefix / LIBRARY
    if library.name in others or Path(COMPONENTS).name in os.environ.get(SEARCHED, ""):
        return {}
    loaded = preloaded(library, {}, {"LD_PRELOAD": others})["LD_PRELOAD"]
    return {"LD_PRELOAD": loaded, "NEREUS_MONITOR": "inside", "NEREUS_MONITOR_MODEL": "on"}


def _naps(build: Build) -> dict[str, str]:
    library = str(build.prefix / OPEN_MPI_YIELD_LIBRARY)
    others = os.environ.get("LD_PRELOAD", "")
    decided = OPEN_MPI_YIELD in os.environ and library not in others  # not by a job that we are part of
    # The dynamic linker takes a blank or a colon for the end of a name.
    if decided or not Path(library).exists() or set(library) & set(" :"):
        return {}
    preloaded = others if library in others else ":".join(filter(None, [library, others]))
    return {OPEN_MPI_YIELD: "1", "LD_PRELOAD": preloaded}


def _placed(build: Build, shares: Sequence[Share], program: list[str], hosts: Sequence[Host]) -> list[str]:
    """Numbers, places and program of a group, with ranks in the order of the shares."""
    if all(not share.host for share in shares):
        return ["-n", str(_sum(shares)), *program]
    named = _merged([Share(share.host or socket.gethostname(), share.ranks) for share in shares])
    if build.kind != "openmpi":
        return ["-hosts", _host_list(_each_once(named)), "-n", str(_sum(named)), *program]
    policy = _policy(hosts, named)
    if policy is not None:
        return ["--map-by", policy, "--host", host_list(hosts), "-n", str(_sum(named)), *program]
    if len({share.host for share in named}) == len(named):
        return ["--map-by", "slot", "--host", _host_list(named), "-n", str(_sum(named)), *program]
    # Open MPI adds up a host that is there twice: a part for each share keeps the order.
    parts = [["--host", _host_list([share]), "-n", str(share.ranks), *program] for share in named]
    return [word for number, part in enumerate(parts) for word in ([":"] if number else []) + part]


def _each_once(shares: Sequence[Share]) -> list[Share]:
    """Shares that name each host once, with as many ranks there; Hydra begins anew at the end of its list.

    Where MPICH 5.0.2 was told of hosts twice, resizes to five newcomers on three hosts hung in MPI_Bcast.
    """
    ranks: Counter[str] = Counter()
    for share in shares:
        ranks[share.host] += share.ranks
    first = list(shares[: len(ranks)])
    if all(share == first[number % len(first)] for number, share in enumerate(shares)):
        return first
    return [Share(host, number) for host, number in ranks.items()]


def _policy(hosts: Sequence[Host], shares: Sequence[Share]) -> str | None:
    """The policy by which Open MPI itself puts the shares where they belong, when it is given all hosts.

    It should be given all: a job can spawn only on hosts that its mpiexec was told of.
    """
    ranks = _sum(shares)
    if len(hosts) < 2 or ranks > sum(host.slots for host in hosts):
        return None
    if shares == place(hosts, ranks, spread=False, oversubscribe=False):
        return "slot"
    # Only as long as no host is full: what Open MPI does then depends on its version.
    rounds = -(-ranks // len(hosts))
    in_turn = rounds <= min(host.slots for host in hosts)
    return "node" if in_turn and shares == place(hosts, ranks, spread=True, oversubscribe=False) else None


def _merged(shares: Sequence[Share]) -> list[Share]:
    by_host = [(host, _sum(list(same))) for host, same in groupby(shares, key=lambda share: share.host)]
    return [Share(host, ranks) for host, ranks in by_host]


def _sum(shares: Sequence[Share]) -> int:
    return sum(share.ranks for share in shares)


def _host_list(shares: Sequence[Share]) -> str:
    return ",".join(f"{share.host}:{share.ranks}" for share in shares)
