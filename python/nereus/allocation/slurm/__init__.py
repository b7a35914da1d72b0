# SPDX-License-Identifier: BSD-3-Clause
"""Slurm: the hosts of the job that we run in, and of further jobs by which it grows.

In:  variables that Slurm gives a job, answers of its commands.
Out: an allocation; commands of Slurm, each with a time limit.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from nereus.allocation.contract import AllocationError, Inquire, ResourceManager
from nereus.allocation.slurm.allocation import SlurmAllocation
from nereus.allocation.slurm.environment import SlurmJob, slurm_job
from nereus.allocation.slurm.first_job import reach_of
from nereus.allocation.slurm.inspection import SlurmInspection
from nereus.allocation.slurm.pilot import PilotAllocation
from nereus.allocation.slurm.share import Share
from nereus.allocation.static import keeping_hosts
from nereus.launch.hosts import Reach

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
    if job.keeps_hosts:
        manager = keeping_hosts(manager, job.keeps_hosts)
    return replace(manager, shared=partial(_shared, job, reach))


def _shared(
    job: SlurmJob, reach: Reach, first: Sequence[str], inquire: Inquire, keeps: str = ""
) -> ResourceManager:
    """AllocationError where the daemon names hosts that are none of the Slurm job's."""
    hosts = {host.name: host for host in reach.hosts}
    unknown = [name for name in first if name not in hosts]
    if unknown or not first:
        named = ", ".join(unknown) or "no host"
        raise AllocationError(f"the daemon gave {named}: the Slurm job {job.id} has {', '.join(hosts)}")
    part = replace(reach, hosts=tuple(hosts[name] for name in first), grows=not keeps)
    return ResourceManager(
        "slurm",
        part,
        lambda key, folder: PilotAllocation(job, reach, first, Share(inquire, key, first), folder, keeps),
        job=str(job.id),
    )
