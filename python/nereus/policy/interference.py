# SPDX-License-Identifier: BSD-3-Clause
"""Where predicted I/O phases of different jobs meet (paper, section 4.2 and Fig. 5)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, takewhile

from nereus.policy.prediction import Prediction


@dataclass(frozen=True, order=True)
class Phase:
    """`number`: 0 for the next of the job."""

    start: float
    end: float
    job: str
    number: int = 0

    def meets(self, other: "Phase") -> bool:
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True)
class Conflict:
    """`first` begins before `second`, or at the same time."""

    first: Phase
    second: Phase

    @property
    def overlap(self) -> float:
        return min(self.first.end, self.second.end) - self.second.start


def phases(job: str, prediction: Prediction, until: float, uncertainty: float) -> Iterator[Phase]:
    """The predicted ones that begin before `until`."""
    every = (Phase(*prediction.phase(number, uncertainty), job, number) for number in count())
    yield from takewhile(lambda phase: phase.start < until, every)


def conflicts(predictions: Mapping[str, Prediction], until: float, uncertainty: float) -> Iterator[Conflict]:
    """Of phases that begin before `until`, the earliest first."""
    every = sorted(
        phase for job, found in predictions.items() for phase in phases(job, found, until, uncertainty)
    )
    under_way: list[Phase] = []
    for phase in every:
        under_way = [earlier for earlier in under_way if earlier.end > phase.start]
        yield from (Conflict(earlier, phase) for earlier in under_way if earlier.job != phase.job)
        under_way.append(phase)


def collides(phase: Phase, others: Iterable[Phase]) -> Phase | None:
    """The first of other jobs that it meets."""
    return min((other for other in others if other.job != phase.job and phase.meets(other)), default=None)
