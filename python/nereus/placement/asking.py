# SPDX-License-Identifier: BSD-3-Clause
"""Asks for a mapping and hands on its result."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import Any

from scipy.sparse import csr_array

from nereus.placement.error import PlaceError
from nereus.placement.matrix import write_matrix
from nereus.placement.program import best_mapping
from nereus.placement.topology import Topology

USUAL_SEED = 42


@dataclass(frozen=True)
class Asked:
    """What is to be placed. `fixed`: slots by rank; `current`: the slot of each rank now, or None."""

    traffic: csr_array
    topology: Topology
    in_use: frozenset[int] = frozenset()
    fixed: Mapping[int, int] = field(default_factory=dict)
    current: Sequence[int] | None = None
    oversubscribe: bool = False
    seed: int = USUAL_SEED

    @property
    def ranks(self) -> int:
        return int(self.traffic.shape[0])

    @property
    def shared_by(self) -> int:
        """Ranks that one slot may have."""
        free = self.topology.slots - len(self.in_use)
        return max(1, ceil(self.ranks / free)) if self.oversubscribe and free else 1


@dataclass(frozen=True)
class Placed:
    """A slot for each rank. `origin`: packed or current, where nothing is cheaper; else what was refined."""

    asked: Asked
    mapping: list[int]
    cost: float
    costs: dict[str, float | None]
    origin: str
    seconds: float

    def document(self) -> dict[str, Any]:
        """What `--json` prints (docs/reference/place.md)."""
        topology = self.asked.topology
        return {
            "ranks": self.asked.ranks,
            "slots": topology.slots,
            "mapping": self.mapping,
            "hosts": [topology.hosts[topology.host_of(slot)] for slot in self.mapping],
            "cost": self.cost,
            "unit": topology.unit,
            "from": self.origin,
            "costs": self.costs,
            "seconds": self.seconds,
        }


def packed(asked: Asked) -> list[int]:
    """As a launcher fills the free slots; fixed ranks are where they must be. There are slots enough."""
    closed = asked.in_use | set(asked.fixed.values())
    free = iter(slot for slot in range(asked.topology.slots) if slot not in closed)
    return [asked.fixed[rank] if rank in asked.fixed else next(free) for rank in range(asked.ranks)]


def renumbering(asked: Asked) -> Asked:
    """The same without other slots than those that the ranks have now, or have when they are packed."""
    check(asked)
    current = list(asked.current) if asked.current is not None else packed(asked)
    return replace(asked, current=current, in_use=frozenset(range(asked.topology.slots)) - set(current))


def place_ranks(asked: Asked) -> Placed:
    """PlaceError where it cannot be done: too few slots, a rank that is fixed where it cannot be."""
    check(asked)
    with tempfile.TemporaryDirectory(prefix="nereus-") as folder:
        matrix, question = Path(folder) / "matrix.nm", Path(folder) / "question.json"
        write_matrix(matrix, asked.traffic)
        question.write_text(json.dumps(_question(asked)), encoding="utf-8")
        answer = best_mapping(matrix, question)
    mapping = [slot // asked.shared_by for slot in answer["mapping"]]
    return Placed(asked, mapping, answer["cost"], answer["costs"], answer["from"], answer["seconds"])


def check(asked: Asked) -> None:
    """PlaceError for what no mapping can do."""
    slots, free = asked.topology.slots, asked.topology.slots - len(asked.in_use)
    if asked.ranks > free * asked.shared_by:
        more = "; --oversubscribe takes more" if free else ""
        raise PlaceError(
            f"{asked.ranks} ranks are to be placed, but {free} of the {slots} slots are free{more}"
        )
    for rank in asked.fixed:
        if rank >= asked.ranks:
            raise PlaceError(f"--fix {rank}=...: ranks 0 .. {asked.ranks - 1} are there")
    _check_slots(asked, asked.fixed.items(), "--fix")
    if asked.current is None:
        return
    if len(asked.current) != asked.ranks:
        raise PlaceError(
            f"--current: a mapping of {len(asked.current)} ranks: one of {asked.ranks} is allowed"
        )
    _check_slots(asked, enumerate(asked.current), "--current")
    for rank, slot in asked.fixed.items():
        if asked.current[rank] != slot:
            raise PlaceError(
                f"--current: rank {rank} is in slot {asked.current[rank]}, but fixed to slot {slot}"
            )


def _check_slots(asked: Asked, places: Iterable[tuple[int, int]], option: str) -> None:
    taken: Counter[int] = Counter()
    for rank, slot in places:
        where = f"{option}: rank {rank} in slot {slot}"
        if not 0 <= slot < asked.topology.slots:
            raise PlaceError(f"{where}: slots 0 .. {asked.topology.slots - 1} are there")
        if slot in asked.in_use:
            raise PlaceError(f"{where}: the slot is in use")
        taken[slot] += 1
        if taken[slot] > asked.shared_by:
            raise PlaceError(f"{where}: it has {taken[slot]} ranks: up to {asked.shared_by} are allowed")


def _question(asked: Asked) -> dict[str, Any]:
    topology, each = asked.topology, asked.shared_by
    # The current places, if there are any, say which share of its slot a fixed rank has.
    places = (
        dict(enumerate(asked.current)) if asked.current is not None else dict(sorted(asked.fixed.items()))
    )
    shares = dict(zip(places, _shared(places.values(), each), strict=True))
    return {
        "children": topology.children,
        "costs": topology.costs,
        "in_use": [slot * each + at for slot in sorted(asked.in_use) for at in range(each)],
        "fixed": [[rank, shares[rank]] for rank in sorted(asked.fixed)],
        "shared_by": each,
        "host_level": topology.turns_level,
        "seed": asked.seed,
        "current": None if asked.current is None else list(shares.values()),
    }


def _shared(slots: Iterable[int], each: int) -> list[int]:
    """Slots that `each` ranks may have as numbers of slots of one each."""
    taken: Counter[int] = Counter()
    numbers = []
    for slot in slots:
        numbers.append(slot * each + taken[slot])
        taken[slot] += 1
    return numbers
