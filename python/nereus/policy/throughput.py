# SPDX-License-Identifier: BSD-3-Clause
"""Which jobs get the cores that are free, so that all together get most done with the waits that come of it.

Ours. The paper's sharing (sharing.py) looks at each job alone. Where jobs write one after the other, a job
that writes more often lets the others wait, and some sizes bring jobs into step and others out of it: what
comes of an allotment is played ahead, turn by turn, and better ones are looked for by moving ever fewer
cores from job to job.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heapreplace

from nereus.policy.parameters import Parameters
from nereus.policy.sharing import Sharer, by_io, by_speedup, fair

_FEWEST_PHASES = 5  # of which some count
_BETTER = 1e-6  # by as much, relatively, a move has to be


@dataclass(frozen=True)
class _Allotment:
    more: tuple[int, ...]
    rate: float

    def moved(self, cores: int, source: int | None, drain: int) -> tuple[int, ...]:
        """From one job, or from those that are left, to another."""
        counts = list(self.more)
        counts[drain] += cores
        if source is not None:
            counts[source] -= cores
        return tuple(counts)


def by_throughput(jobs: Sequence[Sharer], free: int, parameters: Parameters) -> Mapping[str, int]:
    """Cores for each job. With many jobs, where waits depend on no single one, as `by_io` has it."""
    if len(jobs) > parameters.most_played:
        return by_io(jobs, free, parameters)
    phases = max(_FEWEST_PHASES, parameters.played_phases)
    starts = [by_io(jobs, free, parameters), by_speedup(jobs, free), fair(jobs, free)]
    found = max((_best_from(jobs, start, free, phases) for start in starts), key=lambda each: each.rate)
    return {job.name: more for job, more in zip(jobs, found.more, strict=True)}


def rate(jobs: Sequence[Sharer], more: Sequence[int], phases: int) -> float:
    """Seconds of computing on one rank that all jobs together get done in a second, in so many I/O phases."""
    between = [job.between.seconds(job.ranks + each) for job, each in zip(jobs, more, strict=True)]
    done, seconds = _played(between, [job.io_seconds for job in jobs], phases)
    return sum(number * job.between.seconds(1) for number, job in zip(done, jobs, strict=True)) / seconds


def _played(between: Sequence[float], io_seconds: Sequence[float], phases: int) -> tuple[list[int], float]:
    """How many phases each job has in so many seconds, first come first served; behind the first fifth,
    in which jobs come to their steps.
    """
    done = [0] * len(between)
    asks = [(seconds * (job + 1) / len(between), job) for job, seconds in enumerate(between)]
    heapify(asks)
    free_at = begin = 0.0
    for number in range(phases):
        asked, job = asks[0]
        free_at = max(asked, free_at) + io_seconds[job]
        heapreplace(asks, (free_at + between[job], job))
        if number == phases // 5:
            begin, done = free_at, [0] * len(between)
        elif number > phases // 5:
            done[job] += 1
    return done, free_at - begin


def _best_from(jobs: Sequence[Sharer], start: Mapping[str, int], free: int, phases: int) -> _Allotment:
    more = tuple(start[job.name] for job in jobs)
    best = _Allotment(more, rate(jobs, more, phases))
    cores = 1 << max(0, free.bit_length() - 1)
    while cores > 0:
        better = max(_moves(jobs, best, cores, free, phases), key=lambda each: each.rate, default=best)
        if better.rate > best.rate * (1 + _BETTER):
            best = better
        else:
            cores //= 2
    return best


def _moves(
    jobs: Sequence[Sharer], present: _Allotment, cores: int, free: int, phases: int
) -> Iterator[_Allotment]:
    left = free - sum(present.more)
    for drain, job in enumerate(jobs):
        if job.ranks + present.more[drain] + cores > job.most:
            continue
        sources: list[int | None] = [number for number, more in enumerate(present.more) if more >= cores]
        for source in [*sources, *([None] if left >= cores else [])]:
            if source != drain:
                more = present.moved(cores, source, drain)
                yield _Allotment(more, rate(jobs, more, phases))
