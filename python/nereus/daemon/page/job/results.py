# SPDX-License-Identifier: BSD-3-Clause
"""What a running job writes about itself: the result file of an emulation, or the measured file of a program.

In:  the file, which grows (docs/formats/results.md, docs/formats/measured.md).
Out: iterations, resizes, and what the stages of each generation took. Damaged lines are passed over.
"""

import json
import math
import os
import stat
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nereus.analysis.report import events
from nereus.config.measured import Ended
from nereus.daemon.page.job.resizes import MOST_RESIZES, Resize, facts_of_report
from nereus.stages import COMPUTE, FILES

#: Of the file at one look; the rest is for the next.
MOST_AT_ONCE = 8 << 20
#: Of a file that is longer when the page is opened, beside its header.
MOST_BEFORE = 64 << 20
_LONGEST_LINE = 64 << 20
#: Generations of which stages are kept.
MOST_GENERATIONS = 50

_MESSAGES = {"p2p", "bcast", "allgather", "reduce", "allreduce"}


@dataclass(frozen=True)
class Point:
    """An iteration was done, which took rank 0 so many seconds; `iteration`: how many are done."""

    time_unix: float
    iteration: int
    ranks: int
    seconds: float


@dataclass
class StageTimes:
    """Of one generation; seconds are sums over its iterations, in the mean of its ranks."""

    generation: int
    ranks: int | None
    iterations: int = 0
    seconds: float = 0.0
    parts: dict[tuple[str, str], float] = field(default_factory=dict)  # by name and kind

    def add(self, name: str, kind: str, seconds: float) -> None:
        self.parts[name, kind] = self.parts.get((name, kind), 0.0) + seconds

    def document(self) -> dict[str, Any]:
        """Seconds of an iteration; what is in no stage is `other`."""
        each = max(1, self.iterations)
        parts = [
            {"name": name, "kind": kind, "seconds": seconds / each}
            for (name, kind), seconds in self.parts.items()
        ]
        rest = (self.seconds - sum(self.parts.values())) / each
        if rest > 0:
            parts.append({"name": "other", "kind": "other", "seconds": rest})
        keys = {"generation": self.generation, "ranks": self.ranks, "iterations": self.iterations}
        return {**keys, "seconds": self.seconds / each, "parts": parts}


class Results:
    """Follows one file; one that is not there yet, or that cannot be read, has told nothing yet."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.resizes: deque[Resize] = deque(maxlen=MOST_RESIZES)
        #: By generation.
        self.stages: dict[int, StageTimes] = {}
        self.is_finished = False
        #: Why it tells nothing, if that is so.
        self.trouble = ""
        self._position, self._rest = 0, b""
        self._began_unix = 0.0
        self._is_measured = False
        self._run: events.Run | None = None
        self._points: list[Point] = []
        self._handlers = {
            **{"header": self._take_header, "committed": self._take_committed},
            **{"resize_undone": self._take_undone, "finished": self._take_finished},
            **{"generation_ended": self._take_generation_ended, "progress": self._take_progress},
            **{"iteration": self._take_iteration, "generation_started": self._take_generation},
        }

    def read_so_far(self) -> list[Point]:
        """All that is there; of a very long file the header and the latest."""
        found: list[Point] = []
        while True:
            before = self._position
            found += self.look()
            size = self._size()
            if self._position == before or self._position >= size:
                return found
            if size - self._position > MOST_BEFORE:
                # In the middle of a line, which is passed over.
                self._position, self._rest = size - MOST_BEFORE, b""

    def look(self) -> list[Point]:
        """Iterations that were written since the last look."""
        try:
            content = self._read()
        except OSError as problem:
            self.trouble = f"{self.path}: cannot be read: {problem.strerror}"
            return []
        *lines, self._rest = (self._rest + content).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            self._rest = b""
        for line in lines:
            self._take(line)
        found, self._points = self._points, []
        return found

    @property
    def has_iterations(self) -> bool:
        """Whether it tells of iterations while they are made."""
        return self._run is not None

    def documents_of_stages(self) -> list[dict[str, Any]]:
        """Of generations whose iterations were told, in order."""
        return [times.document() for _, times in sorted(self.stages.items()) if times.iterations > 0]

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def _read(self) -> bytes:
        with open(self.path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(0, "is no regular file")
            file.seek(self._position)
            content = file.read(MOST_AT_ONCE)
        self._position += len(content)
        return content

    def _take(self, line: bytes) -> None:
        try:
            value = json.loads(line)
            handler = self._handlers.get(value["event"])
            if handler is not None:
                handler(value)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError, ValidationError, OverflowError):
            return

    def _take_header(self, value: dict[str, Any]) -> None:
        self._is_measured = value["format"] == "nereus-measured"
        if self._is_measured:
            return
        self._began_unix = _number(value["started_unix"])
        self._run = events.Header.model_validate(value).run

    def _time(self, value: dict[str, Any]) -> float:
        """By the clock of the job's host; measured files tell it as it is."""
        return self._began_unix + _number(value["time"])

    def _take_committed(self, value: dict[str, Any]) -> None:
        self._resized(value, True)

    def _take_undone(self, value: dict[str, Any]) -> None:
        self._resized(value, False)

    def _resized(self, value: dict[str, Any], is_done: bool) -> None:
        before, ranks = _count(value["from"]), _count(value["to"])
        at = self._time(value)
        self.resizes.append(Resize(at, before, ranks, "results", is_done, facts_of_report(value)))

    def _take_finished(self, value: dict[str, Any]) -> None:
        self.is_finished = True

    def _take_progress(self, value: dict[str, Any]) -> None:
        told = events.Progress.model_validate(value)
        self._points.append(Point(self._time(value), told.iteration, told.ranks, told.seconds))

    def _take_generation(self, value: dict[str, Any]) -> None:
        told = events.GenerationStarted.model_validate(value)
        self._stages_of(told.generation).ranks = told.ranks

    def _take_iteration(self, value: dict[str, Any]) -> None:
        told = events.Iteration.model_validate(value)
        if self._run is None:
            return
        stages = self._run.phases[told.phase].stages
        times = self._stages_of(told.generation)
        times.iterations += 1
        times.seconds += told.seconds
        for stage, seconds in zip(stages, told.stage_seconds, strict=True):
            times.add(stage.type, _kind_of_type(stage.type), seconds)

    def _take_generation_ended(self, value: dict[str, Any]) -> None:
        told = Ended.model_validate(value)
        times = StageTimes(told.generation, told.ranks, told.iterations, _mean(told.iteration_total_seconds))
        for stage in told.stages:
            times.add(stage.name, _kind_of_measured(stage.kind), _mean(stage.total_seconds))
        self.stages[told.generation] = times
        self._forget()

    def _stages_of(self, generation: int) -> StageTimes:
        made = self.stages.setdefault(generation, StageTimes(generation, None))
        self._forget()
        return made

    def _forget(self) -> None:
        for old in sorted(self.stages)[:-MOST_GENERATIONS]:
            del self.stages[old]


def file_in(command: Sequence[str], folder: Path) -> Path | None:
    """The file that the command of a job says it writes: an emulation's results, or the setting `results`."""
    is_emulation = bool(command) and Path(command[0]).name == "nereus-emulator"
    names = ("--results", "--nereus-results") if is_emulation else ("--nereus-results",)
    for name in names:
        for index, word in enumerate(command):
            if word.startswith(f"{name}=") and word != f"{name}=":
                return folder / word.removeprefix(f"{name}=")
            if word == name and index + 1 < len(command) and command[index + 1]:
                return folder / command[index + 1]
    return None


def _without_waiting(path: str, flags: int) -> int:
    """A pipe that nobody writes to is not waited for."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)


def _kind_of_type(stage: str) -> str:
    if stage in FILES:
        return "I/O"
    return "computation" if stage in COMPUTE else "communication"


def _kind_of_measured(kind: str) -> str:
    if kind in {"write", "read"}:
        return "I/O"
    return "communication" if kind in _MESSAGES else "computation"


def _mean(numbers: Sequence[float | None]) -> float:
    """A rank that never had it took no time for it."""
    return sum(number or 0.0 for number in numbers) / len(numbers)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    number = float(value)
    if not math.isfinite(number):
        raise ValueError
    return number


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**31:
        raise ValueError
    return value
