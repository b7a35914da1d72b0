# SPDX-License-Identifier: BSD-3-Clause
"""A record as one JSON document (docs/formats/monitor.md)."""

from typing import Any

from nereus.analysis.monitor.flows import Flows
from nereus.analysis.monitor.model import Recording


def document(recording: Recording, moved: Flows) -> dict[str, Any]:
    """What `nereus report --json` prints."""
    return {
        "file": str(recording.path),
        "command": recording.header.command,
        "exit_code": recording.ended.exit_code if recording.ended else None,
        "broken_off": recording.broken_off,
        "worlds": [
            {
                "world": world.name,
                "ranks": world.ranks,
                "missing": world.missing,
                "mpi": world.facts.mpi if world.facts else None,
                "sensor": world.facts.sensor if world.facts else None,
                "decomposed": world.decomposed,
            }
            for world in recording.worlds
        ],
        "processes": _processes(recording, moved),
        "pairs": moved.document(),
        "files": files(recording),
        "unseen": [{"what": what, "why": why} for what, why in recording.unseen],
    }


def _processes(recording: Recording, moved: Flows) -> list[dict[str, Any]]:
    """In the order in which pairs number them."""
    ranks = {
        (world.name, process.facts.rank): {str(g.generation): g.own_rank for g in process.generations}
        for world, process in recording.processes
    }
    return [
        {
            "world": place.world,
            "rank": place.rank,
            "host": place.host,
            "generations": ranks.get((place.world, place.rank), {}),
        }
        for place in moved.places
    ]


def files(recording: Recording) -> list[dict[str, Any]]:
    """For each process and file that it had open."""
    rows = []
    for world, process in recording.processes:
        for number, file in sorted(process.files.items()):
            moved = [m for m in process.moved if m.file == number and m.kind in ("read", "write")]
            rows.append(
                {
                    "world": world.name,
                    "rank": process.facts.rank,
                    "file": file.opened.name,
                    "opened_unix": file.opened.unix,
                    "closed_unix": file.closed.unix if file.closed else None,
                    **{
                        f"{kind}_{what}": sum(getattr(m, what) for m in moved if m.kind == kind)
                        for kind in ("read", "write")
                        for what in ("messages", "bytes")
                    },
                }
            )
    return rows
