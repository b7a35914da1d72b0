# SPDX-License-Identifier: BSD-3-Clause
"""What a run does right now: follows its growing result file and tells iteration, ranks, time left, resizes.

On a terminal a bar with the resizes above it; elsewhere a plain line now and then; nothing when quiet.
Damaged lines are passed over: `read` names them when the run is over.
"""

import json
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TextIO

from pydantic import ValidationError
from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from nereus import printable
from nereus.analysis.report import events
from nereus.analysis.report.console import PlainConsole
from nereus.analysis.report.recoveries import died_text
from nereus.analysis.report.units import duration_text, ranks_text, seconds_text

POLL_SECONDS = 0.1
PLAIN_LINE_EVERY_SECONDS = 5.0
# Iterations of the present generation that the time left is estimated from: enough to even out a slow one.
ESTIMATE_FROM = 20


class Tail:
    """The whole lines that were appended to a file since the last look; it need not be there yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._position, self._rest = 0, b""

    def lines(self) -> list[bytes]:
        if self._file is None:
            try:
                self._file = self._path.open("rb")
            except FileNotFoundError:
                return []
            self._file.seek(self._position)
        *whole, self._rest = (self._rest + self._file.read()).split(b"\n")
        return whole

    def close(self) -> None:
        """Until the next look, which begins behind the last whole line."""
        if self._file is not None:
            self._position = self._file.tell() - len(self._rest)
            self._file.close()
        self._file, self._rest = None, b""


class State:
    """What the events so far tell."""

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations
        self.last: events.Progress | None = None
        self._ready: dict[int, float] = {}
        self._recent: deque[tuple[float, int]] = deque(maxlen=ESTIMATE_FROM)

    def take(self, event: events.Event) -> str | None:
        """Note an event; the line that people should read about it, if it is worth one."""
        if isinstance(event, events.GenerationStarted):
            self._recent.clear()
        elif isinstance(event, events.Progress):
            self.last, self.iterations = event, event.iterations
            self._recent.append((event.time, event.iteration))
        elif isinstance(event, events.Failure):
            return f"{died_text(event)} at the beginning of iteration {event.iteration}"
        elif isinstance(event, events.Resumed):
            return f"goes on from iteration {event.iteration}, with {ranks_text(event.ranks)}"
        elif isinstance(event, events.ProcessesReady):
            self._ready[event.request] = event.seconds
        elif isinstance(event, events.Committed):
            return self._committed(event)
        elif isinstance(event, events.ResizeUndone):
            return f"resize {event.from_} → {event.to} ranks rolled back while {event.state}: {event.reason}"
        return None

    def _committed(self, event: events.Committed) -> str:
        making = seconds_text(self._ready.get(event.request))
        pause = seconds_text(event.pause_seconds)
        return f"resized {event.from_} → {event.to} ranks: pause {pause} (processes {making})"

    @property
    def done(self) -> int:
        return self.last.iteration if self.last else 0

    @property
    def seconds_left(self) -> float | None:
        """If iterations go on to last as long as the recent ones of this generation; None: not known yet."""
        if self.last is None:
            return None
        return self._seconds_each(self.last) * max(0, self.iterations - self.last.iteration)

    def _seconds_each(self, latest: events.Progress) -> float:
        """Of the recent iterations; of the latest one while a generation has none or one to show."""
        if len(self._recent) < 2:
            return latest.seconds
        (first_time, first), (last_time, last) = self._recent[0], self._recent[-1]
        return (last_time - first_time) / (last - first) if last > first else latest.seconds

    def text(self) -> str:
        if self.last is None:
            return "starting"
        ranks, last = ranks_text(self.last.ranks), seconds_text(self.last.seconds)
        left = duration_text(self.seconds_left or 0.0)
        return f"iteration {self.done}/{self.iterations} · {ranks} · last {last} · ETA {left}"


class View(Protocol):
    """Where progress is shown."""

    def opened(self) -> AbstractContextManager[object]: ...
    def tell(self, line: str) -> None: ...
    def update(self, state: State) -> None: ...


class Quiet:
    """Shows nothing."""

    def opened(self) -> AbstractContextManager[object]:
        return nullcontext()

    def tell(self, line: str) -> None:
        pass

    def update(self, state: State) -> None:
        pass


class Plain:
    """Lines for a log: resizes at once, the state now and then."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._next = clock() + PLAIN_LINE_EVERY_SECONDS

    def opened(self) -> AbstractContextManager[object]:
        return nullcontext()

    def tell(self, line: str) -> None:
        print(printable(line), file=self._stream, flush=True)

    def update(self, state: State) -> None:
        if state.last is not None and self._clock() >= self._next:
            self._next = self._clock() + PLAIN_LINE_EVERY_SECONDS
            self.tell(state.text())


class Bar:
    """A live line on a terminal, which disappears at the end."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, transient=True, auto_refresh=False)

    def opened(self) -> AbstractContextManager[object]:
        return self._live

    def tell(self, line: str) -> None:
        self._console.print(Text(line, style="yellow"))

    def update(self, state: State) -> None:
        line = Table.grid(padding=(0, 1))
        text = Text(state.text(), no_wrap=True, overflow="ellipsis")
        line.add_row(ProgressBar(max(state.iterations, 1), state.done, width=20), text)
        self._live.update(line, refresh=True)


class Progress:
    """Shows a run while it goes on."""

    def __init__(self, run: Mapping[str, Any], *, quiet: bool = False, stream: TextIO | None = None) -> None:
        """`run`: the run file's document (docs/formats/run.md); `stream`: stderr when not given."""
        self.state = State(sum(phase["iterations"] for phase in run["phases"]))
        self._view: View = Quiet() if quiet else _view(stream or sys.stderr)
        self._tail: Tail | None = None

    def follow(
        self, path: Path, alive: Callable[[], bool], wait: Callable[[float], object] = time.sleep
    ) -> None:
        """Show what is appended to the result file `path` until `alive` says that the run is over.

        Between two looks `wait` is called with a number of seconds: a supervisor has other things to do then.
        Called again for a job that continues, it shows what comes behind what it has shown.
        """
        tail = self._tail = self._tail or Tail(path)
        try:
            with self._view.opened():
                while alive():
                    self._look(tail)
                    wait(POLL_SECONDS)
                self._look(tail)
        finally:
            tail.close()

    def _look(self, tail: Tail) -> None:
        for event in _events(tail.lines()):
            if line := self.state.take(event):
                self._view.tell(line)
        self._view.update(self.state)


def _view(stream: TextIO) -> View:
    console = PlainConsole(file=stream)
    return Bar(console) if console.is_terminal and not console.is_dumb_terminal else Plain(stream)


def _events(lines: list[bytes]) -> Iterator[events.Event]:
    for line in lines:
        try:
            value = json.loads(line)
            yield events.KINDS[value["event"]].model_validate(value)
        except (ValueError, KeyError, TypeError, RecursionError, ValidationError):
            continue
