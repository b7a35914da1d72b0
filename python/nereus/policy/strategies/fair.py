# SPDX-License-Identifier: BSD-3-Clause
"""Equipartition: all jobs are to have the same number of ranks, whatever they asked for
(McCann, Vaswani and Zahorjan, "A dynamic processor allocation policy for multiprogrammed shared-memory
multiprocessors", ACM Transactions on Computer Systems 11, 1993).

The job with the fewest ranks gets a core, the one with the most gives one. Unlike there, no cores move from
one running job to another.
"""

from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.strategy import Strategy


class Fair(Strategy):
    def kept(self, job: MalleableJob) -> int:
        return job.least

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        return -ranks

    def falls(self, job: MalleableJob) -> bool:
        return True
