# SPDX-License-Identifier: BSD-3-Clause
"""How many jobs have ended, told a few times a second: who is told may be another process, or a terminal."""

import time
from collections.abc import Callable

_TELL_SECONDS = 0.1


class Stopped(Exception):
    """The user wants an end; a simulation is left in its middle."""


class Ends:
    """Is called at the end of each job; `stopped` is asked as often as `tell` is told how many more ended."""

    def __init__(self, tell: Callable[[int], None], stopped: Callable[[], bool] = lambda: False) -> None:
        self._tell, self._stopped = tell, stopped
        self._count = 0
        self._next = time.monotonic() + _TELL_SECONDS

    def __call__(self) -> None:
        """One more has; Stopped where the user wants an end."""
        self._count += 1
        if time.monotonic() >= self._next:
            self.tell_rest()
            if self._stopped():
                raise Stopped

    def tell_rest(self) -> None:
        """Those of which nobody was told so far."""
        self._tell(self._count)
        self._count = 0
        self._next = time.monotonic() + _TELL_SECONDS
