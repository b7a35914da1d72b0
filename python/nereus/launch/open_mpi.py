# SPDX-License-Identifier: BSD-3-Clause
"""The launchers of Open MPI: its own, and PRRTE since version 5."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from nereus.launch.builds import Build
from nereus.launch.hosts import Host, RemoteShell, Share, host_list, place
from nereus.launch.launcher import in_parts, ranks_of, share_list, unless_set
from nereus.launch.preloading import forwarded_by_list
from nereus.launch.processes import OWN_VARIABLES

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
# The same in the words of PRRTE, which began anew with names.
PRRTE_SETTINGS = {
    "PRTE_MCA_rmaps_default_mapping_policy": "slot:OVERSUBSCRIBE",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "PRTE_MCA_ras": "^slurm,pbs,lsf,gridengine,flux",
}
OPEN_MPI_CHOICES = {
    # Microseconds between looks at the sockets on which newcomers call for the first time; 10 ms as a rule.
    "OMPI_MCA_mpi_event_tick_rate": "1000",
}
# What makes waiting ranks of Open MPI sleep: it turns their yielding into short sleeps (decision 0010).
OPEN_MPI_YIELD = "OMPI_MCA_mpi_yield_when_idle"
OPEN_MPI_YIELD_LIBRARY = "lib/libnereus-yield.so"


class OpenMpi:
    """Of Open MPI 4, with daemons on all hosts that it is told of."""

    dies_silently = False
    is_on_all_hosts = True
    # Seconds between SIGTERM and SIGKILL; 1 as a rule.
    ended_at_once: Mapping[str, str] = MappingProxyType({"OMPI_MCA_odls_base_sigkill_timeout": "0"})
    _settings: Mapping[str, str] = OPEN_MPI_SETTINGS

    def options(self, server: Path | None, shell: RemoteShell | None, names: Sequence[str]) -> list[str]:
        """With the variables that go to other hosts: it hands on nothing but its own."""
        options = ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
        if shell:
            started_by = {"plm": "rsh", "plm_rsh_agent": shell.command, "plm_rsh_no_tree_spawn": "1"}
            # Else its daemons leave the remote shell, and a resource manager ends what that leaves behind.
            started_by["orte_leave_session_attached"] = "1"
            options += [word for name, value in started_by.items() for word in ("--mca", name, value)]
        if server is not None:
            options += ["--ompi-server", f"file:{server}"]
        return [*options, *_forwarded(names)]

    def environment(self, build: Build, shell: RemoteShell | None, alone: bool) -> dict[str, str]:
        """Naps of waiting ranks among it."""
        chosen = unless_set(OPEN_MPI_CHOICES | _for_mpi4py(build), os.environ)
        return {**self._settings, **chosen, **_naps(build)}

    def placed(self, shares: Sequence[Share], program: list[str], hosts: Sequence[Host]) -> list[str]:
        """All hosts, where a policy of its own has the same result: a job can spawn only on those."""
        policy = _policy(hosts, shares)
        if policy is not None:
            words = ["--map-by", policy, "--host", host_list(hosts)]
        elif len({share.host for share in shares}) == len(shares):
            words = ["--map-by", "slot", "--host", share_list(shares)]
        else:
            # It adds up a host that is there twice.
            return in_parts("--host", [(share_list([share]), share.ranks) for share in shares], program)
        return [*words, "-n", str(ranks_of(shares)), *program]


class Prrte(OpenMpi):
    """Of Open MPI since 5; it has no name server."""

    ended_at_once: Mapping[str, str] = MappingProxyType({"PRTE_MCA_odls_base_sigkill_timeout": "0"})
    _settings = PRRTE_SETTINGS

    def options(self, server: Path | None, shell: RemoteShell | None, names: Sequence[str]) -> list[str]:
        """Most of it is in the environment."""
        return [*(["--allow-run-as-root"] if os.geteuid() == 0 else []), *_forwarded(names)]

    def environment(self, build: Build, shell: RemoteShell | None, alone: bool) -> dict[str, str]:
        """Its remote shell among it."""
        started_by = {
            "PRTE_MCA_plm": "ssh",
            "PRTE_MCA_plm_ssh_agent": shell.command if shell else "",
            "PRTE_MCA_plm_ssh_no_tree_spawn": "1",
            "PRTE_MCA_prte_leave_session_attached": "1",
        }
        return {**super().environment(build, shell, alone), **(started_by if shell else {})}


def _forwarded(names: Sequence[str]) -> list[str]:
    """Our variables, those of `nereus trace` and the like, and those named, where any go to other hosts."""
    if not names:
        return []
    ours = {name for name in os.environ if name.startswith("NEREUS_")} | {*OWN_VARIABLES, *names}
    ours.update(name.partition("=")[0] for name in forwarded_by_list(os.environ))
    return [part for name in sorted(ours) if not name.startswith("OMPI_") for part in ("-x", name)]


def _for_mpi4py(build: Build) -> dict[str, str]:
    """What makes mpi4py use this Open MPI; by itself it prefers MPICH, and the MPI of the system."""
    if build.library_folder is None:
        return {"MPI4PY_MPIABI": "openmpi"}
    return {"MPI4PY_LIBMPI": str(build.library_folder)}


def _naps(build: Build) -> dict[str, str]:
    library = str(build.prefix / OPEN_MPI_YIELD_LIBRARY)
    others = os.environ.get("LD_PRELOAD", "")
    decided = OPEN_MPI_YIELD in os.environ and library not in others  # not by a job that we are part of
    # The dynamic linker takes a blank or a colon for the end of a name.
    if decided or not Path(library).exists() or set(library) & set(" :"):
        return {}
    preloaded = others if library in others else ":".join(filter(None, [library, others]))
    return {OPEN_MPI_YIELD: "1", "LD_PRELOAD": preloaded}


def _policy(hosts: Sequence[Host], shares: Sequence[Share]) -> str | None:
    """The policy by which Open MPI itself puts the shares where they belong, when it is given all hosts.

    It should be given all: a job can spawn only on hosts that its mpiexec was told of.
    """
    ranks = ranks_of(shares)
    if len(hosts) < 2 or ranks > sum(host.slots for host in hosts):
        return None
    if shares == place(hosts, ranks, spread=False, oversubscribe=False):
        return "slot"
    # Only as long as no host is full: what Open MPI does then depends on its version.
    rounds = -(-ranks // len(hosts))
    in_turn = rounds <= min(host.slots for host in hosts)
    return "node" if in_turn and shares == place(hosts, ranks, spread=True, oversubscribe=False) else None
