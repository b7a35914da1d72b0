# SPDX-License-Identifier: BSD-3-Clause
"""How far something is: a bar on a terminal's stderr, a line now and then elsewhere."""

import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from nereus.analysis.report.console import PlainConsole
from nereus.cli.messages import note


class ProgressBar:
    """Use it in a `with` statement; the bar is gone at its end."""

    def __init__(self, title: str, line_every: float, quiet: bool = False) -> None:
        """`title`: what is done; `line_every`: seconds between two lines; `quiet`: nothing is shown."""
        console = PlainConsole(stderr=True)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[latest]}"),
        )
        self._title, self._line_every = title, line_every
        self._says_lines = not (quiet or console.is_terminal)
        is_hidden = quiet or not console.is_terminal
        self._progress = Progress(*columns, console=console, transient=True, disable=is_hidden)
        self._task = self._progress.add_task(title, total=None, latest="")
        self._next_line = time.monotonic() + line_every

    def __enter__(self) -> Self:
        """Show it."""
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take it away."""
        self._progress.stop()

    def are_done(self, done: int, of: int, latest: str = "") -> None:
        """So many steps are, of so many; `latest`: the one before."""
        self._progress.update(self._task, completed=done, total=of, latest=latest)
        if self._says_lines and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self._line_every
            note(", ".join(filter(None, [f"{self._title}: {done} of {of}", latest])))
