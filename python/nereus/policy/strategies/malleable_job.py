# SPDX-License-Identifier: BSD-3-Clause
"""A malleable job as a strategy sees it, be it a real one or a simulated one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from nereus.policy.sharing import hull


def _no_io(ranks: int) -> float:
    return 0.0


@dataclass(frozen=True, eq=False)
class MalleableJob:
    """`least` to `most`: ranks that it may have; `preferred`: those that it asked for, or came with;
    `seconds`: that the same work takes on so many ranks, in any unit; `is_concave`: whether each further
    rank adds no more to its speed-up than the one before; `io_share`: share of its time on so many ranks that
    is I/O, which does not fall with them.
    """

    name: str
    least: int
    preferred: int
    most: int
    seconds: Callable[[int], float]
    is_concave: bool = False
    io_share: Callable[[int], float] = _no_io

    def speedup(self, ranks: int) -> float:
        """How many times as fast as on one rank it runs."""
        return self._alone / self.seconds(ranks)

    def gain(self, ranks: int, step: int) -> float:
        """Of speed-up, by the last `step` of so many ranks."""
        return self.speedup(ranks) - self.speedup(ranks - step)

    def lifted_gain(self, ranks: int, step: int) -> float:
        """The same where a later, greater gain counts from the first of the ranks that lead to it."""
        if self.is_concave:
            return self.gain(ranks, step)
        if step not in self._lifted:
            sizes = range(self.least + step, self.most + 1, step)
            self._lifted[step] = hull(self.gain(size, step) for size in sizes)
        return self._lifted[step][(ranks - self.least) // step - 1]

    @cached_property
    def _alone(self) -> float:
        return self.seconds(1)

    @cached_property
    def _lifted(self) -> dict[int, list[float]]:
        return {}
