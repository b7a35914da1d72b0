# SPDX-License-Identifier: BSD-3-Clause
"""In the place of the module `time`."""


class PassingTime:
    """Passes only when somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
