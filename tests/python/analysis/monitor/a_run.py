# SPDX-License-Identifier: BSD-3-Clause
"""Lines of a record, as tests want them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nereus.analysis.monitor.encoding import Encoding, encoded

Line = Mapping[str, Any]
HEADER: Line = {"event": "header", "format": "nereus-monitor", "version": 1, "run": "r"}


def process(rank: int, ranks: int = 4, world: str = "w") -> Line:
    own = {"world": world, "rank": rank, "ranks": ranks, "host": "h", "process": 10 + rank}
    return {"event": "process", **own, "end": "finalized", "lost_messages": 0}


def world(ranks: int = 4, name: str = "w", started: float = 100.0) -> Line:
    facts = {"world": name, "ranks": ranks, "sensor": "pmpi", "mpi": "M", "started_unix": started}
    return {"event": "world_started", **facts, "window_seconds": 1.0}


def moved(to: Sequence[Any], kind: str = "point_to_point", **other: Any) -> Line:
    return {"event": "moved", "rank": 0, "kind": kind, "generation": 0, "to": list(to), **other}


def to_all(reach: str, size: int, kind: str = "collective", messages: int = 1, **other: Any) -> Line:
    counted = {
        "messages": messages,
        "bytes": messages * size,
        "histogram": {str(size.bit_length()): messages},
    }
    told = {"event": "moved", "kind": kind, "generation": 0, "call": "allreduce", "communicator": 1}
    return {**told, "reach": reach, **counted, **other}


def communicator(own_rank: int, members: Sequence[Any], two_sides: bool = False) -> Line:
    told = {"event": "communicator", "communicator": 1, "name": "c", "own_rank": own_rank}
    return {**told, "two_sides": two_sides, "members": list(members)}


def write(path: Path, *lines: Line, encoding: Encoding = Encoding.JSON) -> Path:
    path.write_bytes(b"".join(encoded(line, encoding) for line in lines))
    return path
