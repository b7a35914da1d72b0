# SPDX-License-Identifier: BSD-3-Clause
"""Slurm: the hosts of the job that we run in, and of further jobs by which it grows.

In:  variables that Slurm gives a job, answers of its commands.
Out: an allocation; commands of Slurm, each with a time limit.
"""

from nereus.allocation.slurm.environment import SlurmJob, slurm_job

__all__ = ["SlurmJob", "slurm_job"]
