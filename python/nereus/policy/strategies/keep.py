# SPDX-License-Identifier: BSD-3-Clause
"""Jobs get and give cores by their starts alone.

`keep-preferred` is as KeepPref of Zojer, Posner and Oezden, "Evaluating Malleable Job Scheduling in HPC
Clusters using Real-World Workloads", 2026, arXiv 2602.17318: a malleable job has the ranks that it prefers,
where that is possible.
"""

from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.strategy import Strategy


class _ByStarts(Strategy):
    all_at_once = True

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        return 0.0


class KeepPreferred(_ByStarts):
    def kept(self, job: MalleableJob) -> int:
        return job.preferred


class KeepLeast(_ByStarts):
    def kept(self, job: MalleableJob) -> int:
        return job.least
