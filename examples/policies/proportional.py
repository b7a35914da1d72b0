# SPDX-License-Identifier: BSD-3-Clause
"""A strategy of one's own: all jobs are to have the same multiple of the ranks that they prefer.

nereus daemon --policy examples/policies/proportional.py:Proportional, and the same for `--strategy` of nereus
simulate workload.
"""

from nereus.policy.strategies import Strategy
from nereus.policy.strategies.malleable_job import MalleableJob


class Proportional(Strategy):
    def kept(self, job: MalleableJob) -> int:
        return job.least

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        return job.preferred / ranks

    def falls(self, job: MalleableJob) -> bool:
        return True
