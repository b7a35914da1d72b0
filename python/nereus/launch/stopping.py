# SPDX-License-Identifier: BSD-3-Clause
"""A wish to stop, by Ctrl-C or a batch system's SIGTERM, noted instead of acted upon.

An exception out of a signal handler could strike while a job is being started or ended; a note is read where
the program is ready for it.
"""

import signal
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopping:
    """In a `with` block, notes the first signal that asks this process to end."""

    def __init__(self) -> None:
        """No signal so far."""
        self.signal: signal.Signals | None = None
        self._former: dict[signal.Signals, Any] = {}

    @property
    def exit_code(self) -> int:
        """What a shell expects of a process that ended because of the signal."""
        return 128 + (self.signal or 0)

    @property
    def text(self) -> str:
        """The signal's name."""
        return self.signal.name if self.signal else "no signal"

    def __enter__(self) -> Self:
        """Take over the signals, but not those that are ignored, as SIGHUP under nohup."""
        wanted = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        self._former = {number: signal.signal(number, self._note) for number in wanted}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the signals back, but those that a preloaded library took before Python began."""
        for number, handler in self._former.items():
            if handler is not None:
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.signal = self.signal or signal.Signals(number)
