# SPDX-License-Identifier: BSD-3-Clause
"""By I/O: as by speed-up, but the less a job gains the more of its time is I/O
(Singh and Carretero, "Combining malleability and I/O control mechanisms to enhance the execution of multiple
applications", J. Systems and Software 148, 2019, "IO-based scheduling").

There a job is selected that balances a small I/O ratio and a large gain of speed-up; here it is the one with
the largest gain times the share of its time that is no I/O.
"""

from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.strategy import Strategy


class ByIo(Strategy):
    def kept(self, job: MalleableJob) -> int:
        return job.least

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        return job.gain(ranks, step) * (1.0 - job.io_share(ranks))

    def falls(self, job: MalleableJob) -> bool:
        return job.is_concave
