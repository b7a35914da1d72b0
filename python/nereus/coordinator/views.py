# SPDX-License-Identifier: BSD-3-Clause
"""Jobs as a policy sees them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

from nereus.coordinator.known_jobs import KnownJob
from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters


class Views(Sequence[Job]):
    """Made when a policy looks: many policies look at few."""

    def __init__(
        self,
        jobs: Mapping[str, KnownJob],
        now: float,
        free_for: Callable[[str], int],
        parameters: Parameters,
    ) -> None:
        self._of = jobs, now, free_for, parameters

    @cached_property
    def _made(self) -> list[Job]:
        jobs, now, free_for, parameters = self._of
        return [known.job(now, free_for(name), parameters) for name, known in jobs.items()]

    @overload
    def __getitem__(self, index: int) -> Job: ...
    @overload
    def __getitem__(self, index: slice) -> list[Job]: ...
    def __getitem__(self, index: int | slice) -> Job | list[Job]:
        return self._made[index]

    def __iter__(self) -> Iterator[Job]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)
