# SPDX-License-Identifier: BSD-3-Clause
"""A machine as a tree of switches, hosts and what is in them, down to the slots."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from nereus.config.suggest import unknown_key
from nereus.placement.error import PlaceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

USUAL_COST = 1.0
HOPS, SECONDS = "bytes x hops", "seconds of links"
MOST_SLOTS = 2**24
#: Of a byte on a link, and of all bytes: products and sums of such are numbers.
MOST_COST = 1e100
_SLOTS = re.compile(r"(?:(?P<host>[^:]+):)?(?P<first>\d{1,8})(?:-(?P<last>\d{1,8}))?")


@dataclass(frozen=True)
class Inside:
    """What is below one host. `processors`: of each slot, as the system numbers them; empty: unknown."""

    levels: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]
    processors: tuple[int, ...] = ()

    @property
    def slots(self) -> int:
        return sum(self.children[-1])


@dataclass(frozen=True)
class Topology:
    """`levels`: what the nodes below the root are, level by level, the slots last.

    `children`: level by level, the root first: how many each node has. `costs`: of a byte on a link above a
    node of each level of `levels`. `unit`: of the costs of a mapping. `above_hosts`: levels of links above
    the hosts. Numbers of slots begin with 0 and go through the hosts in order.
    """

    levels: tuple[str, ...]
    children: tuple[tuple[int, ...], ...]
    costs: tuple[float, ...]
    unit: str
    above_hosts: int
    hosts: tuple[str, ...]
    insides: tuple[Inside, ...]

    @property
    def slots(self) -> int:
        return sum(self.children[-1])

    @property
    def turns_level(self) -> int:
        """Of the nodes that round-robin goes to in turns: hosts, or what one host has at the top."""
        return self.above_hosts if len(self.hosts) > 1 else min(self.above_hosts + 1, len(self.levels))

    @property
    def hosts_have_levels(self) -> bool:
        """Whether it matters where on its host a rank is."""
        return len(self.levels) > self.above_hosts + 1

    @cached_property
    def first_slots(self) -> "NDArray[np.int64]":
        """Of each host, and behind the last the number of all slots."""
        return np.concatenate([[0], np.cumsum([inside.slots for inside in self.insides])])

    def host_of(self, slot: int) -> int:
        """The number of its host."""
        return int(np.searchsorted(self.first_slots, slot, side="right")) - 1

    def place_on_host(self, slot: int) -> int:
        """The number of the slot among those of its host."""
        return slot - int(self.first_slots[self.host_of(slot)])

    def nodes_of_slots(self) -> "list[NDArray[np.int64]]":
        """Level by level as `levels`: the node of each slot."""
        node = np.arange(self.slots, dtype=np.int64)
        found = [node]
        for numbers in reversed(self.children[1:]):
            parents = np.repeat(np.arange(len(numbers)), numbers)
            node = parents[node]
            found.append(node)
        return found[::-1]

    def with_costs(self, costs: Mapping[str, float], where: str) -> "Topology":
        """Other costs of links, by the names of levels."""
        unknown = next((name for name in costs if name not in self.levels), None)
        if unknown is not None:
            raise PlaceError(f"{where} {unknown}: {unknown_key(unknown, list(dict.fromkeys(self.levels)))}")
        changed = [costs.get(name, cost) for name, cost in zip(self.levels, self.costs, strict=True)]
        return replace(self, costs=tuple(changed))

    def with_bandwidths(self, bandwidths: Mapping[str, float]) -> "Topology":
        """Bytes/s of links, by the names of all levels: a mapping costs the seconds that links are busy."""
        costs = tuple(1 / bandwidths[name] for name in self.levels)
        return replace(self, costs=costs, unit=SECONDS)

    def read_slots(self, text: str, option: str) -> list[int]:
        """Slots of "0-3,17" or "n1:0-3,n2:5"."""
        return [slot for part in text.split(",") for slot in self._slots_of(part.strip(), f"{option} {text}")]

    def _slots_of(self, part: str, where: str) -> Sequence[int]:
        match = _SLOTS.fullmatch(part)
        if match is None:
            raise PlaceError(
                f"{where}: {part or '(empty)'}: allowed are SLOT, FIRST-LAST, HOST:SLOT, HOST:FIRST-LAST"
            )
        first, last = int(match["first"]), int(match["last"] or match["first"])
        begin, number, of = 0, self.slots, "the topology"
        if (host := match["host"]) is not None:
            if host not in self.hosts:
                raise PlaceError(f"{where}: {host}: no such host; there are {_some(self.hosts)}")
            at = self.hosts.index(host)
            begin, number, of = int(self.first_slots[at]), self.insides[at].slots, host
        if not first <= last < number:
            raise PlaceError(f"{where}: {part}: {of} has the slots 0 .. {number - 1}")
        return range(begin + first, begin + last + 1)


def of_hosts(
    hosts: Sequence[str], insides: Sequence[Inside], above: Sequence[tuple[str, Sequence[int]]] = ()
) -> Topology:
    """A topology of hosts that all have the same levels inside, all links at the usual cost.

    `above`: level by level from the top, switches and then the hosts: what the nodes are called, and how many
    are below each node of the level before; nothing for one host alone.
    """
    inside_levels = range(len(insides[0].levels))
    inside = [tuple(n for host in insides for n in host.children[level]) for level in inside_levels]
    names = (*(name for name, _ in above), *insides[0].levels)
    return Topology(
        levels=names,
        children=(*(tuple(numbers) for _, numbers in above), *inside),
        costs=(USUAL_COST,) * len(names),
        unit=HOPS,
        above_hosts=len(above),
        hosts=tuple(hosts),
        insides=tuple(insides),
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
