# SPDX-License-Identifier: BSD-3-Clause
"""Average of the algorithms for ElastiSim of github.com/ProjectWagomu/MalleableJobScheduling.

All jobs are to have the same share of what lies between their least and their most ranks: the one with the
highest share gives a core, the one gets it that has the lowest with it.
"""

from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.strategy import Strategy


class Average(Strategy):
    def kept(self, job: MalleableJob) -> int:
        return job.least

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        return (job.least - ranks) / max(1, job.most - job.least)

    def falls(self, job: MalleableJob) -> bool:
        return True
