# SPDX-License-Identifier: BSD-3-Clause
"""How much time of a core `nereus simulate workload` takes: each start order, malleable jobs, more and more.

python bench/start_orders.py [--load L] [--cores N] [--order NAME] [--reserved DAYS] [JOBS...]
"""

import argparse
import resource
import time
from collections.abc import Sequence
from math import log2

import numpy as np

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.job import Job
from nereus.simulation.workload.kinds import with_kinds
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.orders.rules import Reservation, Rules, Weights
from nereus.simulation.workload.simulation import simulate
from nereus.simulation.workload.sources import Jobs

_EVERY = 8.64  # s from one submission to the next: ten thousand jobs are a day
_LONGEST = 43200.0
_DAY = 86400.0
_WEIGHTS = Weights(age=1.0, max_age=_DAY, size=1.0)


def jobs_of(count: int, cores: int, load: float, seed: int = 1) -> list[Job]:
    """Of 1 to 256 ranks, powers of two; log-normal run times; limits of twice as long."""
    random = np.random.default_rng(seed)
    submits = np.sort(random.integers(0, int(count * _EVERY), count))
    ranks = 2 ** random.integers(0, 9, count)
    drawn = random.lognormal(6.5, 1.5, count)
    share = load * cores * count * _EVERY / float((drawn * ranks).sum())
    seconds = np.clip(drawn * share, 1, _LONGEST).round()
    return [
        Job.rigid(f"{number}", float(at), int(size), float(run), 2 * float(run))
        for number, (at, size, run) in enumerate(zip(submits, ranks, seconds, strict=True), start=1)
    ]


def rules_of(cores: int, days: int) -> Rules:
    """At noon of each of these days half of the cores are reserved for an hour."""
    noons = (_DAY * (day + 0.5) for day in range(days))
    return Rules(_WEIGHTS, tuple(Reservation(noon, noon + 3600, cores // 2) for noon in noons))


def timed(
    jobs: Sequence[Job], cores: int, order: str, strategy: str | None, rules: Rules
) -> tuple[float, float]:
    """Seconds of a core that the simulation took, and the jobs' mean wait."""
    begin = time.process_time()
    outcomes = simulate(jobs, ORDERS[order].make(cores, rules), STRATEGIES[strategy] if strategy else None)
    return time.process_time() - begin, sum(each.wait for each in outcomes) / len(outcomes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=int, nargs="*", default=[1000, 10_000, 100_000])
    parser.add_argument("--cores", type=int, default=10_000)
    parser.add_argument("--load", type=float, default=0.8)
    parser.add_argument("--order", choices=list(ORDERS), action="append")
    parser.add_argument("--reserved", type=int, default=0)
    chosen = parser.parse_args()
    print("jobs     order         malleable  seconds  us/(n log2 n)  mean wait  MiB so far")
    for count in chosen.jobs:
        rigid = jobs_of(count, chosen.cores, chosen.load)
        workload = Workload.model_validate({"cores": chosen.cores, "trace": "none"})
        halves = with_kinds(Jobs(rigid), workload, 50, 1)
        known = [name for name, row in ORDERS.items() if row.needs_limits or not chosen.reserved]
        for order in chosen.order or known:
            for share, jobs in ((0, rigid), (50, halves)):
                if share and not ORDERS[order].sizes:
                    continue
                strategy, rules = "keep-least" if share else None, rules_of(chosen.cores, chosen.reserved)
                seconds, wait = timed(jobs, chosen.cores, order, strategy, rules)
                cost = 1e6 * seconds / (count * log2(count))
                most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
                named = f"{count:<8} {order:<13} {share:>7} %"
                print(f"{named}  {seconds:7.2f}  {cost:13.2f}  {wait:7.0f} s  {most}", flush=True)


if __name__ == "__main__":
    main()
