# SPDX-License-Identifier: BSD-3-Clause
"""How far a compilation is: a bar on a terminal's stderr, a line now and then elsewhere."""

import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from nereus.analysis.report.console import PlainConsole
from nereus.cli.messages import note

_LINE_EVERY_SECONDS = 30.0


class StepBar:
    """Use it in a `with` statement; the bar is gone at its end."""

    def __init__(self, title: str) -> None:
        console = PlainConsole(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._says_lines = not console.is_terminal
        self._task = self._progress.add_task(title, total=None)
        self._title = title
        self._next_line = time.monotonic() + _LINE_EVERY_SECONDS

    def __enter__(self) -> Self:
        """Show it."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take it away."""
        self._progress.stop()

    def are_done(self, done: int, of: int) -> None:
        """So many steps are, of so many."""
        self._progress.update(self._task, completed=done, total=of)
        if self._says_lines and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _LINE_EVERY_SECONDS
            note(f"{self._title}: {done} of {of}")
