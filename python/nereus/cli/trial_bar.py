# SPDX-License-Identifier: BSD-3-Clause
"""How far a row of trials is."""

from nereus.cli.progress_bar import ProgressBar

LINE_EVERY_SECONDS = 10.0


class TrialBar(ProgressBar):
    """Use it in a `with` statement; the bar is gone at its end."""

    def __init__(self, title: str, trials: int, quiet: bool = False) -> None:
        """`title`: what is tried; `trials`: how often; `quiet`: nothing is shown."""
        super().__init__(title, LINE_EVERY_SECONDS, quiet)
        self._trials, self._done = trials, 0
        self._progress.update(self._task, total=trials)

    def advance(self, latest: str) -> None:
        """One more trial is over."""
        self._done += 1
        self.are_done(self._done, self._trials, latest)
