# SPDX-License-Identifier: BSD-3-Clause
"""Records of the monitor, and files of Open MPI's own monitoring, which have the pairs alone."""

from pathlib import Path

from nereus.analysis.frames.tables import Row, Rows, Tables
from nereus.analysis.monitor.document import files
from nereus.analysis.monitor.flows import Flows, flows
from nereus.analysis.monitor.model import Recording, World
from nereus.analysis.monitor.picture import bytes_over_time
from nereus.analysis.monitor.prof import read_prof
from nereus.analysis.monitor.reader import read
from nereus.analysis.monitor.table import calls, notes


def record_tables(path: Path) -> Tables:
    """Of a record."""
    recording = read(path)
    moved = flows(recording)
    rows: dict[str, Rows] = {
        "worlds": [_world(world) for world in recording.worlds],
        "processes": _processes(moved, recording),
        "pairs": moved.pairs,
        "sizes": moved.sizes,
        "calls": [{"call": call, "calls": times} for call, times in calls(recording).items()],
        "over_time": [
            {"kind": kind, "begin_seconds": begin, "bytes": size}
            for kind, over_time in bytes_over_time(recording).items()
            for begin, size in sorted(over_time.items())
        ],
        "files": files(recording),
    }
    return Tables("record", rows, notes(recording, moved))


def prof_tables(path: Path) -> Tables:
    """Of all files of the run of which the path is one."""
    moved = read_prof(path)
    none: dict[str, Rows] = {name: [] for name in ("worlds", "calls", "over_time", "files")}
    rows = {**none, "processes": _processes(moved), "pairs": moved.pairs, "sizes": moved.sizes}
    return Tables("record", rows, [f"{path}: Open MPI's monitoring tells pairs of processes alone"])


def _world(world: World) -> Row:
    return {
        "world": world.name,
        "ranks": world.ranks,
        "missing_ranks": len(world.missing),
        "mpi": world.facts.mpi if world.facts else None,
        "sensor": world.facts.sensor if world.facts else None,
        "decomposed": world.decomposed,
        "started_unix": world.facts.started_unix if world.facts else None,
    }


def _processes(moved: Flows, recording: Recording | None = None) -> list[Row]:
    """In the order in which pairs number them."""
    found = recording.processes if recording else []
    facts = {(world.name, process.facts.rank): process.facts for world, process in found}
    rows = list[Row]()
    for number, place in enumerate(moved.places):
        own = facts.get((place.world, place.rank))
        rows.append(
            {
                "process": number,
                "world": place.world,
                "rank": place.rank,
                "host": place.host,
                "end": own.end if own else None,
                "lost_messages": own.lost_messages if own else None,
            }
        )
    return rows
