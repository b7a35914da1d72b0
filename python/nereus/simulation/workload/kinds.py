# SPDX-License-Identifier: BSD-3-Clause
"""Which jobs are malleable, and which moldable: so many, or so much of the core time, drawn by the seed."""

from collections.abc import Callable, Sequence

import numpy as np

from nereus.simulation.workload.job import Job, Kind
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.sources import Jobs, with_kind


def with_kinds(jobs: Jobs, workload: Workload, malleable: float, seed: int) -> Sequence[Job]:
    """`malleable`: percent of the jobs whose kind is not given, or of their core time.

    All that are malleable at one percentage are so at a higher one, so that these can be compared.
    """
    open_to = [place for place, job in enumerate(jobs.all) if job.name not in jobs.fixed]
    drawn = np.random.default_rng([seed, 2]).permutation(len(open_to))
    places = [open_to[index] for index in drawn]
    count_of = _by_core_time([jobs.all[place] for place in places]) if _is_by_time(workload) else _by_number
    count = count_of(len(places), malleable)
    moldable = count_of(len(places), malleable + workload.moldable)
    chosen = list(jobs.all)
    for rank, place in enumerate(places[:moldable]):
        kind = Kind.MALLEABLE if rank < count else Kind.MOLDABLE
        chosen[place] = with_kind(chosen[place], kind, workload)
    return chosen


def _is_by_time(workload: Workload) -> bool:
    return workload.malleable_by == "core-hours"


def _by_number(jobs: int, percent: float) -> int:
    return round(jobs * percent / 100)


def _by_core_time(drawn: Sequence[Job]) -> Callable[[int, float], int]:
    """As many of the first as have that share together: the last one makes it up, and may be more than it."""
    sums = np.cumsum([job.ranks * job.seconds for job in drawn])

    def count(jobs: int, percent: float) -> int:
        if percent <= 0 or jobs == 0:
            return 0
        return min(jobs, 1 + int(sums.searchsorted(sums[-1] * percent / 100)))

    return count
