# SPDX-License-Identifier: BSD-3-Clause
"""The daemon's clock: seconds since 1970 that do not go back, so that what is stored means the same later."""

import time


class Clock:
    def __init__(self) -> None:
        self._ahead = time.time() - time.monotonic()

    def now(self) -> float:
        return self._ahead + time.monotonic()
