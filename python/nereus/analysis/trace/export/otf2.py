# SPDX-License-Identifier: BSD-3-Clause
"""Open Trace Format 2, by its Python package: a folder that Vampir, Scalasca and Score-P's tools read.

All processes are members of one communicator, in the order in which they began: those of different worlds
send each other messages too.
"""

import errno
import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from nereus.analysis.trace.export.lanes import arrows, process_label
from nereus.analysis.trace.export.otf2_events import Event, EventFunctions
from nereus.analysis.trace.model import Timeline

# The order at one moment: what ends comes before what begins, and a message is within its call.
_LEAVE, _LEAVE_GENERATION, _ENTER_GENERATION, _ENTER, _MESSAGE, _LEAVE_AT_ONCE = range(6)
_LEAVE_GENERATION_AT_ONCE = 6

# More than the library takes.
_LEAST_FREE, _BYTES_OF_EVENT = 1 << 20, 40


def write_otf2(run: Timeline, path: Path) -> None:
    """OSError where the folder cannot be written, ImportError where the package is missing."""
    import otf2

    _check_space(run, path.parent)
    path.mkdir(parents=True, exist_ok=True)
    with otf2.writer.open(str(path), timer_resolution=10**9) as archive:
        _Writer(run, archive, otf2).write()
        # The package takes the time of the writing for that of the run.
        if archive._realtime_timestamp is not None:
            archive._realtime_timestamp = run.started_unix


def _check_space(run: Timeline, folder: Path) -> None:
    """The library does not say in all cases that a disk was full."""
    events = 2 * (run.calls + len(run.messages) + len(run.generations) + len(run.states))
    if shutil.disk_usage(folder).free < _LEAST_FREE + events * _BYTES_OF_EVENT:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class _Writer:
    def __init__(self, run: Timeline, archive: Any, otf2: Any) -> None:
        self._run = run
        self._archive = archive
        self._otf2 = otf2
        self._to = EventFunctions()
        self._regions: dict[str, int] = {}
        self._groups: list[Any] = []  # of locations: the processes

    def write(self) -> None:
        locations = self._locations()
        first = [own[track.threads[0]] for own, track in zip(locations, self._run.tracks, strict=True)]
        messages = self._messages(self._communicator(first))
        for place, own in enumerate(locations):
            for thread, location in own.items():
                events = [
                    *self._calls(place, thread),
                    *self._generations(place, thread),
                    *messages.get((place, thread), []),
                ]
                self._to.write(self._archive, location, sorted(events, key=itemgetter(0, 1)))
            self._write_states(place, self._groups[place])

    def _write_states(self, place: int, group: Any) -> None:
        """Each activity has a location of its own: its states and the calls do not lie in each other."""
        for activity in self._run.activities_of(place):
            location = self._archive.definitions.location(activity, group=group)
            events: list[Event] = []
            for span in self._run.states_of(place, activity):
                region = (self._region(f"{activity}: {span.state}"),)
                events += [
                    (span.begin, _ENTER, self._to.enter, region),
                    (span.end, _LEAVE, self._to.leave, region),
                ]
            self._to.write(self._archive, location, events)

    def _locations(self) -> list[dict[int, Any]]:
        """Of each process, by thread."""
        definitions = self._archive.definitions
        machine = definitions.system_tree_node("machine")
        hosts: dict[str, Any] = {}
        found = []
        for track in self._run.tracks:
            if track.host not in hosts:
                hosts[track.host] = definitions.system_tree_node(track.host, "node", parent=machine)
            group = definitions.location_group(process_label(track), system_tree_parent=hosts[track.host])
            self._groups.append(group)
            found.append(
                {thread: definitions.location(f"thread {thread}", group=group) for thread in track.threads}
            )
        return found

    def _communicator(self, first: list[Any]) -> int:
        definitions, types, mpi = self._archive.definitions, self._otf2.GroupType, self._otf2.Paradigm.MPI
        definitions.group("MPI locations", group_type=types.COMM_LOCATIONS, paradigm=mpi, members=first)
        everybody = definitions.group(
            "all processes", group_type=types.COMM_GROUP, paradigm=mpi, members=first
        )
        return definitions.comm("all processes", group=everybody)._ref  # type: ignore[no-any-return]

    def _region(self, name: str) -> int:
        found = self._regions.get(name)
        if found is None:
            paradigm = self._otf2.Paradigm.MPI if name.startswith("MPI_") else self._otf2.Paradigm.USER
            found = self._regions[name] = self._archive.definitions.region(name, paradigm=paradigm)._ref
        return found

    def _calls(self, place: int, thread: int) -> Iterator[Event]:
        track = self._run.tracks[place]
        own = track.thread == thread
        columns = (track.name[own], track.begin[own], track.end[own])
        regions = {
            name: (self._region(f"MPI_{track.names[name]}"),) for name in np.unique(columns[0]).tolist()
        }
        for name, begin, end in zip(*(column.tolist() for column in columns), strict=True):
            region = regions[name]
            yield begin, _ENTER, self._to.enter, region
            yield end, _LEAVE if end > begin else _LEAVE_AT_ONCE, self._to.leave, region

    def _generations(self, place: int, thread: int) -> Iterator[Event]:
        """Around the calls of the process's first thread."""
        if thread != self._run.tracks[place].threads[0]:
            return
        for span in self._run.generations:
            if span.track == place:
                region = (self._region(span.label),)
                yield span.begin, _ENTER_GENERATION, self._to.enter, region
                leave = _LEAVE_GENERATION if span.end > span.begin else _LEAVE_GENERATION_AT_ONCE
                yield span.end, leave, self._to.leave, region

    def _messages(self, communicator: int) -> dict[tuple[int, int], list[Event]]:
        """By process and thread."""
        events: dict[tuple[int, int], list[Event]] = defaultdict(list)
        for arrow in arrows(self._run):
            tag = max(arrow.tag, 0)
            events[arrow.source, arrow.sender].append(
                (arrow.sent, _MESSAGE, self._to.send, (arrow.destination, communicator, tag, arrow.bytes))
            )
            events[arrow.destination, arrow.receiver].append(
                (arrow.within, _MESSAGE, self._to.receive, (arrow.source, communicator, tag, arrow.bytes))
            )
        return events
