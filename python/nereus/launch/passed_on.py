# SPDX-License-Identifier: BSD-3-Clause
"""Signals that are for the application: launchers pass them on to its processes, and so do we.

A batch system sends one before a job's time is over (sbatch(1), --signal).
"""

import signal
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGUSR1, signal.SIGUSR2)


class PassedOn:
    """In a `with` block, notes them instead of dying of them."""

    def __init__(self) -> None:
        """None so far."""
        self._noted: list[signal.Signals] = []
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Take over the signals, but not those that are ignored."""
        wanted = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        self._former = {number: signal.signal(number, self._note) for number in wanted}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give them back, but those that a preloaded library took before Python began."""
        for number, handler in self._former.items():
            if handler is not None:
                signal.signal(number, handler)

    def take(self) -> list[signal.Signals]:
        """Those that came since this was asked last, in their order."""
        taken, self._noted = self._noted, []
        return taken

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted.append(signal.Signals(number))
