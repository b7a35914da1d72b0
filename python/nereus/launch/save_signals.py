# SPDX-License-Identifier: BSD-3-Clause
"""Signals at which a job is to save an epoch and end: SIGTERM, by which batch systems end jobs; others."""

import signal
from collections.abc import Collection

from nereus.launch.noted_signals import NotedSignals


class SaveSignals(NotedSignals):
    """Notes them; who sends a second one does not want to wait for the epoch."""

    def __init__(self, signals: Collection[signal.Signals]) -> None:
        super().__init__(tuple(signals))
        #: The first, and the second.
        self.first: signal.Signals | None = None
        self.second: signal.Signals | None = None

    def _note(self, number: signal.Signals) -> None:
        if self.first is None:
            self.first = number
        else:
            self.second = self.second or number
