# SPDX-License-Identifier: BSD-3-Clause
"""By I/O: as by speed-up, but the less a job gains the more of its time is I/O
(Singh and Carretero, "Combining malleability and I/O control mechanisms to enhance the execution of multiple
applications", J. Systems and Software 148, 2019, "IO-based scheduling").

There a job is selected that balances a small I/O ratio and a large gain of speed-up; here it is the one with
the largest gain times the share of its time that is no I/O.
"""

from nereus.simulation.workload.job import Job, Request
from nereus.simulation.workload.strategies.strategy import Strategy


class ByIo(Strategy):
    def kept(self, job: Job) -> int:
        return job.least

    def worth(self, job: Job, request: Request, ranks: int, step: int) -> float:
        one, now, before = (request.time_factor(each) for each in (1, ranks, ranks - step))
        return (one / now - one / before) * (1.0 - min(1.0, job.io_share / now))
