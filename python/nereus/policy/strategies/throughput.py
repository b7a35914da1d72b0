# SPDX-License-Identifier: BSD-3-Clause
"""Most work done by all jobs together: cores go where the speed-up that they bring, for each of them, is the
largest, and come from where it is the smallest. Ours, as the policy of this name has it (policy/throughput),
without I/O.

A step of a measured curve counts from the first of the cores that lead to it, and nobody gets a core that
makes it no faster. Once jobs have cores, the latest of them may wait before such a step for more.
"""

from math import inf

from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.strategy import Strategy


class Throughput(Strategy):
    def kept(self, job: MalleableJob) -> int:
        return job.least

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        gain = job.lifted_gain(ranks, step)
        return gain if gain > 0 else -inf

    def falls(self, job: MalleableJob) -> bool:
        return True
