# SPDX-License-Identifier: BSD-3-Clause
"""Jobs for two simulators: whole seconds, sizes by powers of two, limits of up to five run times."""

from math import log2

import numpy as np

from nereus.simulation.workload.job import Job

_MEAN_SECONDS = 3600.0
_LONGEST_LIMIT = 5.0  # times the run time


def drawn_jobs(count: int, cores: int, load: float, seed: int) -> list[Job]:
    """Rigid ones, which together ask for `load` of the machine; no two are submitted in one second."""
    random = np.random.default_rng(seed)
    ranks = 2 ** random.integers(0, int(log2(cores)) + 1, count)
    seconds = np.maximum(1, random.exponential(_MEAN_SECONDS, count)).round()
    limits = (seconds * random.uniform(1, _LONGEST_LIMIT, count)).round()
    gaps = random.exponential(float((ranks * seconds).mean()) / cores / load, count)
    submits = np.cumsum(np.maximum(1, gaps.round()))
    return [
        Job.rigid(f"{number}", float(at), int(size), float(run), float(limit))
        for number, (at, size, run, limit) in enumerate(
            zip(submits - submits[0], ranks, seconds, limits, strict=True), start=1
        )
    ]
