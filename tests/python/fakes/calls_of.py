# SPDX-License-Identifier: BSD-3-Clause
"""Traces as the preloaded library writes them, of calls that a test makes up."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nereus.analysis.capture.trace import ROW


@dataclass(frozen=True)
class Call:
    """One call: seconds of computing before it, and in it."""

    name: str
    computed: float = 100e-6
    in_call: float = 10e-6
    bytes: int = 8
    idle: float = 0.0  # before it, on no core
    in_vain: int = 0


def write(
    folder: Path, calls: Iterable[Call], rank: int = 0, ranks: int = 1, made: int = 0, **facts: Any
) -> Path:
    """The two files of a process, which may have made more calls; the description's path."""
    shapes: dict[tuple[str, int], int] = {}
    rows, at = [], 0.0
    for call in calls:
        at += call.computed + call.idle
        shape = shapes.setdefault((call.name, call.bytes), len(shapes))
        times = [round(1e9 * seconds) for seconds in (at, call.in_call, call.computed, call.in_call)]
        rows.append((*times, shape, call.in_vain))
        at += call.in_call
    file = folder / f"world-{rank}.json"
    file.with_suffix(".calls").write_bytes(np.array(rows, ROW).tobytes())
    description = {
        "format": "nereus-calls",
        "version": 1,
        "world": "world",
        "rank": rank,
        "ranks": ranks,
        "calls": made or len(rows),
        "rows": len(rows),
        "seconds": at,
        "core_seconds_at_end": 0.0,
        "look_nanoseconds": 0,
        "shapes": [{"call": name, "bytes": size, "group": 1, "processes": ranks} for name, size in shapes],
        **facts,
    }
    file.write_text(json.dumps(description))
    return file


def write_all(folder: Path, of_ranks: Sequence[Sequence[Call]]) -> Path:
    """Of a whole program."""
    for rank, calls in enumerate(of_ranks):
        write(folder, calls, rank, len(of_ranks))
    return folder
