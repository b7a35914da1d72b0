# SPDX-License-Identifier: BSD-3-Clause
"""Brings the I/O period of a job to that of another, or a multiple of it, for good: then one shift is enough.

Algorithm 4 of the paper (section 4.2.2, Fig. 10). I/O does not get faster with more ranks, so the
speed-up asked for is that of the rest of the period.
"""

from dataclasses import dataclass
from math import floor

from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.performance import fewest_ranks
from nereus.policy.prediction import Prediction


@dataclass(frozen=True)
class Coupling:
    """`job` gets `ranks` more, or fewer where that is negative, at its next checkpoint and keeps that
    size; its period is to be `period` seconds.
    """

    job: str
    ranks: int
    period: float


def couple(one: Job, other: Job, parameters: Parameters) -> Coupling | str:
    """What brings two periods together, or why nothing does."""
    for job in (one, other):
        if job.prediction is None or job.prediction.confidence < parameters.least_confidence:
            return f"{job.name}: when it writes is not known well enough"
    pairs = [(job, job.prediction) for job in (one, other) if job.prediction is not None]
    (_, fast), (longer, slow) = sorted(pairs, key=lambda pair: pair[1].period)
    wanted = fast.period * _multiple(slow.period / fast.period, parameters)
    near_enough = parameters.dead_band * fast.period  # what phases slip against each other in a period
    if abs(slow.period - wanted) <= near_enough:
        return f"{slow.period:.1f} s of {longer.name} go with {fast.period:.1f} s already"
    if slow.duration >= wanted:
        return f"the I/O of {longer.name} alone takes {slow.duration:.1f} s of {wanted:.1f} s"
    ranks = _nearest_ranks(longer, slow, wanted)
    reached = _period(longer, slow, ranks)
    if ranks == longer.ranks or abs(reached - wanted) > near_enough:
        return f"{longer.name} reaches {reached:.1f} s with {ranks} ranks, {wanted:.1f} s are wanted"
    return Coupling(longer.name, ranks - longer.ranks, reached)


def _period(job: Job, present: Prediction, ranks: int) -> float:
    between = present.period - present.duration
    return present.duration + between * job.between.seconds(ranks) / job.between.seconds(job.ranks)


def _nearest_ranks(job: Job, present: Prediction, wanted: float) -> int:
    quotient = (wanted - present.duration) / (present.period - present.duration)
    enough = fewest_ranks(job.between, job.between.seconds(job.ranks) * quotient, job.most)
    if enough is None:
        return job.most
    return min(enough, max(1, enough - 1), key=lambda ranks: abs(_period(job, present, ranks) - wanted))


def _multiple(periods: float, parameters: Parameters) -> int:
    """The nearest, as in the paper, unless that is a longer period by too much."""
    nearest = round(periods)
    return nearest if nearest / periods - 1 <= parameters.most_slowdown else floor(periods)
