# SPDX-License-Identifier: BSD-3-Clause
"""How long the global policies take to share out the cores of a large machine.

python bench/decision.py [JOBS [CORES [REPETITIONS]]]
"""

import gc
import sys
from collections.abc import Sequence
from statistics import median
from time import process_time

import numpy as np

from nereus.coordinator.coordination import Coordinator
from nereus.coordinator.known_jobs import About
from nereus.policy.decisions import Decision, Policy, State
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve, Measured
from nereus.policy.policies import BY_NAME
from nereus.policy.prediction import IoPhase

_START = 10  # ranks of each job
_COMPARED = ("fair", "speedup", "io-based")


class Timed(Policy):
    """What another policy takes, once it sees all jobs; and what of it all is carried out where wanted."""

    def __init__(self, inner: Policy, carried_out: bool) -> None:
        self.order, self.inner, self.carried_out = inner.order, inner, carried_out
        self.seconds = 0.0

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        list(state.jobs)
        begun = process_time()
        decided = self.inner.decide(state, parameters)
        self.seconds = process_time() - begun
        return decided if self.carried_out else []


def known_jobs(jobs: int, cores: int) -> Coordinator:
    """Each was measured on four numbers of ranks and had four I/O phases."""
    random = np.random.default_rng(1)
    hosts = {f"h{number}": cores // jobs for number in range(jobs)}
    made = Coordinator(Policy(), hosts, Parameters())
    for number in range(jobs):
        curve = Curve(*(float(most * random.random()) for most in (5.0, 5000.0, 1e-3)))
        times = [Measured(ranks, curve.seconds(ranks)) for ranks in (5, _START, 20, 40)]
        name, host = f"j{number}", f"h{number}"
        made.came(About(name, {host: _START}, cores, profile=times), 0.0)
        for phase in range(1, 5):
            start = phase * (curve.seconds(_START) + 1.0)
            told = IoPhase(start, 0.0, 1.0, phase, _START)
            made.wrote(name, phase, 0, told, told.end)
    made.decide(0.0)
    return made


def main() -> None:
    given = [int(each) for each in sys.argv[1:]]
    jobs, cores, repetitions = (*given, *(10_000, 1_000_000, 7)[len(given) :])
    made = known_jobs(jobs, cores)
    gc.freeze()
    print(f"{jobs} jobs, {cores} cores, {made.free} of them free; ms of a core, median (greatest)")
    for name in _COMPARED:
        policy = made._policy = Timed(BY_NAME[name](), carried_out=False)
        made.decide(0.0)  # models are fitted when they are looked at first
        alone = []
        for _ in range(repetitions):
            made.decide(0.0)
            alone.append(policy.seconds * 1e3)
        print(f"{name:10} {median(alone):6.0f} ({max(alone):.0f})")
    made._policy = Timed(BY_NAME["io-based"](), carried_out=True)
    begun = process_time()
    effects = made.decide(0.0)
    print(f"io-based with booking of cores: {(process_time() - begun) * 1e3:.0f}, {len(effects)} effects")


if __name__ == "__main__":
    main()
