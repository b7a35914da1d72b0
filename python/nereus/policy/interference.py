# SPDX-License-Identifier: BSD-3-Clause
"""Where predicted I/O phases of different jobs meet (paper, section 4.2 and Fig. 5)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, takewhile

import numpy as np

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
    every = (_phase(job, prediction, number, uncertainty) for number in count())
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


def next_conflicts(predictions: Mapping[str, Prediction], uncertainty: float) -> Iterator[Conflict]:
    """Of the next phase of each job with the first of each other job that it meets, the earliest first.

    However far apart periods are: phases that nobody meets are not gone through.
    """
    names = list(predictions)
    period = np.array([found.period for found in predictions.values()])
    start, end = np.array([found.phase(0, uncertainty) for found in predictions.values()]).reshape(-1, 2).T
    ahead = np.maximum(0, np.floor((start[:, None] - end) / period) + 1)  # of the column's job, to the row's
    meet = (start + ahead * period < end[:, None]) & ~np.eye(len(names), dtype=bool)
    rows, columns = np.nonzero(meet)
    begin = np.maximum(start[rows], start[columns] + ahead[rows, columns] * period[columns])
    seen = set()
    for index in np.argsort(begin, kind="stable"):
        row, column = int(rows[index]), int(columns[index])
        numbers = ((names[row], 0), (names[column], int(ahead[row, column])))
        first, second = sorted(_phase(name, predictions[name], each, uncertainty) for name, each in numbers)
        if first.meets(second) and (first, second) not in seen:
            seen.add((first, second))
            yield Conflict(first, second)


def meet(one: Prediction, other: Prediction, number: int, uncertainty: float) -> bool:
    """Whether any of the next phases of two jobs do, of each so many."""
    for each in range(number):
        begin, end = one.phase(each, uncertainty)
        nearest = max(0, int((begin - other.phase(0, uncertainty)[1]) // other.period + 1))
        if nearest < number and other.phase(nearest)[0] < end:
            return True
    return False


def _phase(job: str, prediction: Prediction, number: int, uncertainty: float) -> Phase:
    return Phase(*prediction.phase(number, uncertainty), job, number)


def collides(phase: Phase, others: Iterable[Phase]) -> Phase | None:
    """The first of other jobs that it meets."""
    return min((other for other in others if other.job != phase.job and phase.meets(other)), default=None)
