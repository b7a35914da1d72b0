# SPDX-License-Identifier: BSD-3-Clause
"""Reasons for which Slurm lets a job wait (squeue(1), "JOB REASON CODES")."""

# It waits for an administrator, or for ever.
_HOPELESS = (
    "AccountNotAllowed",
    "BadConstraints",
    "InvalidAccount",
    "InvalidQOS",
    "JobHeldAdmin",
    "JobHeldUser",
    "PartitionConfig",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "QOSNotAllowed",
)
# Of limits of associations and QOSes: what one job may have, however few others there are.
_OF_ONE_JOB = ("PerJob", "PerJobLimit", "MinCpuNotSatisfied", "WallDurationPerJobLimit")


def hopeless(reason: str) -> bool:
    """Whether it will not be granted, however long it waits."""
    return reason in _HOPELESS or reason.endswith(_OF_ONE_JOB)
