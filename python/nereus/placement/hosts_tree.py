# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts are below which switches, as a tree whose hosts all lie at the same depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

HOST = "host"
Table = tuple[str, str, Sequence[str]]  # of a switch: its name, its level's name, what is below


class WrongTreeError(Exception):
    """No such tree; `switch`: the number of the table that is wrong, or None."""

    def __init__(self, switch: int | None, what: str) -> None:
        super().__init__(what)
        self.switch, self.what = switch, what


@dataclass
class Node:
    """A switch, or a host, which has nothing below."""

    name: str
    level: str = HOST
    below: list[Node] = field(default_factory=list)

    @staticmethod
    def of(hosts: Sequence[str], switches: Sequence[Table]) -> Node:
        """The root: the one switch that all is below, else what joins all that is below no switch."""
        nodes = {name: Node(name) for name in hosts}
        for at, (name, level, _) in enumerate(switches):
            if name in nodes:
                raise WrongTreeError(at, f"{name} is there twice")
            nodes[name] = Node(name, level)
        above: dict[str, str] = {}
        for at, (name, _, below) in enumerate(switches):
            for each in below:
                if each not in nodes:
                    raise WrongTreeError(at, f"{each} is neither a host nor a switch")
                if each in above:
                    raise WrongTreeError(at, f"{each} is below {above[each]} already")
                above[each] = name
                nodes[name].below.append(nodes[each])
        tops = [node for name, node in nodes.items() if name not in above]
        return _checked(tops, len(nodes), switches)


def _checked(tops: list[Node], nodes: int, switches: Sequence[Table]) -> Node:
    """Without rings, with hosts at one depth, and levels that have a name each."""
    root = tops[0] if len(tops) == 1 and tops[0].below else Node("", "", tops)
    levels = list(_levels(root))
    if sum(len(level) for level in levels) - (root.name == "") != nodes:
        raise WrongTreeError(0, "switches are below each other in a ring")
    for level in levels[1:]:
        if len({node.level for node in level}) > 1:
            names = ", ".join(sorted({f"{node.level} {node.name}" for node in level})[:4])
            raise WrongTreeError(
                None, f"hosts must all be below as many switches; at one depth there are {names}"
            )
    for at, (name, level_name, _) in enumerate(switches):
        if level_name == HOST:
            raise WrongTreeError(at, f"{name}: a level of switches is not called {HOST}")
    return root


def _levels(root: Node) -> Sequence[list[Node]]:
    """Node by node from the top; the root alone first."""
    found = [[root]]
    while below := [child for node in found[-1] for child in node.below]:
        found.append(below)
    return found


def ordered(root: Node) -> list[str]:
    """The hosts from left to right."""
    return [node.name for node in _levels(root)[-1]]


def levels_above(root: Node) -> list[tuple[str, list[int]]]:
    """Level by level below the root: what the nodes are called, and how many each node above them has."""
    levels = _levels(root)
    return [(below[0].level, [len(node.below) for node in above]) for above, below in pairwise(levels)]
