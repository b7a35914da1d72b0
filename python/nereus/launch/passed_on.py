# SPDX-License-Identifier: BSD-3-Clause
"""Signals that are for the application: launchers pass them on to its processes, and so do we.

A batch system sends one before a job's time is over (sbatch(1), --signal).
"""

import signal
from collections.abc import Collection

from nereus.launch.noted_signals import NotedSignals


class PassedOn(NotedSignals):
    """Notes those that come."""

    def __init__(self, but_for: Collection[signal.Signals] = ()) -> None:
        """`but_for`: those that mean something else here."""
        super().__init__([each for each in (signal.SIGUSR1, signal.SIGUSR2) if each not in but_for])
        self._noted: list[signal.Signals] = []

    def take(self) -> list[signal.Signals]:
        """Those that came since this was asked last, in their order."""
        taken, self._noted = self._noted, []
        return taken

    def _note(self, number: signal.Signals) -> None:
        self._noted.append(number)
