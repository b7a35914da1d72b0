# SPDX-License-Identifier: BSD-3-Clause
"""Reads the file of a run, up to where it breaks off if it does."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from nereus.analysis.monitor import events
from nereus.analysis.monitor.encoding import DamagedError, Item, items_in
from nereus.analysis.monitor.model import File, Process, Recording, RecordingError, World


def read(path: Path) -> Recording:
    """Read the file of a run.

    Raises RecordingError when it cannot be read or is no such file. A damaged event ends the reading: what
    stands before it is kept, and `broken_off` says where.
    """
    found = _Events(path)
    all_events = list(found)
    if not all_events or not isinstance(all_events[0], events.Header):
        what = found.broken_off or f"{path}:1: no header"
        raise RecordingError(f"{what}: the first line of a monitor's file has event = header")
    return _Assembly(path, all_events[0]).of(all_events[1:], found.broken_off)


class _Events:
    """The events of a file; `broken_off` is set where they end early."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken_off: str | None = None

    def __iter__(self) -> Iterator[events.Event]:
        try:
            for item in items_in(self.path):
                event = self._event(item)
                if self.broken_off:
                    return
                if event is not None:
                    yield event
        except DamagedError as damaged:
            self.broken_off = f"{damaged.where}: the event is cut or damaged"
        except OSError as problem:
            raise RecordingError(f"{self.path}: {problem.strerror}") from None

    def _event(self, item: Item) -> events.Event | None:
        value = item.value
        if not isinstance(value, dict) or not isinstance(value.get("event"), str):
            self.broken_off = f'{item.where}: not an event: an object with a text "event" is allowed'
            return None
        kind = events.KINDS.get(value["event"])
        try:
            return kind.model_validate_json(item.text) if kind else None
        except ValidationError as problem:
            first = problem.errors(include_url=False)[0]
            key = ".".join(str(part) for part in first["loc"])
            self.broken_off = f"{item.where}: {value['event']}: {key}: {first['msg'].lower()}"
            return None


class _Assembly:
    def __init__(self, path: Path, header: events.Header) -> None:
        self.recording = Recording(path, header, [], [], None, None)
        self.worlds: dict[str, World] = {}
        self.process: Process | None = None

    def of(self, lines: list[events.Event], broken_off: str | None) -> Recording:
        for line in lines:
            self._take(line)
        self.recording.worlds = list(self.worlds.values())
        self.recording.broken_off = broken_off
        return self.recording

    def _take(self, line: events.Event) -> None:
        match line:
            case events.Process():
                world = self._world(line.world, line.ranks)
                self.process = world.processes[line.rank] = Process(line)
            case events.World():
                self._world(line.world, line.ranks).facts = line
            case events.Unseen():
                if (line.what, line.why) not in self.recording.unseen:
                    self.recording.unseen.append((line.what, line.why))
            case events.Decomposed() if self.process is not None:
                self._world(self.process.facts.world, self.process.facts.ranks).decomposed = line.source
            case events.Ended():
                self.recording.ended = line
            case _ if self.process is not None:
                _give(self.process, line)

    def _world(self, name: str, ranks: int) -> World:
        return self.worlds.setdefault(name, World(name, ranks))


def _give(process: Process, line: events.Event) -> None:
    match line:
        case events.Moved():
            process.moved.append(line)
        case events.Window():
            process.windows.append(line)
        case events.Communicator():
            process.communicators[line.communicator] = line
        case events.Generation():
            process.generations.append(line)
        case events.Supervised():
            process.supervised = line
        case events.Met():
            process.meetings.append(line)
        case events.Phase():
            process.phases[line.phase] = line.name
        case events.FileOpened():
            process.files[line.file] = File(line)
        case events.FileClosed() if line.file in process.files:
            process.files[line.file].closed = line
