# SPDX-License-Identifier: BSD-3-Clause
"""What nobody waits for: generators that go on by a step in each turn."""

from nereus.allocation.growths import Steps


class UnderWay:
    def __init__(self) -> None:
        self._all: list[Steps] = []

    def begin(self, steps: Steps) -> None:
        """From the next turn on."""
        self._all.append(steps)

    def turn(self) -> None:
        """One step of each."""
        self._all = [steps for steps in self._all if next(steps, steps) is None]

    def close(self) -> None:
        """None goes on."""
        for steps in self._all:
            steps.close()
        self._all.clear()
