# SPDX-License-Identifier: BSD-3-Clause
"""nereus report FILE, where the file is what the monitor recorded."""

from pathlib import Path
from typing import Any

from nereus.analysis.monitor.events import Header
from nereus.analysis.monitor.flows import Flows, flows
from nereus.analysis.monitor.kinds import is_prof
from nereus.analysis.monitor.model import Recording
from nereus.analysis.monitor.picture import draw
from nereus.analysis.monitor.prof import read_prof, write_prof
from nereus.analysis.monitor.reader import read
from nereus.analysis.monitor.table import table
from nereus.cli.messages import show, show_json


def report_recording(
    file: Path, csv: bool, picture: Path | None, prof: Path | None, as_json: bool
) -> list[Path]:
    """Show the record; the files that were written."""
    recording, moved = _read(file)
    if as_json:
        show_json(document(recording, moved))
    else:
        show(table(recording, moved))
    written = _write_csv(moved, file) if csv else []
    if picture is not None:
        draw(recording, moved, picture)
        written.append(picture)
    if prof is not None:
        written += write_prof(recording, moved, prof)
    return written


def _read(file: Path) -> tuple[Recording, Flows]:
    """A record, or all files of Open MPI's monitoring of one run, which say no more than the pairs."""
    if is_prof(file):
        moved = read_prof(file)
        return Recording(
            file, Header(event="header", format="nereus-monitor", version=1), [], [], None, None
        ), moved
    recording = read(file)
    return recording, flows(recording)


def document(recording: Recording, moved: Flows) -> dict[str, Any]:
    """What `--json` prints (docs/formats/monitor.md)."""
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
        "files": _files(recording),
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


def _files(recording: Recording) -> list[dict[str, Any]]:
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


def _write_csv(moved: Flows, file: Path) -> list[Path]:
    written = []
    for name, frame in (("pairs", moved.pairs), ("sizes", moved.sizes)):
        path = file.with_name(f"{file.stem}.{name}.csv")
        frame.to_csv(path, index=False)
        written.append(path)
    return written
