# SPDX-License-Identifier: BSD-3-Clause
"""How often a job may be started again: a program that fails by itself at the same place is not for ever."""

import math
import time
from collections import deque


class RecoveryLimit:
    """Of one job."""

    def __init__(self, most: int, window: float) -> None:
        """At most so many within `window` seconds, which may be infinite; 0: none."""
        self.most = most
        self._window = window
        self._begun: deque[float] = deque()
        #: All, whenever they were.
        self.number = 0

    @property
    def refusal(self) -> str:
        """Why there is none now; "" where there may be one."""
        now = time.monotonic()
        while self._begun and now - self._begun[0] > self._window:
            self._begun.popleft()
        if len(self._begun) < self.most:
            return ""
        within = f" in the last {self._window:g} s" if math.isfinite(self._window) else ""
        return f"it is not started again: it was {len(self._begun)} times{within}"

    def count(self) -> None:
        """One begins."""
        self._begun.append(time.monotonic())
        self.number += 1
