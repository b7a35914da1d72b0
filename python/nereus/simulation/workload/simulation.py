# SPDX-License-Identifier: BSD-3-Clause
"""Simulates jobs on a machine: where nothing disturbs them, with the plain one, which is faster."""

from collections.abc import Callable, Sequence

from nereus.policy.strategies import Strategy
from nereus.simulation.workload.failing import FailingMachine
from nereus.simulation.workload.failures import Failures
from nereus.simulation.workload.job import Job, Outcome
from nereus.simulation.workload.machine import Given, Machine, Recorder
from nereus.simulation.workload.orders.order import StartOrder
from nereus.simulation.workload.resize_cost import ResizeCost
from nereus.simulation.workload.sharing import SharingMachine
from nereus.simulation.workload.speedup import Amdahl, Speedup
from nereus.simulation.workload.storage import Storage


def simulate(
    jobs: Sequence[Job],
    order: StartOrder,
    strategy: Strategy | None = None,
    parallel_fraction: float = 0.99,
    ended: Callable[[], None] = lambda: None,
    recorder: Recorder | None = None,
    cost: ResizeCost | None = None,
    speedup: Speedup | None = None,
    step: int = 1,
    failures: Failures | None = None,
    storage: Storage | None = None,
) -> list[Outcome]:
    """`jobs`: in the order of their submission, each with no more ranks than the order has cores.

    Without a strategy, or if the order gives each job one size, nobody is resized. `ended`: told of each end.
    `cost`: of resizes, which take no time without it; `speedup`: that of Amdahl with `parallel_fraction`;
    `step`: all sizes, and the cores of the order, are multiples of it; `failures`: of nodes, none without it;
    `storage`: that jobs share, without it they do not slow one another down.
    """
    chosen = Amdahl(parallel_fraction) if speedup is None else speedup
    given = Given(jobs, order, strategy, chosen, ended, recorder, cost, step)
    if failures is not None:
        return FailingMachine(given, storage, failures).outcomes()
    machine = Machine(given) if storage is None else SharingMachine(given, storage)
    return machine.outcomes()
