# SPDX-License-Identifier: BSD-3-Clause
"""When a job will read or write next, and for how long: from its latest I/O phases (paper, section 4.2).

Waiting for the turn is none of the job's own time: periods are those that it would have had without.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from math import sqrt
from statistics import fmean, median, pstdev

from nereus.policy.parameters import Parameters


@dataclass(frozen=True)
class IoPhase:
    """One that is over.

    `start`: when the job asked for its turn (s); `wait` and `service`: how long it waited and wrote;
    `iteration`, `ranks`: the job's when it asked; `resized`: whether it had another size since the one
    before.
    """

    start: float
    wait: float
    service: float
    iteration: int
    ranks: int
    resized: bool = False

    @property
    def end(self) -> float:
        return self.start + self.wait + self.service


@dataclass(frozen=True)
class Prediction:
    """`next_start` is that of the next phase, `period` from start to start, `stride` in iterations."""

    next_start: float
    period: float
    duration: float
    deviation: float  # of the period
    stride: int
    next_iteration: int
    confidence: float  # 0 to 1

    def phase(self, number: int, uncertainty: float = 0.0) -> tuple[float, float]:
        """Begin and end of the phase, of which 0 is the next; it may last longer by `uncertainty`."""
        start = self.next_start + number * self.period
        return start, start + self.duration + uncertainty

    def scaled(self, quotient: float) -> "Prediction":
        """For another number of ranks, with which the time between two phases is `quotient` times as long."""
        between = (self.period - self.duration) * quotient
        last_end = self.next_start - self.period + self.duration
        return Prediction(
            last_end + between,
            between + self.duration,
            self.duration,
            self.deviation,
            self.stride,
            self.next_iteration,
            self.confidence,
        )


def predict(phases: Sequence[IoPhase], parameters: Parameters | None = None) -> Prediction | None:
    """None where there are too few phases at the present number of ranks, or none follows another.

    Confidence is 1 for phases that follow each other by the same time and as many iterations, and falls
    with the spread of the periods; by how much is ours, the paper has none.
    """
    chosen = parameters or Parameters()
    recent = _at_present_size(phases)[-(chosen.window + 1) :]
    if len(recent) < chosen.least_phases:
        return None
    pairs = [(earlier, later) for earlier, later in pairwise(recent) if not later.resized]
    if not pairs:
        return None
    between = fmean([later.start - earlier.end for earlier, later in pairs])
    strides = [later.iteration - earlier.iteration for earlier, later in pairwise(recent)]
    stride, last = round(median(strides)), recent[-1]
    if not between > 0 or stride < 1:
        return None
    duration = fmean([phase.service for phase in recent])
    deviation = pstdev([later.start - earlier.start - earlier.wait for earlier, later in pairs])
    period = between + duration
    return Prediction(
        next_start=last.end + between,
        period=period,
        duration=duration,
        deviation=deviation,
        stride=stride,
        next_iteration=last.iteration + stride,
        confidence=strides.count(stride) / len(strides) / sqrt(1 + (4 * deviation / period) ** 2),
    )


def _at_present_size(phases: Sequence[IoPhase]) -> list[IoPhase]:
    """The latest without a break."""
    same = takewhile(lambda phase: phase.ranks == phases[-1].ranks, reversed(phases))
    return list(same)[::-1]
