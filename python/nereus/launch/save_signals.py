# SPDX-License-Identifier: BSD-3-Clause
"""Signals at which a job is to save an epoch and end: SIGTERM, by which batch systems end jobs; others."""

import signal
import time
from collections.abc import Callable, Collection

from nereus.launch.noted_signals import NotedSignals

#: Seconds in which several are one: `timeout` and others send a process the signal, and its group as well.
TOGETHER = 1.0


class SaveSignals(NotedSignals):
    """Notes them; who sends a second one does not want to wait for the epoch."""

    def __init__(
        self, signals: Collection[signal.Signals], now: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(tuple(signals))
        self._now, self._first_at = now, 0.0
        #: The first, and the second: one that comes at least `TOGETHER` seconds after the first.
        self.first: signal.Signals | None = None
        self.second: signal.Signals | None = None

    def _note(self, number: signal.Signals) -> None:
        if self.first is None:
            self.first, self._first_at = number, self._now()
        elif self._now() >= self._first_at + TOGETHER:
            self.second = self.second or number
