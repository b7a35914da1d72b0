# SPDX-License-Identifier: BSD-3-Clause
"""Moves an I/O phase out of the way of another: its job has more ranks from now until right before that
phase.

Algorithm 3 and equation 2 of the paper (section 4.2.1, Figs. 6 to 9). Where the shifted phase would meet
a third one, the paper does nothing; here it is shifted past that one too, and then the other job is
tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from nereus.policy.interference import Conflict, Phase, collides, phases
from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.performance import fewest_ranks
from nereus.policy.prediction import Prediction


@dataclass(frozen=True)
class Shift:
    """`job` grows by `ranks` at the checkpoint of iteration `grow_at` and gives them back at that of
    `restore_at`, so that its phase begins `seconds` earlier.
    """

    job: str
    ranks: int
    grow_at: int
    restore_at: int
    seconds: float


@dataclass(frozen=True)
class NotPossible:
    """Why, for each job that was tried."""

    reasons: tuple[str, ...]


def select(conflict: Conflict, first: Prediction, second: Prediction, parameters: Parameters) -> Phase:
    """Which of two phases is to be shifted: of similar periods the shorter, so that the distance grows
    with every phase; of equal or very different ones the first, which is the smaller shift.
    """
    difference = abs(first.period - second.period) / max(first.period, second.period)
    if parameters.equal_periods < difference <= parameters.similar_periods:
        return conflict.first if first.period < second.period else conflict.second
    return conflict.first


def reduction(shift: float, overhead: float, uncertainty: float) -> float:
    """How much less the job may compute, s: two resizes take their time too."""
    return shift + 2 * overhead + uncertainty


def relative_speedup(original: float, less: float) -> float | None:
    """Equation 2; None where nothing would be left."""
    return original / (original - less) if less < original else None


def shift(conflict: Conflict, jobs: Sequence[Job], parameters: Parameters) -> Shift | NotPossible:
    """What avoids a conflict, of which one phase at least is the next of its job."""
    by_name = {job.name: job for job in jobs}
    first, second = by_name[conflict.first.job], by_name[conflict.second.job]
    if unsure := [f"{job.name}: {_doubt(job)}" for job in (first, second) if not _is_sure(job, parameters)]:
        return NotPossible(tuple(unsure))
    chosen = select(conflict, _predicted(first), _predicted(second), parameters)
    order = [(conflict.first, first, conflict.second), (conflict.second, second, conflict.first)]
    if chosen is conflict.second:
        order.reverse()
    reasons = []
    for phase, job, other in order:
        found = _Shifting(job, phase, jobs, parameters).past(other)
        if isinstance(found, Shift):
            return found
        reasons.append(f"{phase.job}: {found}")
    return NotPossible(tuple(reasons))


def _predicted(job: Job) -> Prediction:
    if job.prediction is None:
        raise ValueError(f"{job.name}: has no prediction and so no conflict")
    return job.prediction


def _is_sure(job: Job, parameters: Parameters) -> bool:
    return _predicted(job).confidence >= parameters.least_confidence


def _doubt(job: Job) -> str:
    return f"its phases are predicted with a confidence of {_predicted(job).confidence:.2f} only"


class _Shifting:
    """Of one phase."""

    def __init__(self, job: Job, phase: Phase, jobs: Sequence[Job], parameters: Parameters) -> None:
        self.job, self.phase, self.parameters = job, phase, parameters
        self.prediction = _predicted(job)
        self.others = [
            each
            for other in jobs
            if other.name != job.name and other.prediction is not None
            for each in phases(other.name, other.prediction, phase.end, parameters.uncertainty)
        ]
        iterations = self.prediction.stride
        self.iteration_seconds = (self.prediction.period - self.prediction.duration) / iterations
        self.begin = job.next_checkpoint + job.lag  # when it has the ranks, told so at the next checkpoint
        self.latest = job.last_checkpoint_before(self.prediction.next_iteration)

    def past(self, other: Phase) -> Shift | str:
        """By the least that lets the phase end before `other` begins, and meet no third one where it
        comes to lie.
        """
        if self.phase.number > 0:
            return "its next phase is an earlier one"
        blocking: Phase | None = other
        while blocking is not None:
            # Both cases of the paper, Figs. 7 and 8.
            found = self._by(self.phase.end - blocking.start)
            if isinstance(found, str):
                return found
            end = min(self.phase.end - found.seconds, blocking.start)
            span = self.phase.end - self.phase.start
            blocking = collides(Phase(end - span, end, self.job.name), self.others)
        return found

    def _by(self, seconds: float) -> Shift | str:
        """By no less. Whole ranks win more than is needed: they are given back as soon as that is won."""
        job = self.job
        original = (self.latest - self.begin) * self.iteration_seconds
        more = self._ranks(original, seconds)
        if isinstance(more, str):
            return more
        less = reduction(seconds, job.overhead(more), self.parameters.uncertainty)
        won = self.iteration_seconds * (
            1 - job.between.seconds(job.ranks + more) / job.between.seconds(job.ranks)
        )
        needed = self.begin + ceil(less / won * (1 - 1e-12))
        restore_at = min(self.latest, job.last_checkpoint_before(needed) + job.checkpoint_every)
        net = (restore_at - self.begin) * won - 2 * job.overhead(more)
        return Shift(job.name, more, job.next_checkpoint, restore_at, net)

    def _not_fast_enough(self, speedup: float) -> str:
        job = self.job
        if set(job.measured) == {job.ranks}:
            return f"how fast it is on other numbers of ranks than {job.ranks} is not known"
        return f"no {job.most} ranks are {speedup:.2f} times as fast as {job.ranks}"

    def _ranks(self, original: float, seconds: float) -> int | str:
        """More of them take longer to come: asked for again until that is paid for, too."""
        job, more = self.job, 0
        while True:
            less = reduction(seconds, job.overhead(more), self.parameters.uncertainty)
            speedup = relative_speedup(original, less)
            if speedup is None and original <= 0:
                return "no checkpoint is left before its phase at which it would have more ranks"
            if speedup is None:
                return f"{less:.1f} s less than {original:.1f} s of computing are needed"
            ranks = fewest_ranks(job.between, job.between.seconds(job.ranks) / speedup, job.most)
            if ranks is None or ranks <= job.ranks:
                return self._not_fast_enough(speedup)
            if ranks - job.ranks <= more:
                return more
            more = ranks - job.ranks
