# SPDX-License-Identifier: BSD-3-Clause
"""Finds out how long jobs take on other numbers of ranks: each goes through some of them and returns to its
first (paper, section 4.1: the on-line data base).

Another policy decides about jobs of which enough is known.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from nereus.policy.decisions import Decision, Policy, Resize, State
from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters

#: Of the ranks that a job came with.
FACTORS = (2.0, 0.5, 4.0)


class Sweep(Policy):
    def __init__(self, then: Policy | None = None, sizes: Sequence[int] = ()) -> None:
        """`sizes`: to be measured; none: FACTORS times those that a job came with."""
        self._then = then or Policy()
        self._sizes = tuple(sizes)
        self._first: dict[str, int] = {}
        self._told: Counter[tuple[str, int]] = Counter()
        self._swept: set[str] = set()
        self.order = self._then.order

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        self._forget_all_but({job.name for job in state.jobs})
        sweeping = [job for job in state.jobs if not self.is_swept(job, parameters)]
        found = [step for job in sweeping if (step := self._step(job, parameters)) is not None]
        if sweeping:
            names = {job.name for job in sweeping}
            state = replace(state, jobs=[job for job in state.jobs if job.name not in names])
        return [*found, *(self._then.decide(state, parameters) if state.jobs else [])]

    def make_room(self, state: State, cores: int, parameters: Parameters) -> Sequence[Resize] | None:
        return self._then.make_room(state, cores, parameters)

    def is_swept(self, job: Job, parameters: Parameters) -> bool:
        """Whether enough is known of it, and it has its first size again."""
        first = self._first.setdefault(job.name, job.ranks)
        is_back = job.ranks == first or (job.name, 0) in self._told
        if is_back and not job.resizing and not self._missing(job, first, parameters):
            self._swept.add(job.name)  # for good: it is not sent away again when more cores are free
        return job.name in self._swept

    def _step(self, job: Job, parameters: Parameters) -> Resize | None:
        if job.resizing:
            return None
        first = self._first[job.name]
        missing = self._missing(job, first, parameters)
        if job.ranks in missing:
            return None  # it is being measured
        if missing:
            self._told[job.name, missing[0]] += 1
            text = "1 rank" if missing[0] == 1 else f"{missing[0]} ranks"
            return Resize(job.name, missing[0], f"to be timed on {text}")
        self._told[job.name, 0] += 1
        return Resize(job.name, first, "timed; to the ranks that it came with")

    def _missing(self, job: Job, first: int, parameters: Parameters) -> list[int]:
        wanted = self._sizes or [first, *(max(1, round(first * factor)) for factor in FACTORS)]
        return [
            size
            for size in dict.fromkeys(wanted)
            if job.measured.get(size, 0) < parameters.enough_times
            and (
                size == job.ranks
                or (size <= job.most and self._told[job.name, size] < parameters.sweep_trials)
            )
        ]

    def _forget_all_but(self, names: set[str]) -> None:
        self._first = {name: first for name, first in self._first.items() if name in names}
        self._swept &= names
        self._told = Counter({key: number for key, number in self._told.items() if key[0] in names})
