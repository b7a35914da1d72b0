# SPDX-License-Identifier: BSD-3-Clause
"""The same messages under several mappings of ranks to slots, on a simulated cluster."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import numpy as np

from nereus.placement import Asked, Topology, place_ranks
from nereus.simulation.network.cluster import Cluster
from nereus.simulation.network.error import SmpiError
from nereus.simulation.network.patterns import Pattern, matrix_of
from nereus.simulation.network.program import Limits, simulated

PACKED, ROUND_ROBIN, RANDOM, PLACED = "packed", "round-robin", "random", "placed"


@dataclass(frozen=True)
class Placing:
    """What is simulated. `compute_seconds`: of each iteration, or of each message of a relay."""

    pattern: Pattern
    topology: Topology
    cluster: Cluster
    iterations: int
    compute_seconds: float
    limits: Limits

    def __post_init__(self) -> None:
        ranks, slots = self.pattern.ranks, self.topology.slots
        if ranks > slots:
            raise SmpiError(
                f"{ranks} ranks: the topology has {slots} slots, and allowed is one rank for each "
                "(--ranks, --topology)"
            )


@dataclass(frozen=True)
class Mapped:
    """One mapping. `host_of_rank`: all that matters to the simulated network."""

    name: str
    mapping: list[int]
    seconds: float
    wall_seconds: float


@dataclass(frozen=True)
class Compared:
    """`chosen`: the mapping of `placed`, or `packed` where that is not slower."""

    all: list[Mapped]
    origin: str  # of the mapping `placed`: what `nereus place` says

    def seconds(self, name: str) -> float:
        """The mean over those of the name."""
        return mean(one.seconds for one in self.all if one.name == name)

    @property
    def chosen(self) -> str:
        return PLACED if self.seconds(PLACED) < self.seconds(PACKED) else PACKED

    def gain(self, name: str) -> float:
        """How much longer it takes than what is chosen: 0.39 is 39 %."""
        return self.seconds(name) / self.seconds(self.chosen) - 1

    def document(self) -> dict[str, Any]:
        """Part of what `--json` prints."""
        names = list(dict.fromkeys(one.name for one in self.all))
        return {
            "chosen": self.chosen,
            "placed_from": self.origin,
            "mapping": next(one.mapping for one in self.all if one.name == self.chosen),
            "seconds": {name: self.seconds(name) for name in names},
            "gains": {name: self.gain(name) for name in names},
            "random": [one.seconds for one in self.all if one.name == RANDOM],
            "wall_seconds": sum(one.wall_seconds for one in self.all),
        }


def mappings(placing: Placing, seeds: int) -> list[tuple[str, list[int]]]:
    """Packed, in turns over the hosts, and at random."""
    topology, ranks = placing.topology, placing.pattern.ranks
    found = [(PACKED, list(range(ranks))), (ROUND_ROBIN, _in_turns(topology)[:ranks])]
    for seed in range(seeds):
        slots = np.random.default_rng(seed).permutation(topology.slots)
        found.append((RANDOM, slots[:ranks].tolist()))
    return found


def _in_turns(topology: Topology) -> list[int]:
    """Slots in the order in which round-robin over hosts fills them."""
    return sorted(
        range(topology.slots), key=lambda slot: (topology.place_on_host(slot), topology.host_of(slot))
    )


def placed(placing: Placing) -> tuple[list[int], str]:
    """The mapping of `nereus place`, and where it comes from."""
    answer = place_ranks(Asked(matrix_of(placing.pattern), placing.topology))
    return answer.mapping, answer.origin


def compared(placing: Placing, seeds: int, done: Callable[[str], None] = lambda _: None) -> Compared:
    """A simulation of each mapping; `done` hears of each."""
    found, origin = placed(placing)
    rows = []
    for name, mapping in [*mappings(placing, seeds), (PLACED, found)]:
        rows.append(_under(placing, name, mapping))
        done(name)
    return Compared(rows, origin)


def _under(placing: Placing, name: str, mapping: Sequence[int]) -> Mapped:
    hosts = [placing.topology.host_of(slot) for slot in mapping]
    question = {
        **placing.cluster.question(hosts),
        "messages": placing.pattern.messages,
        "relay": placing.pattern.relay,
        "iterations": placing.iterations,
        "compute_seconds": placing.compute_seconds,
    }
    answer = simulated("traffic", question, placing.limits)
    return Mapped(name, list(mapping), answer["seconds"], answer["wall_seconds"])
