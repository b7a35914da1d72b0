# SPDX-License-Identifier: BSD-3-Clause
"""What every format shows: a lane for each thread of a process, for its generations, for its activities."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nereus.analysis.trace.file import Numbers
from nereus.analysis.trace.model import Timeline, Track

#: Numbers of lanes behind those of threads, of which there are at most 64; then those of activities.
GENERATIONS = 100
_FIRST_ACTIVITY, _MOST_ACTIVITIES = 101, 24
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
    for thread in track.threads:
        calls = np.flatnonzero(track.thread == thread)
        name = "MPI" if len(track.threads) == 1 else f"MPI, thread {thread}"
        yield Lane(thread, name, calls[np.argsort(track.begin[calls], kind="stable")])
    if any(span.track == place for span in run.generations):
        yield Lane(GENERATIONS, "generation", _NONE)
    for activity in run.activities_of(place):
        yield Lane(activity_lane(run, activity), activity, _NONE)


def activity_lane(run: Timeline, activity: str) -> int:
    """The number of its lane; those of which there are too many share one."""
    return _FIRST_ACTIVITY + min(run.activities.index(activity), _MOST_ACTIVITIES - 1)


class Arrow(NamedTuple):
    """A message, with the threads of its ends. A receive sees it at the end of its call."""

    source: int  # place among the tracks
    sender: int  # thread
    sent: int
    destination: int
    receiver: int
    received: int
    within: int  # the last moment within the call that received it
    bytes: int
    tag: int


def arrows(run: Timeline) -> Iterator[Arrow]:
    """In the order of their sending."""
    columns = ("source", "destination", "sent", "received", "send_call", "receive_call", "bytes", "tag")
    for source, destination, sent, received, send_call, receive_call, size, tag in zip(
        *(run.messages[column].tolist() for column in columns), strict=True
    ):
        sender, receiver = run.tracks[source], run.tracks[destination]
        yield Arrow(
            source,
            int(sender.thread[send_call]),
            sent,
            destination,
            int(receiver.thread[receive_call]),
            received,
            max(int(receiver.begin[receive_call]), received - 1),
            size,
            tag,
        )


def process_label(track: Track) -> str:
    """For people."""
    return f"{track.label} ({track.host}, process {track.process})"
