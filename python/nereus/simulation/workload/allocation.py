# SPDX-License-Identifier: BSD-3-Clause
"""Which cores a job has: as many as ranks, or all of the nodes that these need (Slurm: --exclusive)."""

from dataclasses import replace

from nereus.simulation.workload.job import Job
from nereus.simulation.workload.model import EXCLUSIVE, Workload


def allocated(job: Job, workload: Workload) -> Job:
    """With sizes in cores that it is allocated."""
    if workload.allocation != EXCLUSIVE:
        return job
    node = workload.cores_per_node
    cores = _rounded_up(job.ranks, node)
    most = max(cores, job.most // node * node)
    return replace(job, ranks=cores, least=_rounded_up(job.least, node), most=most, idle=cores - job.ranks)


def _rounded_up(ranks: int, node: int) -> int:
    return -(-ranks // node) * node
