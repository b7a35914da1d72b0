# SPDX-License-Identifier: BSD-3-Clause
"""By speed-up: a core goes where it adds most to the jobs' speed-ups, and comes from where it takes least
(Sabin, Lang and Sadayappan, "Moldable parallel job scheduling using job efficiency: an iterative approach",
JSSPP 2006, for sizes at the start).
"""

from nereus.simulation.workload.job import Job, Request
from nereus.simulation.workload.strategies.strategy import Strategy


class BySpeedup(Strategy):
    def kept(self, job: Job) -> int:
        return job.least

    def worth(self, job: Job, request: Request, ranks: int, step: int) -> float:
        return _speedup(request, ranks) - _speedup(request, ranks - step)


def _speedup(request: Request, ranks: int) -> float:
    """How many times as fast as on one rank it runs."""
    return request.time_factor(1) / request.time_factor(ranks)
