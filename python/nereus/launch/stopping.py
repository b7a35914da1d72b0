# SPDX-License-Identifier: BSD-3-Clause
"""A wish to stop, by Ctrl-C or a batch system's SIGTERM, noted instead of acted upon.

An exception out of a signal handler could strike while a job is being started or ended; a note is read where
the program is ready for it. Work that starts nothing may be left anywhere: there, a signal is an exception.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(BaseException):
    """Somebody asked this process to end; whoever catches it ends it."""

    def __init__(self, number: signal.Signals) -> None:
        """By that signal."""
        super().__init__(number.name)
        self.exit_code = 128 + number


@contextmanager
def left_when_stopped() -> Iterator[None]:
    """In this block, but for blocks of Stopping within, the first signal that asks to end raises Stopped."""
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    wanted = {number: old for number, old in handlers.items() if old is not signal.SIG_IGN}

    def stop(number: int, frame: FrameType | None) -> None:
        for each in wanted:
            signal.signal(each, signal.SIG_IGN)  # what tidies up must not be left as well
        raise Stopped(signal.Signals(number))

    try:
        for number in wanted:
            signal.signal(number, stop)
        yield
    finally:
        for number, old in wanted.items():
            signal.signal(number, signal.SIG_DFL if old is None else old)


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
