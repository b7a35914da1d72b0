# SPDX-License-Identifier: BSD-3-Clause
"""A strategy as a policy: for real jobs it decides what it decides for those of a simulated queue."""

from collections.abc import Callable, Sequence
from math import ceil

from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve, Performance
from nereus.policy.strategies import Strategy
from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.policy.strategies.shares import Offer, getting, giving, shared

PREFIX = "strategy-"  # of the names of these policies

_Known = tuple[int, int, int, Performance, float]


class UnderStrategy(Policy):
    """Jobs are in the order in which they came; they prefer the ranks with which they did."""

    def __init__(self, strategy: Strategy, name: str) -> None:
        self.strategy, self._name = strategy, name
        self._seen: dict[str, tuple[_Known, MalleableJob]] = {}  # it may have been asked much about them

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        if state.free <= 0 or state.now < state.last_came + parameters.settle:
            return []

        def offer(job: Job, seen: MalleableJob, place: tuple[float, int]) -> Offer:
            return getting(self.strategy, seen, job.ranks, job.most, 1, place)

        counts = self._shared(state, state.free, offer, parameters)
        why = f"idle cores, by the strategy {self._name}"
        return [Resize(job.name, job.ranks + more, why) for job, more in counts if more > 0]

    def make_room(self, state: State, cores: int, parameters: Parameters) -> Sequence[Resize]:
        """All of it or nothing: a job that waits can't start on less."""

        def offer(job: Job, seen: MalleableJob, place: tuple[float, int]) -> Offer:
            return giving(self.strategy, seen, job.ranks, 1, place)

        counts = self._shared(state, cores, offer, parameters)
        if sum(less for _, less in counts) < cores:
            return []
        why = f"gives cores to a job that waits, by the strategy {self._name}"
        return [Resize(job.name, job.ranks - less, why) for job, less in counts if less > 0]

    def _shared(
        self,
        state: State,
        cores: int,
        offer: Callable[[Job, MalleableJob, tuple[float, int]], Offer],
        parameters: Parameters,
    ) -> list[tuple[Job, int]]:
        all_cores = state.free + sum(job.ranks for job in state.jobs)
        self._seen = {job.name: self._look_at(job, all_cores, parameters) for job in state.jobs}
        settled, offers = [], []
        for place, job in enumerate(state.jobs):
            if not job.resizing:
                settled.append(job)
                offers.append(offer(job, self._seen[job.name][1], (0.0, place)))
        counts = shared(offers, cores, self.strategy.all_at_once)
        return list(zip(settled, counts, strict=True))

    def _look_at(self, job: Job, all_cores: int, parameters: Parameters) -> tuple[_Known, MalleableJob]:
        """Anew only where something has changed."""
        preferred = job.ranks if job.came_with is None else job.came_with
        least = min(job.ranks, preferred, max(1, ceil(parameters.least_factor * preferred)))
        most = max(preferred, min(all_cores, job.most if job.ever is None else job.ever))
        writes = 0.0 if job.prediction is None else job.prediction.duration
        known = least, preferred, most, job.between, writes
        before = self._seen.get(job.name)
        if before is not None and before[0] == known:
            return before
        is_concave = isinstance(job.between, Curve) and most <= job.between.fastest

        def io_share(ranks: int) -> float:
            return writes / (job.between.seconds(ranks) + writes) if writes else 0.0

        seconds = job.between.seconds
        return known, MalleableJob(job.name, least, preferred, most, seconds, is_concave, io_share)
