# SPDX-License-Identifier: BSD-3-Clause
"""Paraver's format: a .prv of records, a .pcf of what their numbers mean, a .row of names.

Source: BSC, Paraver trace file format (tools.bsc.es).
"""

import time
from collections.abc import Iterator
from heapq import merge
from pathlib import Path

import numpy as np

from nereus.analysis.trace.export.lanes import arrows, process_label
from nereus.analysis.trace.model import Timeline, Track
from nereus.analysis.trace.states import PHASE

_STATES = ("Idle", "Running", "MPI")
_RUNNING, _MPI = 1, 2
# Types of events; the first is what Extrae has for MPI's calls that are no messages and no collectives.
_CALL, _BYTES, _GENERATION, _RANK, _FIRST_ACTIVITY = 50000003, 50100001, 50200001, 50200002, 50300001

Record = tuple[int, int, str]  # when, order at one moment, text


def write_paraver(run: Timeline, path: Path) -> None:
    """The .prv at `path`, the others beside it. OSError where they cannot be written."""
    layout = _Layout(run)
    with path.open("w", encoding="utf-8") as file:
        file.write(layout.header() + "\n")
        records = [_calls_of(track, place, layout) for place, track in enumerate(run.tracks)]
        for _, _, text in merge(
            *records, iter(sorted(_spans(run, layout))), iter(sorted(_messages(run, layout)))
        ):
            file.write(text + "\n")
    path.with_suffix(".pcf").write_text(layout.meanings(), encoding="utf-8")
    path.with_suffix(".row").write_text(layout.names(), encoding="utf-8")


class _Layout:
    """Processes are tasks of one application, each with a core of its own: pictures then share none."""

    def __init__(self, run: Timeline) -> None:
        self._run = run
        self._hosts = list(dict.fromkeys(track.host for track in run.tracks))
        # Those of the first host, those of the next one, and so on.
        self._by_host = sorted(
            range(len(run.tracks)), key=lambda place: self._hosts.index(run.tracks[place].host)
        )
        self._cores = {place: core for core, place in enumerate(self._by_host, 1)}
        self.calls = sorted({name for track in run.tracks for name in track.used_names})
        self.generations = sorted({span.generation for span in run.generations})
        self.states: dict[str, dict[str, int]] = {}
        for activity in (PHASE, *sorted({span.activity for span in run.states} - {PHASE})):
            names = sorted({span.state for span in run.states if span.activity == activity}, key=_natural)
            self.states[activity] = {name: value for value, name in enumerate(names, 1)}
        self.activities = {activity: _FIRST_ACTIVITY + place for place, activity in enumerate(self.states)}

    def thread(self, place: int, thread: int) -> str:
        """Core, application, task and thread, each from 1."""
        return f"{self._cores[place]}:1:{place + 1}:{self._run.tracks[place].threads.index(thread) + 1}"

    def first(self, place: int) -> str:
        """Of the process's first thread."""
        return f"{self._cores[place]}:1:{place + 1}:1"

    def header(self) -> str:
        tasks = ",".join(
            f"{len(track.threads)}:{self._hosts.index(track.host) + 1}" for track in self._run.tracks
        )
        cores = ",".join(str(sum(track.host == host for track in self._run.tracks)) for host in self._hosts)
        day = time.strftime("%d/%m/%Y at %H:%M", time.localtime(self._run.started_unix))
        nodes = f"{len(self._hosts)}({cores})"
        return f"#Paraver ({day}):{self._run.last}_ns:{nodes}:1:{len(self._run.tracks)}({tasks})"

    def meanings(self) -> str:
        return (
            "\n\n".join(
                [
                    "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC",
                    "STATES\n" + "\n".join(f"{number} {name}" for number, name in enumerate(_STATES)),
                    _type(_CALL, "MPI call", ["End", *(f"MPI_{name}" for name in self.calls)]),
                    _type(_BYTES, "Bytes of the MPI call", []),
                    _type(_GENERATION, "Generation of the job", ["None", *map(str, self.generations)]),
                    _type(_RANK, "Rank in the generation, plus 1", []),
                    *(
                        _type(number, f"State of {activity}", ["None", *self.states[activity]])
                        for activity, number in self.activities.items()
                    ),
                ]
            )
            + "\n"
        )

    def names(self) -> str:
        labels = [process_label(track) for track in self._run.tracks]
        threads = [
            f"{label}, thread {thread}"
            for label, track in zip(labels, self._run.tracks, strict=True)
            for thread in track.threads
        ]
        levels = (
            ("CPU", [f"core of {labels[place]}" for place in self._by_host]),
            ("NODE", self._hosts),
            ("TASK", labels),
            ("THREAD", threads),
        )
        return "\n".join(
            f"LEVEL {level} SIZE {len(names)}\n" + "".join(f"{name}\n" for name in names)
            for level, names in levels
        )


def _natural(name: str) -> tuple[int, str]:
    """Numbers in their order, then words."""
    return (int(name) if name.isascii() and name.isdigit() else 2**64, name)


def _type(number: int, name: str, values: list[str]) -> str:
    lines = ["EVENT_TYPE", f"0 {number} {name}"]
    if values:
        lines += ["VALUES", *(f"{value} {text}" for value, text in enumerate(values))]
    return "\n".join(lines)


def _calls_of(track: Track, place: int, layout: _Layout) -> Iterator[Record]:
    """In order: of one process, whose threads may overlap."""
    values = {track.names.index(name): layout.calls.index(name) + 1 for name in track.used_names}
    threads = {thread: layout.thread(place, thread) for thread in track.threads}
    records: list[Record] = []
    columns = (track.name, track.thread, track.begin, track.end, track.bytes)
    for name, thread, begin, end, size in zip(*(column.tolist() for column in columns), strict=True):
        who = threads[thread]
        value = values[name]
        records.append((begin, 1, f"1:{who}:{begin}:{end}:{_MPI}"))
        records.append((begin, 2, f"2:{who}:{begin}:{_CALL}:{value}:{_BYTES}:{size}"))
        records.append((end, 0, f"2:{who}:{end}:{_CALL}:0:{_BYTES}:0"))
    for who, before, after in _between(track, threads):
        records.append((before, 1, f"1:{who}:{before}:{after}:{_RUNNING}"))
    return iter(sorted(records))


def _between(track: Track, threads: dict[int, str]) -> Iterator[tuple[str, int, int]]:
    """When a thread was in no call, between its first and its last one."""
    for thread, who in threads.items():
        calls = np.flatnonzero(track.thread == thread)
        calls = calls[np.argsort(track.begin[calls], kind="stable")]
        ends, begins = track.end[calls][:-1].tolist(), track.begin[calls][1:].tolist()
        for end, begin in zip(ends, begins, strict=True):
            if begin > end:
                yield who, end, begin


def _spans(run: Timeline, layout: _Layout) -> Iterator[Record]:
    for span in run.generations:
        generation, rank = layout.generations.index(span.generation) + 1, span.rank + 1
        who = layout.first(span.track)
        yield span.begin, 2, f"2:{who}:{span.begin}:{_GENERATION}:{generation}:{_RANK}:{rank}"
        yield span.end, 0, f"2:{who}:{span.end}:{_GENERATION}:0:{_RANK}:0"
    for state in run.states:
        who, value = layout.first(state.track), layout.states[state.activity][state.state]
        number = layout.activities[state.activity]
        yield state.begin, 2, f"2:{who}:{state.begin}:{number}:{value}"
        yield state.end, 0, f"2:{who}:{state.end}:{number}:0"


def _messages(run: Timeline, layout: _Layout) -> Iterator[Record]:
    """Logical and physical times are the same: what is known is when the calls were."""
    for arrow in arrows(run):
        sender = layout.thread(arrow.source, arrow.sender)
        receiver = layout.thread(arrow.destination, arrow.receiver)
        times = f"{arrow.received}:{arrow.received}:{arrow.bytes}:{arrow.tag}"
        yield arrow.sent, 3, f"3:{sender}:{arrow.sent}:{arrow.sent}:{receiver}:{times}"
