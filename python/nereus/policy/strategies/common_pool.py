# SPDX-License-Identifier: BSD-3-Clause
"""Min-Common-Pool of the algorithms for ElastiSim of github.com/ProjectWagomu/MalleableJobScheduling.

The job with the most ranks above its least gives first, down to its least; the one with the fewest above it
grows first, up to its most. What is given is one pool, from which waiting jobs start in their order.
"""

from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.strategy import Strategy


class CommonPool(Strategy):
    all_at_once = True

    def kept(self, job: MalleableJob) -> int:
        return job.least

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        return job.least - ranks
