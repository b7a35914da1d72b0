# SPDX-License-Identifier: BSD-3-Clause
"""What helps when an MPI cannot resize jobs."""

from collections.abc import Callable

from nereus.cli.messages import Refused
from nereus.launch import Build, builds
from nereus.probe import Joining, joining, probe
from nereus.runs import Where


def check_resizes(build: Build, where: Where, stopped: Callable[[], bool]) -> Joining:
    """Refuse an MPI that cannot make processes, before anything is started; can newcomers join?"""
    obstacle = probe(build, stopped=stopped).obstacle
    if obstacle is not None and not stopped():
        raise Refused(f"--mpi = {build.name}: this MPI cannot resize a job ({obstacle}); {remedy(build)}")
    return joining(build, where.hosts, where.rsh, stopped=stopped)


def remedy(unable: Build) -> str:
    """Another installed build that can, else how to get one."""
    for build in builds():
        if build.name != unable.name and probe(build).obstacle is None:
            return f"use --mpi {build.name}"
    return "install one that can: `make build` fetches MPICH 5 from PyPI and builds Nereus with it"
