# SPDX-License-Identifier: BSD-3-Clause
"""By speed-up: a core goes where it adds most to the jobs' speed-ups, and comes from where it takes least
(Sabin, Lang and Sadayappan, "Moldable parallel job scheduling using job efficiency: an iterative approach",
JSSPP 2006, for sizes at the start).
"""

from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.strategy import Strategy


class BySpeedup(Strategy):
    def kept(self, job: MalleableJob) -> int:
        return job.least

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        return job.gain(ranks, step)

    def falls(self, job: MalleableJob) -> bool:
        return job.is_concave
