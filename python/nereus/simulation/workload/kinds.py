# SPDX-License-Identifier: BSD-3-Clause
"""Which jobs are malleable, and which moldable: so many of all, drawn by the seed."""

from collections.abc import Sequence

import numpy as np

from nereus.simulation.workload.job import Job, Kind
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.sources import Jobs, with_kind


def with_kinds(jobs: Jobs, workload: Workload, malleable: float, seed: int) -> Sequence[Job]:
    """`malleable`: percent of the jobs whose kind is not given.

    All that are malleable at one percentage are so at a higher one, so that these can be compared.
    """
    open_to = [place for place, job in enumerate(jobs.all) if job.name not in jobs.fixed]
    drawn = np.random.default_rng([seed, 2]).permutation(len(open_to))
    count = round(len(open_to) * malleable / 100)
    moldable = round(len(open_to) * (malleable + workload.moldable) / 100)
    chosen = list(jobs.all)
    for rank, index in enumerate(drawn[:moldable]):
        place = open_to[index]
        kind = Kind.MALLEABLE if rank < count else Kind.MOLDABLE
        chosen[place] = with_kind(chosen[place], kind, workload)
    return chosen
