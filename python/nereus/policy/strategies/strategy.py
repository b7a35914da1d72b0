# SPDX-License-Identifier: BSD-3-Clause
"""What a strategy decides: which malleable job gets idle cores, and which gives some to a waiting job."""

from abc import ABC, abstractmethod

from nereus.policy.strategies.malleable_job import MalleableJob


class Strategy(ABC):
    """Idle cores go where one more is worth most; cores for a waiting job come from where one is worth least.

    Where two are alike, the job that started first gets cores, and the one that started last gives them.
    """

    #: Whether a job gets or gives all that it can before the next does; else each core is decided anew.
    all_at_once = False

    @abstractmethod
    def kept(self, job: MalleableJob) -> int:
        """Ranks that it keeps while others wait: from `least` to `most`."""

    @abstractmethod
    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        """Of the last `step` of so many cores, which are given together; minus infinity: it takes none."""

    def falls(self, job: MalleableJob) -> bool:
        """Whether `worth` never rises with its ranks: then many cores are decided about at once."""
        return False
