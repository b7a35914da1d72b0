# SPDX-License-Identifier: BSD-3-Clause
"""Slurm: the hosts of the job that we run in, and of further jobs by which it grows.

In:  variables that Slurm gives a job, answers of its commands.
Out: an allocation; commands of Slurm, each with a time limit.
"""

import os
import shutil
from collections.abc import Mapping

from nereus.allocation.contract import ResourceManager
from nereus.allocation.slurm.allocation import SlurmAllocation
from nereus.allocation.slurm.environment import SlurmJob, slurm_job
from nereus.allocation.slurm.first_job import reach_of
from nereus.allocation.slurm.inspection import SlurmInspection
from nereus.allocation.static import keeping_hosts

__all__ = ["SlurmJob", "slurm", "slurm_job"]


def slurm(environment: Mapping[str, str] = os.environ) -> ResourceManager | None:
    """Slurm, for the job that we run in; None outside, and where its commands are missing, as in a container.

    AllocationError where we cannot serve such a job.
    """
    job = slurm_job(environment) if shutil.which("srun") else None
    if job is None:
        return None
    reach = reach_of(job)
    manager = ResourceManager(
        "slurm",
        reach,
        lambda key, folder: SlurmAllocation(job, reach, f"nereus-{key}", folder),
        growth=job.growth,
        inspection=SlurmInspection(job),
        job=str(job.id),
    )
    return keeping_hosts(manager, job.keeps_hosts) if job.keeps_hosts else manager
