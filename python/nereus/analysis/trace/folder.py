# SPDX-License-Identifier: BSD-3-Clause
"""Reads the traces in the folder of `nereus trace`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from nereus.analysis.trace.error import TraceError
from nereus.analysis.trace.file import ProcessTrace, read_process
from nereus.analysis.trace.kinds import RECORD, files_of
from nereus.analysis.trace.settings import settings_of


def traces_of(folder: Path) -> tuple[list[ProcessTrace], list[str]]:
    """All that can be read, and a sentence for each that cannot. TraceError where there is none."""
    if not (folder / RECORD).is_file():
        raise TraceError(f"{folder}: is no folder of `nereus trace`: it has no {RECORD}")
    files = files_of(folder)
    if not files:
        raise TraceError(f"{folder}: has no trace of a process: none of the command reached MPI_Init")
    found: dict[tuple[str, int], ProcessTrace] = {}
    notes = []
    for file in files:
        try:
            trace = read_process(file)
        except TraceError as problem:
            notes.append(str(problem))
            continue
        first = found.setdefault((trace.world, trace.rank), trace)
        if first is not trace:
            notes.append(f"{file}: is left out: {first.path.name} is of the same process")
    if not found:
        raise TraceError(notes[0])
    traces = list(found.values())
    settings = settings_of(folder)
    missing = () if settings.ranks else _missing(traces)
    return traces, [*notes, *settings.sentences(), *missing]


def _missing(traces: Sequence[ProcessTrace]) -> Iterator[str]:
    there = Counter(trace.world for trace in traces)
    ranks = {trace.world: trace.ranks for trace in traces}
    missing = sum(max(0, ranks[world] - number) for world, number in there.items())
    if missing:
        yield f"{missing} processes left no trace in this folder: do all hosts share it?"
