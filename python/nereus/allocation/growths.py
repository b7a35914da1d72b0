# SPDX-License-Identifier: BSD-3-Clause
"""Growths under way: generators that go on by a step in each turn and, closed, leave nothing behind."""

from collections.abc import Generator

from nereus.allocation.contract import AllocationError, Growth, GrowthState, NotGranted

Steps = Generator[None, None, None]


class Growths:
    def __init__(self) -> None:
        self._under_way: dict[int, tuple[Growth, Steps]] = {}

    def begin(self, growth: Growth, steps: Steps) -> None:
        """`steps` lead the growth to usable; what they raise is why it failed."""
        self._under_way[id(growth)] = (growth, steps)

    def cancel(self, growth: Growth) -> None:
        """It fails, if it is under way."""
        _, steps = self._under_way.pop(id(growth), (growth, None))
        if steps is not None:
            steps.close()
            growth.to(GrowthState.FAILED, "it was cancelled")

    def turn(self) -> None:
        """One step of each."""
        for growth, steps in list(self._under_way.values()):
            try:
                next(steps)
            except StopIteration:
                del self._under_way[id(growth)]
            except (AllocationError, NotGranted) as problem:
                del self._under_way[id(growth)]
                growth.never = isinstance(problem, AllocationError)
                growth.to(GrowthState.FAILED, str(problem))

    def close(self) -> None:
        """All are cancelled."""
        for growth in [growth for growth, _ in self._under_way.values()]:
            self.cancel(growth)
