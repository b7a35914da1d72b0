# SPDX-License-Identifier: BSD-3-Clause
"""Commands of Slurm: what has one repeated, and what it is not to know."""

import os
import time
from collections.abc import Callable, Mapping, Sequence

from nereus.allocation import call
from nereus.allocation.call import LIMIT, Answer, answered, wait

__all__ = ["LIMIT", "Answer", "Call", "answered", "goes_away", "starts_soon", "wait", "without_job"]

# slurm_errno.h of Slurm 22.05 to 25.11: what goes away by itself.
_TRANSIENT = (
    "DB index is being set",
    "Socket timed out",
    "Unable to contact slurm controller",
    "Zero Bytes were transmitted",
    "Transport endpoint is not connected",
    "Connection refused",
    "Slurm backup controller in standby mode",
    "temporarily unable to accept job",
)
# A host comes back to a job that has just left it: slurmd takes no step of the job until a second is over.
_ENDS_WITH_THE_SECOND = "Job credential revoked"


class Call(call.Call):
    """One command of Slurm under way."""

    def __init__(
        self,
        words: Sequence[str],
        limit: float = LIMIT,
        environment: Mapping[str, str] = os.environ,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start it; it gets the environment without what Slurm has told about the job that we run in."""
        super().__init__(words, limit, without_job(environment), now, goes_away)


def goes_away(complaints: str) -> bool:
    """Whether it is worth trying again."""
    return any(text in complaints for text in _TRANSIENT)


def starts_soon(complaints: str) -> bool:
    """Whether a step may start on the host if it is tried again."""
    return goes_away(complaints) or _ENDS_WITH_THE_SECOND in complaints


def without_job(environment: Mapping[str, str]) -> dict[str, str]:
    """Commands take what they are not told from the job that they run in: another one is meant."""
    of_job = ("SLURM_", "SALLOC_", "SBATCH_", "SRUN_")
    return {
        name: value
        for name, value in environment.items()
        if name == "SLURM_CONF" or not name.startswith(of_job)
    }
