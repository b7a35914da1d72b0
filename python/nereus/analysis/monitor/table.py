# SPDX-License-Identifier: BSD-3-Clause
"""What was recorded, as tables for people."""

from typing import TYPE_CHECKING

from nereus.analysis.monitor.flows import Flows
from nereus.analysis.monitor.model import Recording
from nereus.analysis.monitor.totals import COLLECTIVES_ONCE
from nereus.analysis.report.units import bytes_text

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

KINDS = {
    "point_to_point": "point to point",
    "collective": "collective",
    "decomposed": "collective, decomposed",
    "put": "put",
    "get": "get",
}
_MOST_PAIRS = 10


def table(recording: Recording, flows: Flows) -> "Group":
    """How much of which kind, the pairs that moved most, calls and files, and what was not seen."""
    from rich.console import Group

    tables = [
        _sums("What each kind moved (collectives as calls, and as their messages)", "kind", flows),
        _sums(f"In phases of the program{COLLECTIVES_ONCE}", "phase", flows),
        _sums(f"In generations of the job{COLLECTIVES_ONCE}", "generation", flows),
        _top_pairs(flows),
        _calls(recording),
        _files(recording),
    ]
    parts = [part for each in tables if each.row_count for part in ("", each)]
    noted = notes(recording, flows)
    return Group(_title(recording), *parts, *(["", *noted] if noted else []))


def calls(recording: Recording) -> dict[str, int]:
    """How often the processes together called each collective."""
    made: dict[str, int] = {}
    for _, process in recording.processes:
        for moved in process.moved:
            if moved.call and moved.reach != "peer":
                made[moved.call] = made.get(moved.call, 0) + moved.messages
    return made


def notes(recording: Recording, flows: Flows) -> list[str]:
    """What was not seen, or is in no table, a line each."""
    told = [f"not seen: {what}: {why}" for what, why in recording.unseen]
    sources = {world.decomposed for world in recording.worlds if world.decomposed}
    told += [f"decomposed collectives were seen in {source}" for source in sorted(sources)]
    for world in recording.worlds:
        if world.missing:
            missing = f"{len(world.missing)} of {world.ranks} processes of world {world.name}"
            told.append(f"nothing is there of {missing}")
    lost = sum(process.facts.lost_messages for _, process in recording.processes)
    if lost:
        told.append(f"not seen: {lost} messages, for which there was no memory")
    if flows.strangers:
        told.append(f"not in the tables: {flows.strangers} messages to processes that no record names")
    if recording.broken_off:
        told.append(f"{recording.broken_off}: read up to there")
    return told


def _title(recording: Recording) -> str:
    worlds = recording.worlds
    sizes = " + ".join(str(world.ranks) for world in worlds) or "no"
    told = next((world.facts for world in worlds if world.facts), None)
    by = f", {told.mpi}, sensor {told.sensor}" if told else ""
    return f"{recording.path}: {sizes} processes{by}"


def _sums(title: str, column: str, flows: Flows) -> "Table":
    """Of each kind; of each phase or generation where there are several."""
    from nereus.analysis.report.tables import new_table, number

    made = new_table(column, *map(number, ("pairs", "messages", "data", "mean size")), title=title)
    rows_of_all = flows.pairs if column == "kind" else flows.counted_pairs
    groups = rows_of_all.groupby(column, sort=column == "generation")
    for name, rows in groups if column == "kind" or len(groups) > 1 else ():
        messages, moved = int(rows["messages"].sum()), int(rows["bytes"].sum())
        pairs = len(rows[["source", "destination"]].drop_duplicates())
        shown = KINDS.get(str(name), str(name) or "(none)")
        made.add_row(shown, f"{pairs}", f"{messages}", bytes_text(moved), _mean(moved, messages))
    return made


def _top_pairs(flows: Flows) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    figures = ("from", "to", "messages", "data", "mean size")
    made = new_table(*map(number, figures), title=f"Pairs that moved most{COLLECTIVES_ONCE}")
    sums = flows.counted_pairs.groupby(["source", "destination"], as_index=False)[["messages", "bytes"]].sum()
    # Not by nlargest(): sums may be greater than what a column of whole numbers has, or there are none.
    most = sums.sort_values("bytes", ascending=False, kind="stable").head(_MOST_PAIRS)
    for source, destination, messages, moved in most.itertuples(index=False):
        made.add_row(str(source), str(destination), f"{messages}", bytes_text(moved), _mean(moved, messages))
    return made


def _calls(recording: Recording) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    made = new_table("call", number("calls"), title="Collective calls of all processes")
    for call, times in sorted(calls(recording).items(), key=lambda one: -one[1]):
        made.add_row(call, str(times))
    return made


def _files(recording: Recording) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    made = new_table("file", *map(number, ("opened by", "written", "read")), title="Files")
    sums: dict[str, list[int]] = {}
    for _, process in recording.processes:
        for moved in process.moved:
            if moved.kind in ("read", "write"):
                file = process.files.get(moved.file)
                row = sums.setdefault(file.opened.name if file else "(opened before)", [0, 0])
                row[moved.kind == "read"] += moved.bytes
        for file in process.files.values():
            sums.setdefault(file.opened.name, [0, 0])
    openers = {
        name: sum(any(f.opened.name == name for f in p.files.values()) for _, p in recording.processes)
        for name in sums
    }
    for name, (written, read) in sorted(sums.items()):
        made.add_row(name, f"{openers[name]} processes", bytes_text(written), bytes_text(read))
    return made


def _mean(moved: int, messages: int) -> str:
    return bytes_text(round(moved / messages)) if messages else "-"
