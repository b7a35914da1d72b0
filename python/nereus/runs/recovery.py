# SPDX-License-Identifier: BSD-3-Clause
"""Whether a job that failed is started again, from its latest epoch.

A program that fails by itself at the same place again is not started for ever: no more than so many times
within a window of time.
"""

import time
from collections import deque
from pathlib import Path

from nereus.epochs import Epoch, EpochsError, chosen_epoch, newest_number
from nereus.runs.ending import Ending


class Recoveries:
    """Of one job."""

    def __init__(self, most: int, window: float) -> None:
        """At most so many within `window` seconds; 0: none."""
        self.most = most
        self._window = window
        self._begun: deque[float] = deque()
        self._was_opened = False
        #: All, whenever they were.
        self.number = 0

    def next_epoch(self, ending: Ending, folder: Path | None, begun_from: Epoch | None = None) -> Epoch | str:
        """The epoch to continue from; else why the job is over, "" where nobody would ask.

        A job that saved none since it began continues from the one that it began from, which may be older
        than others in the folder: somebody chose it.
        """
        if folder is None or self.most == 0 or not ending.failed:
            return ""
        # A program that has opened the job once can: where it dies before it does so again, that is a death
        # like others.
        self._was_opened = self._was_opened or ending.was_opened
        if not self._was_opened:
            return "it is not started again: its program never opened a job"
        now = time.monotonic()
        while self._begun and now - self._begun[0] > self._window:
            self._begun.popleft()
        if len(self._begun) >= self.most:
            return f"it is not started again: it was {len(self._begun)} times in the last {self._window:g} s"
        try:
            saved = newest_number(folder) > ending.newest_before
            epoch = chosen_epoch(folder) if saved or begun_from is None else begun_from
        except EpochsError as problem:
            return f"it is not started again: {problem}"
        self._begun.append(now)
        self.number += 1
        return epoch
