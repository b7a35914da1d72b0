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
    if abs(slow.period / wanted - 1) <= parameters.dead_band:
        return f"{slow.period:.1f} s of {longer.name} go with {fast.period:.1f} s already"
    if slow.duration >= wanted:
        return f"the I/O of {longer.name} alone takes {slow.duration:.1f} s of {wanted:.1f} s"
    quotient = (wanted - slow.duration) / (slow.period - slow.duration)
    ranks = fewest_ranks(longer.between, longer.between.seconds(longer.ranks) * quotient, longer.most)
    if ranks is None:
        speedup = f"{1 / quotient:.2f} times as fast as {longer.ranks}"
        return f"no {longer.most} ranks of {longer.name} are {speedup}"
    return Coupling(longer.name, ranks - longer.ranks, wanted)


def _multiple(periods: float, parameters: Parameters) -> int:
    """The nearest, as in the paper, unless that is a longer period by too much."""
    nearest = round(periods)
    return nearest if nearest / periods - 1 <= parameters.most_slowdown else floor(periods)
