# SPDX-License-Identifier: BSD-3-Clause
"""Traces: calls and messages of a run with their times."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
from pandas import DataFrame, Series, concat

from nereus.analysis.frames.tables import Row, Tables
from nereus.analysis.trace.file import NO_PEER, Numbers
from nereus.analysis.trace.model import Timeline, Track
from nereus.analysis.trace.run import read_run
from nereus.analysis.trace.states import PHASE


def trace_tables(path: Path) -> Tables:
    """Of the folder of `nereus trace`. Processes are numbered in the order in which they began."""
    run = read_run(path)
    rows = {
        "processes": [_process(number, track) for number, track in enumerate(run.tracks)],
        "calls": concat([_calls(number, track) for number, track in enumerate(run.tracks)]),
        "messages": _messages(run),
        "generations": [
            {
                "job": span.job,
                "generation": span.generation,
                "ranks": span.ranks,
                "rank": span.rank,
                "process": span.track,
                **_times(span.begin, span.end),
            }
            for span in run.generations
        ],
        "phases": [
            {"phase": span.state, "process": span.track, **_times(span.begin, span.end)}
            for span in run.states
            if span.activity == PHASE
        ],
        "states": [
            {
                "activity": span.activity,
                "state": span.state,
                "process": span.track,
                **_times(span.begin, span.end),
            }
            for span in run.states
            if span.activity != PHASE
        ],
    }
    notes = list(run.notes)
    if run.unmatched:
        notes.append(f"ends of messages left out, as the other one is not surely known: {run.unmatched}")
    return Tables("trace", rows, notes)


def _times(begin: int, end: int) -> dict[str, float]:
    return {"begin_seconds": begin * 1e-9, "end_seconds": end * 1e-9}


def _process(number: int, track: Track) -> Row:
    return {
        "process": number,
        "world": track.world,
        "rank": track.rank,
        "host": track.host,
        "finished": track.is_ended,
        "overwritten_events": track.overwritten,
        "clock_error_seconds": track.clock_error * 1e-9,
    }


def _calls(number: int, track: Track) -> DataFrame:
    names = np.array([*track.names, ""], dtype=object)
    groups = Series(track.group).map({group: name or None for group, name in track.groups.items()})
    has_peer = track.peer != NO_PEER
    return DataFrame(
        {
            "process": np.full(len(track.name), number),
            "thread": track.thread,
            "call": names[track.name],
            "begin_seconds": track.begin * 1e-9,
            "call_seconds": (track.end - track.begin) * 1e-9,
            "bytes": _whole(track.bytes),
            "peer": _where(has_peer, track.peer),
            "tag": _where(has_peer, track.tag),
            "communicator": groups.astype(object),
            "tests": track.tests_in_vain,
        }
    )


def _messages(run: Timeline) -> DataFrame:
    found = run.messages
    return DataFrame(
        {
            "source": found["source"],
            "destination": found["destination"],
            "sent_seconds": found["sent"] * 1e-9,
            "received_seconds": found["received"] * 1e-9,
            "bytes": _whole(found["bytes"]),
            "tag": found["tag"],
        }
    )


def _where(condition: npt.NDArray[np.bool_], values: Numbers) -> Series:
    return Series(values, dtype="Int64").where(condition)


def _whole(values: npt.NDArray[np.uint64]) -> Series:
    """A call may name 2^63 bytes and more, which int64 does not hold."""
    return (
        Series(values.tolist(), dtype=object)
        if np.any(values > 2**63 - 1)
        else Series(values.astype(np.int64))
    )
