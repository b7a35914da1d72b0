# SPDX-License-Identifier: BSD-3-Clause
"""Files as Open MPI's own monitoring writes them, `NAME.RANK.prof` for each process: read and written.

Fields are separated by tabs: E (point to point), I (messages of collectives and other inner ones), S and R
(one-sided, sent and received), C (collectives as they are called): source, peer, "N bytes", "M msgs sent",
and for E, or where there is none for I, 66 numbers of messages by size. D names a communicator; O2A, A2O and
A2A behind it are what its rooted and other collectives moved. Format: Open MPI 4.1 and 5.0, as they write it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from nereus.analysis.monitor import events
from nereus.analysis.monitor.events import MOST_RANKS
from nereus.analysis.monitor.flows import KEYS, Flows, Place, added_up
from nereus.analysis.monitor.kinds import PROF
from nereus.analysis.monitor.model import Process, Recording, RecordingError, World
from nereus.analysis.report.events import MOST_COUNTED
from nereus.reading import MOST_RECORDED, content_of

SIZES = 66
_KIND_OF = {"E": "point_to_point", "I": "decomposed", "S": "put", "R": "get", "C": "collective"}
_SECTIONS = {"# POINT TO POINT": ("E", "I"), "# OSC": ("S", "R"), "# COLLECTIVES": ("C",)}
_FROM_ONE = {"bcast", "scatter"}
_TO_ONE = {"gather", "reduce"}


@dataclass(frozen=True)
class _Row:
    source: int
    destination: int
    kind: str
    messages: int
    bytes: int
    sizes: list[int]


def read_prof(path: Path) -> Flows:
    """All files of the run of which `path` is one. RecordingError names the line that is damaged."""
    match = PROF.fullmatch(path.name)
    if match is None:
        raise RecordingError(f"{path}: NAME.RANK.prof is allowed")
    files = {
        int(found["rank"]): file
        for file in path.parent.glob("*.prof")
        if (found := PROF.fullmatch(file.name)) and found["name"] == match["name"]
    }
    rows = [row for _, file in sorted(files.items()) for row in _rows(file)]
    ranks = 1 + max([*files, *(max(row.source, row.destination) for row in rows)])
    places = [Place(match["name"], rank, "") for rank in range(ranks)]
    pairs = [(r.source, r.destination, 0, "", r.kind, r.messages, r.bytes) for r in rows]
    sizes = [
        (r.source, r.destination, 0, "", r.kind, size, number)
        for r in rows
        for size, number in enumerate(r.sizes)
        if number
    ]
    return Flows(
        places,
        added_up(pd.DataFrame(pairs, columns=[*KEYS, "messages", "bytes"]), KEYS),
        added_up(pd.DataFrame(sizes, columns=[*KEYS, "bin", "messages"]), [*KEYS, "bin"]),
        0,
    )


def _rows(file: Path) -> Iterator[_Row]:
    try:
        lines = content_of(file, MOST_RECORDED).decode("utf-8").splitlines()
    except (OSError, ValueError) as problem:
        raise RecordingError(f"{file}: cannot be read: {problem}") from None
    for number, line in enumerate(lines, start=1):
        letter, *fields = line.split("\t")
        if letter not in _KIND_OF:
            continue
        try:
            yield _row(_KIND_OF[letter], fields)
        except (ValueError, IndexError):
            raise RecordingError(
                f"{file}:{number}: {line[:60]!r}: a line of Open MPI's monitoring is allowed"
            ) from None


def _row(kind: str, fields: list[str]) -> _Row:
    rank, peer = int(fields[0]), int(fields[1])
    moved, messages = int(fields[2].removesuffix(" bytes")), int(fields[3].removesuffix(" msgs sent"))
    sizes = [int(number) for number in fields[4].split(",")] if len(fields) > 4 else []
    if not all(0 <= each <= MOST_COUNTED for each in (rank, peer, moved, messages, *sizes)):
        raise ValueError("numbers that can be counted are allowed")
    if max(rank, peer) >= MOST_RANKS:
        raise ValueError(f"ranks below {MOST_RANKS} are allowed")
    source, destination = (peer, rank) if kind == "get" else (rank, peer)
    return _Row(source, destination, kind, messages, moved, sizes)


def write_prof(recording: Recording, flows: Flows, name: Path) -> list[Path]:
    """One file for each process of the first world. Generations and other worlds have no place in it."""
    if not recording.worlds:
        raise RecordingError(f"{recording.path}: nothing is recorded that could be written")
    written = []
    for rank, process in sorted(recording.worlds[0].processes.items()):
        file = name.with_name(f"{name.name}.{rank}.prof")
        file.write_text("\n".join(_lines(recording.worlds[0], process, flows)) + "\n", encoding="utf-8")
        written.append(file)
    return written


def _lines(world: World, process: Process, flows: Flows) -> Iterator[str]:
    rank = process.facts.rank
    for title, letters in _SECTIONS.items():
        yield title
        for letter in letters:
            yield from _pair_lines(letter, rank, world.ranks, flows)
    for number, communicator in sorted(process.communicators.items()):
        members = [first + step * at for _, first, count, step in communicator.members for at in range(count)]
        yield f"D\t{communicator.name}\tprocs: {','.join(map(str, members))}"
        yield from _call_lines(rank, number, len(members), process)


def _pair_lines(letter: str, rank: int, ranks: int, flows: Flows) -> Iterator[str]:
    own, peer = ("destination", "source") if letter == "R" else ("source", "destination")
    rows = flows.pairs[
        (flows.pairs["kind"] == _KIND_OF[letter]) & (flows.pairs[own] == rank) & (flows.pairs[peer] < ranks)
    ]
    for (other,), found in rows.groupby([peer]):
        line = f"{letter}\t{rank}\t{other}\t{found['bytes'].sum()} bytes\t{found['messages'].sum()} msgs sent"
        has_sizes = letter == "E" or (letter == "I" and not _sent_by_program(rank, int(other), flows))
        yield f"{line}\t{_histogram(rank, int(other), flows)}" if has_sizes else line


def _sent_by_program(rank: int, peer: int, flows: Flows) -> bool:
    pairs = flows.pairs[(flows.pairs["source"] == rank) & (flows.pairs["destination"] == peer)]
    return bool((pairs["kind"] == "point_to_point").any())


def _histogram(rank: int, peer: int, flows: Flows) -> str:
    sizes = [0] * SIZES
    of_pair = (flows.sizes["source"] == rank) & (flows.sizes["destination"] == peer)
    rows = flows.sizes[of_pair & flows.sizes["kind"].isin(["point_to_point", "decomposed"])]
    for size, number in zip(rows["bin"], rows["messages"], strict=True):
        sizes[size] += number
    return ",".join(map(str, sizes))


def _call_lines(rank: int, communicator: int, members: int, process: Process) -> Iterator[str]:
    sums = {"O2A": [0, 0], "A2O": [0, 0], "A2A": [0, 0]}
    for moved in process.moved:
        if moved.kind == "collective" and moved.communicator == communicator:
            row = sums["O2A" if moved.call in _FROM_ONE else "A2O" if moved.call in _TO_ONE else "A2A"]
            row[0] += _bytes(moved, members)
            row[1] += moved.messages if moved.reach != "peer" else 0
    for letters, (size, calls) in sums.items():
        yield f"{letters}\t{rank}\t{size} bytes\t{calls} msgs sent"


def _bytes(moved: events.Moved, members: int) -> int:
    if moved.reach == "peer":
        return sum(size for _, _, size, _ in moved.to)
    return moved.bytes * (members - 1) if moved.reach == "all" else 0
