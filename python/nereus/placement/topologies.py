# SPDX-License-Identifier: BSD-3-Clause
"""Topologies as a command line names them: this host, a file of hwloc, a file of hosts, a synthetic one."""

import math
import re
import socket
from collections.abc import Sequence
from pathlib import Path

from nereus.placement.error import PlaceError
from nereus.placement.hosts_file import read_hosts_file
from nereus.placement.program import inside_of, inside_of_words
from nereus.placement.topology import MOST_SLOTS, Topology, of_hosts

HERE = "here"
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*(\([^)]*\))?:[1-9]\d{0,6}(\([^)]*\))?")


def read_topology(text: str, threads: bool = False) -> Topology:
    """PlaceError, or ConfigError for a file of hosts, says what is wrong. `threads`: slots are threads."""
    if text == HERE:
        return of_hosts([socket.gethostname()], [inside_of(["--here"], threads)])
    path = Path(text)
    if path.suffix == ".toml":
        return read_hosts_file(path, threads)
    if path.suffix == ".xml":
        if not path.is_file():
            raise PlaceError(f"{text}: no such file")
        return of_hosts([path.stem], [inside_of(["--xml", text], threads)])
    return _synthetic(text, threads)


def _synthetic(text: str, threads: bool) -> Topology:
    """ "switch:2 host:4 package:2 core:10": what is above the hosts is ours, what is inside is for hwloc."""
    words = text.split()
    if not words or not all(_WORD.fullmatch(word) for word in words):
        raise PlaceError(
            f"--topology {text}: allowed are here, FILE.xml, FILE.toml and words "
            'as in "host:8 package:2 core:10"'
        )
    above: list[tuple[str, int]] = []
    while words and words[0].partition(":")[0] in {"switch", "host", "node"}:
        name, _, number = words.pop(0).partition(":")
        above.append(("host" if name == "node" else name, int(number)))
        if above[-1][0] == "host":
            break
    if above and above[-1][0] != "host":
        raise PlaceError(f"--topology {text}: host:NUMBER is missing behind the switches")
    inside = inside_of_words(" ".join(words), threads)
    hosts = math.prod(number for _, number in above)
    if hosts * inside.slots > MOST_SLOTS:
        raise PlaceError(f"--topology {text}: {hosts * inside.slots} slots: allowed are up to {MOST_SLOTS}")
    return of_hosts([f"host{number}" for number in range(hosts)], [inside] * hosts, _evenly(above))


def _evenly(above: Sequence[tuple[str, int]]) -> list[tuple[str, Sequence[int]]]:
    levels: list[tuple[str, Sequence[int]]] = []
    nodes = 1
    for name, number in above:
        levels.append((name, [number] * nodes))
        nodes *= number
    return levels
