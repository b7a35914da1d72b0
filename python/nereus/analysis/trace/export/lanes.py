# SPDX-License-Identifier: BSD-3-Clause
"""What every format shows: a lane for each thread of a process, its generations and its phases."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nereus.analysis.trace.model import Numbers, Timeline, Track

#: Numbers of lanes behind those of threads, of which there are at most 64.
GENERATIONS, PHASES = 100, 101
#: Beside the processes.
DAEMON = "daemon"
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Lane:
    """Slices that do not overlap."""

    number: int
    name: str
    calls: Numbers  # places among the calls of the track, by their begin


def lanes(run: Timeline, place: int) -> Iterator[Lane]:
    """Of one track."""
    track = run.tracks[place]
    threads = np.unique(track.thread).tolist()
    for thread in threads:
        calls = np.flatnonzero(track.thread == thread)
        name = "MPI" if len(threads) == 1 else f"MPI, thread {thread}"
        yield Lane(thread, name, calls[np.argsort(track.begin[calls], kind="stable")])
    if any(span.track == place for span in run.generations):
        yield Lane(GENERATIONS, "generation", _NONE)
    if any(phase.track == place for phase in run.phases):
        yield Lane(PHASES, "phase", _NONE)


def process_label(track: Track) -> str:
    """For people."""
    return f"{track.label} ({track.host}, process {track.process})"
