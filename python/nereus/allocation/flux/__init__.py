# SPDX-License-Identifier: BSD-3-Clause
"""Flux: the hosts of the job that we run in, and of further jobs by which it grows.

In:  variables that Flux gives a job, answers of its commands.
Out: an allocation; commands of Flux, each with a time limit.
"""

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from nereus.allocation.contract import ResourceManager
from nereus.allocation.flux.allocation import FluxAllocation
from nereus.allocation.flux.first_job import FluxJob, flux_job
from nereus.launch.hosts import Reach, RemoteShell

__all__ = ["FluxJob", "flux", "flux_job", "reach_of"]

_START_ON_HOST = Path(__file__).with_name("start_on_host")


def flux(environment: Mapping[str, str] = os.environ) -> ResourceManager | None:
    """Flux, for the job that we run in; None outside, and where its commands are missing, as in a container.

    AllocationError where we cannot serve such a job.
    """
    job = flux_job(environment) if shutil.which("flux") else None
    if job is None:
        return None
    reach = reach_of(job)
    return ResourceManager(
        "flux",
        reach,
        lambda key, folder: FluxAllocation(job, reach, f"nereus-{key}", folder),
        growth="second-job",
        job=job.id,
    )


def reach_of(job: FluxJob) -> Reach:
    """Its hosts, and how their processes are started by Flux; hosts of one queue are alike."""
    shell = RemoteShell(str(_START_ON_HOST), {"NEREUS_FLUX_URI": job.uri, "NEREUS_FLUX_FIRST": job.lines})
    site = hashlib.sha256(",".join(job.known).encode()).hexdigest()[:16]
    alike = f"flux:{site}:{job.limits.queue}" if job.id else ""
    return Reach(job.hosts, shell, grows=bool(job.id), alike=alike)
