# SPDX-License-Identifier: BSD-3-Clause
"""How far a row of trials is: a bar on a terminal's stderr, a line now and then elsewhere."""

import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from nereus.analysis.report.console import PlainConsole
from nereus.cli.messages import note

LINE_EVERY_SECONDS = 10.0


class TrialBar:
    """Use it in a `with` statement; the bar is gone at its end."""

    def __init__(self, title: str, trials: int, quiet: bool = False) -> None:
        """`title`: what is tried; `trials`: how often; `quiet`: nothing is shown."""
        console = PlainConsole(stderr=True)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[latest]}"),
        )
        self._title, self._trials, self._done = title, trials, 0
        self._says_lines = not (quiet or console.is_terminal)
        is_hidden = quiet or not console.is_terminal
        self._progress = Progress(*columns, console=console, transient=True, disable=is_hidden)
        self._task = self._progress.add_task(title, total=trials, latest="")
        self._next_line = time.monotonic() + LINE_EVERY_SECONDS

    def __enter__(self) -> Self:
        """Show it."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take it away."""
        self._progress.stop()

    def advance(self, latest: str) -> None:
        """One more trial is over."""
        self._done += 1
        self._progress.update(self._task, advance=1, latest=latest)
        if self._says_lines and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINE_EVERY_SECONDS
            note(f"{self._title}: {self._done} of {self._trials}, {latest}")
