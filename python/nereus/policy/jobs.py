# SPDX-License-Identifier: BSD-3-Clause
"""What a decision has to know of a job that runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nereus.policy.performance import Performance
from nereus.policy.prediction import Prediction


@dataclass(frozen=True)
class Job:
    """`most`: ranks that it may have with the cores that are free now, `ever`: with any number of them;
    `came_with`: that it had when it came; None: not known, of both. `between`: its time from one I/O phase to
    the next, without them, or of one iteration where it has no I/O; `overhead`: seconds that a resize by so
    many ranks takes; checkpoints at multiples of `checkpoint_every`; `resizing`: it was told to and is not
    done yet, or refused just now; `lag`: iterations by which more ranks come later than they were to, as
    where they start beside the computing; `measured`: how many times of iterations are known of each number
    of ranks; `communication_share`: of its latest iterations on rank 0, None where the application marks no
    stages.
    """

    name: str
    ranks: int
    most: int
    iteration: int
    prediction: Prediction | None
    between: Performance
    overhead: Callable[[int], float]
    checkpoint_every: int = 1
    resizing: bool = False
    lag: int = 0
    measured: Mapping[int, int] = field(default_factory=dict)
    communication_share: float | None = None
    came_with: int | None = None
    ever: int | None = None

    @property
    def next_checkpoint(self) -> int:
        return (self.iteration // self.checkpoint_every + 1) * self.checkpoint_every

    def last_checkpoint_before(self, iteration: int) -> int:
        return (iteration - 1) // self.checkpoint_every * self.checkpoint_every
