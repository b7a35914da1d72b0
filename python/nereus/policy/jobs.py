# SPDX-License-Identifier: BSD-3-Clause
"""What a decision has to know of a job that runs."""

from collections.abc import Callable
from dataclasses import dataclass

from nereus.policy.performance import Performance
from nereus.policy.prediction import Prediction


@dataclass(frozen=True)
class Job:
    """`most`: ranks that it may have; `between`: its time from one I/O phase to the next, without them;
    `overhead`: seconds that a resize by so many ranks takes; checkpoints at multiples of `checkpoint_every`.
    """

    name: str
    ranks: int
    most: int
    iteration: int
    prediction: Prediction | None
    between: Performance
    overhead: Callable[[int], float]
    checkpoint_every: int = 1

    @property
    def next_checkpoint(self) -> int:
        return (self.iteration // self.checkpoint_every + 1) * self.checkpoint_every

    def last_checkpoint_before(self, iteration: int) -> int:
        return (iteration - 1) // self.checkpoint_every * self.checkpoint_every
