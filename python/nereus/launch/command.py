# SPDX-License-Identifier: BSD-3-Clause
"""The command line that starts a program on some ranks, for each family of MPI."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nereus.launch.builds import Build
from nereus.launch.error import LaunchError

# Open MPI takes these for processes that a running job spawns too, unlike the options of mpiexec. Binding
# is off because spawned processes would be bound to the very cores that the first ones have.
OPEN_MPI_SETTINGS = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    # A spawned process sometimes never comes out of PMIx_Init, less often without a store in shared memory.
    "PMIX_MCA_gds": "hash",
}


@dataclass(frozen=True)
class Command:
    """What to execute, and what to add to the environment."""

    arguments: list[str]
    environment: dict[str, str] = field(default_factory=dict)


def command(
    build: Build, ranks: int, program: Path, arguments: Sequence[str] = (), hosts: Sequence[str] | None = None
) -> Command:
    """How `build` starts `program` on `ranks` processes; on this host unless `hosts` are given."""
    if not os.access(build.mpiexec, os.X_OK):
        raise LaunchError(
            f"{build.mpiexec}: the launcher of the build {build.name} is missing; run `make build` again"
        )
    start = [str(build.mpiexec), *_options(build), "-n", str(ranks), *_placement(build, hosts)]
    return Command([*start, str(program), *arguments], dict(_environment(build)))


def _options(build: Build) -> list[str]:
    if build.kind != "openmpi":
        return []
    return ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]


def _environment(build: Build) -> dict[str, str]:
    return OPEN_MPI_SETTINGS if build.kind == "openmpi" else {}


def _placement(build: Build, hosts: Sequence[str] | None) -> list[str]:
    if not hosts:
        return []
    return ["--host" if build.kind == "openmpi" else "-hosts", ",".join(hosts)]
