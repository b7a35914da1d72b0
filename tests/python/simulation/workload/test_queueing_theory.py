# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: waits that agree with what is known of queues."""

from math import factorial

import pytest

from nereus.simulation.workload.figures import Interval, figures_of
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate
from nereus.simulation.workload.sources import jobs_of

SECONDS = 100.0


def mean_wait(cores: int, load: float) -> float:
    """Of M/M/c (Erlang C)."""
    offered = cores * load
    full = offered**cores / factorial(cores) / (1 - load)
    waits = full / (sum(offered**number / factorial(number) for number in range(cores)) + full)
    return waits * SECONDS / (cores * (1 - load))


@pytest.mark.parametrize(("cores", "load"), [(1, 0.5), (4, 0.7), (8, 0.7)])
def test_mean_wait_of_jobs_of_one_rank_is_that_of_queueing_theory(cores: int, load: float) -> None:
    """M/M/c: Poisson arrivals, exponential run times, a core for each job; the command's first 20 seeds."""
    generated = {"jobs": 3000, "every": SECONDS / (cores * load), "seconds": SECONDS}
    workload = Workload.model_validate({"cores": cores, "generated": generated})
    waits = []
    for seed in range(workload.seed, workload.seed + 20):
        outcomes = simulate(jobs_of(workload, seed).all, ORDERS["fcfs"].make(cores))
        waits.append(figures_of(outcomes, cores).mean_wait_seconds)
    found = Interval.of(waits)
    assert found.low is not None and found.high is not None
    assert found.low <= mean_wait(cores, load) <= found.high
    assert found.high - found.low < mean_wait(cores, load) / 2
