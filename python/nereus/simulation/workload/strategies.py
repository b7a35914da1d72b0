# SPDX-License-Identifier: BSD-3-Clause
"""What is done with malleable jobs while they run: down to how many ranks they give cores to waiting jobs.

Cores that no waiting job can use go to malleable jobs in the order of their starts, up to their most ranks.
If the first waiting job lacks cores, and malleable jobs have enough above what they keep, the latest give.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from nereus.simulation.workload.job import Job


@dataclass(frozen=True)
class Strategy:
    """`kept`: ranks that a malleable job has at least while others wait."""

    name: str
    kept: Callable[[Job], int]


STRATEGIES: Mapping[str, Strategy] = {
    row.name: row
    for row in (
        Strategy("keep-preferred", lambda job: job.ranks),
        Strategy("keep-least", lambda job: job.least),
    )
}
