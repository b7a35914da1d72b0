# SPDX-License-Identifier: BSD-3-Clause
"""Signals that are noted in a block, instead of acted upon.

An exception out of a signal handler could strike while a job is being started or ended; a note is read where
the program is ready for it.
"""

import signal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any, Self


class NotedSignals(ABC):
    """To be used in a `with` statement."""

    def __init__(self, signals: Sequence[signal.Signals]) -> None:
        self._signals = signals
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Take over the signals, but not those that are ignored, as SIGHUP under nohup."""
        wanted = [number for number in self._signals if signal.getsignal(number) is not signal.SIG_IGN]
        self._former = {number: signal.signal(number, self._handle) for number in wanted}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the signals back, but those that a preloaded library took before Python began."""
        for number, handler in self._former.items():
            if handler is not None:
                signal.signal(number, handler)

    @abstractmethod
    def _note(self, number: signal.Signals) -> None: ...

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._note(signal.Signals(number))
