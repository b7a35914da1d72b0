# SPDX-License-Identifier: BSD-3-Clause
"""What helps when an MPI cannot resize jobs."""

from nereus.launch.builds import Build, builds
from nereus.probe.capabilities import probe


def remedy(unable: Build) -> str:
    """Another installed build that can, else how to get one."""
    for build in builds():
        if build.name != unable.name and probe(build).obstacle is None:
            return f"use --mpi {build.name}"
    return "install one that can: `make build` fetches MPICH 5 from PyPI and builds Nereus with it"
