# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that fail, without memory of when they did last: when, and what jobs do about it.

Intervals between saves: J. W. Young, "A first order approximation to the optimum checkpoint interval",
Communications of the ACM 17, 1974; J. T. Daly, "A higher order estimate of the optimum checkpoint interval
for restart dumps", Future Generation Computer Systems 22, 2006.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

import numpy as np


class Recovery(StrEnum):
    """What a job does when a node of it fails."""

    NONE = "none"
    RESUBMIT = "resubmit"
    RESTART = "restart"
    SHRINK = "shrink"

    @property
    def saves(self) -> bool:
        """Whether it goes on from what it saved."""
        return self in (Recovery.RESTART, Recovery.SHRINK)


def young(mtbf: float, save_cost: float) -> float:
    """Seconds from the end of a save to the next one, of a job with that mean time between its failures."""
    return sqrt(2 * save_cost * mtbf)


def daly(mtbf: float, save_cost: float) -> float:
    """The same with terms of a higher order."""
    if save_cost >= 2 * mtbf:
        return mtbf
    share = save_cost / (2 * mtbf)
    return young(mtbf, save_cost) * (1 + sqrt(share) / 3 + share / 9) - save_cost


INTERVALS = {"young": young, "daly": daly}


@dataclass(frozen=True)
class Saves:
    """`every`: seconds of a job's work between two saves, or the name of a formula."""

    every: float | str
    cost: float

    def interval(self, mtbf: float) -> float:
        """Of a job with that mean time between its failures."""
        return INTERVALS[self.every](mtbf, self.cost) if isinstance(self.every, str) else self.every


@dataclass(frozen=True)
class Failures:
    """`mtbf`: seconds, the mean time between failures of one node; `repair`: for how long it is then out.

    `most_restarts`: a job that fails once more fails for good, so that each job ends.
    """

    mtbf: float
    recovery: Recovery
    seed: int
    cores_per_node: int = 1
    saves: Saves | None = None
    recovery_cost: float = 0.0
    repair: float = 0.0
    most_restarts: int = 100

    def nodes(self, cores: int) -> int:
        """That a job has a part of."""
        return -(-cores // self.cores_per_node)

    def mtbf_of(self, cores: int) -> float:
        """Of a job."""
        return self.mtbf / self.nodes(cores)


class Draws:
    """When nodes fail, and which: a stream of random numbers that nothing else draws from."""

    def __init__(self, failures: Failures) -> None:
        self._failures = failures
        self._random = np.random.default_rng([failures.seed, 3])

    def seconds(self, cores: int) -> float:
        """Until a node of a job with so many cores fails."""
        return float(self._random.exponential(self._failures.mtbf_of(cores)))

    def seconds_of_machine(self, cores: int) -> float:
        """Until any node does."""
        return float(self._random.exponential(self._failures.mtbf * self._failures.cores_per_node / cores))

    def is_idle(self, free: int, cores: int) -> bool:
        """Whether a node of the machine that fails is one of these."""
        return bool(self._random.random() * cores < free)

    def lost(self, cores: int) -> int:
        """Of a job's cores, those on one of its nodes: all nodes are full, but for one that has the rest."""
        each, nodes = self._failures.cores_per_node, self._failures.nodes(cores)
        rest = cores - (nodes - 1) * each
        if rest == each:
            return each
        return rest if self._random.integers(nodes) == 0 else each
