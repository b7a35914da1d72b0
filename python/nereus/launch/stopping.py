# SPDX-License-Identifier: BSD-3-Clause
"""A wish to stop, by Ctrl-C or a batch system's SIGTERM: noted; an exception where work starts nothing that
would have to be ended.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from nereus.launch.noted_signals import NotedSignals

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


class Stopping(NotedSignals):
    """Notes the first signal that asks this process to end."""

    def __init__(self) -> None:
        super().__init__(SIGNALS)
        self.signal: signal.Signals | None = None

    @property
    def exit_code(self) -> int:
        """What a shell expects of a process that ended because of the signal."""
        return 128 + (self.signal or 0)

    @property
    def text(self) -> str:
        """The signal's name."""
        return self.signal.name if self.signal else "no signal"

    def _note(self, number: signal.Signals) -> None:
        self.signal = self.signal or number
