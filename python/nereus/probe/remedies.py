# SPDX-License-Identifier: BSD-3-Clause
"""What helps when an MPI cannot resize jobs."""

from nereus.launch.builds import Build, builds
from nereus.launch.origin import how_to_get_mpich
from nereus.probe.capabilities import TIME_LIMIT, probe


def remedy(unable: Build, time_limit: float = TIME_LIMIT) -> str:
    """Another installed build that can, else how to get one; `time_limit`: seconds for a trial of each."""
    for build in builds():
        if build.name != unable.name and probe(build, time_limit=time_limit).obstacle is None:
            return f"use --mpi {build.name}"
    return f"install one that can: {how_to_get_mpich()}"
