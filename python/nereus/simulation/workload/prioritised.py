# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that wait, by their priorities: who has the highest, and who of those that fit into a gap.

Age counts up to a maximum, so that the order changes with time. It is not kept: each search looks at all that
wait, in arrays. Of equal priorities the first submission counts.
"""

from collections.abc import Sequence
from math import inf

import numpy as np

from nereus.simulation.workload.job import Request
from nereus.simulation.workload.orders.rules import Weights

_FEW = 64
_NOBODY = 2**62  # ranks that are never free


class Prioritised:
    """Places are in the order of submission; they change at most when it is looked at another time."""

    def __init__(self, cores: int, weights: Weights) -> None:
        self._cores, self._weights = cores, weights
        self._now = 0.0
        self._count = self._end = 0
        self._jobs: list[Request | None] = []
        self._since, self._fixed, self._limits = (np.zeros(_FEW) for _ in range(3))
        self._ranks = np.zeros(_FEW, dtype=np.int64)
        self._priorities: np.ndarray | None = None  # of now, if anybody asked

    def __len__(self) -> int:
        return self._count

    def look(self, now: float) -> None:
        """From now on priorities are those of this time."""
        if now != self._now:
            self._now, self._priorities = now, None
        if self._end >= _FEW and self._count < self._end // 2:
            self._close_ranks()

    def append(self, job: Request) -> None:
        """Submitted now."""
        if self._end == len(self._ranks):
            self._make_room()
        weights, place = self._weights, self._end
        self._jobs.append(job)
        self._since[place] = self._now
        self._fixed[place] = weights.size * (job.ranks / self._cores) + weights.job * job.priority
        self._ranks[place], self._limits[place] = job.least, job.limit_on(job.least)
        self._end += 1
        self._count += 1
        self._priorities = None

    def first(self) -> Request | None:
        """Who has the highest priority."""
        return self._jobs[self._first_place()] if self._count else None

    def pop_first(self) -> None:
        """That one waits no more."""
        if self._count:
            self.remove(self._first_place())

    def remove(self, place: int) -> None:
        """Who has this place waits no more."""
        self._jobs[place] = None
        self._ranks[place] = _NOBODY
        self._fixed[place] = -inf
        if self._priorities is not None:
            self._priorities[place] = -inf
        self._count -= 1

    def next_that_fits(
        self,
        place: int,
        now: float,
        free: int,
        until: float,
        spare: int,
        between: Sequence[tuple[int, float]] = (),
    ) -> tuple[int, Request] | None:
        """Who has the highest priority of jobs that end by `until` on `free` cores, or need just `spare`.

        `between` these: so many cores are free until then. All jobs are looked at, whatever the `place`: with
        fewer cores free nobody fits who did not before.
        """
        ranks, limits = self._ranks[: self._end], self._limits[: self._end]
        fits = (ranks <= spare) | ((ranks <= free) & (now + limits <= until))
        for cores, end in between:
            fits |= (ranks <= cores) & (now + limits <= end)
        (places,) = fits.nonzero()
        if not len(places):
            return None
        found = int(places[self._of_now()[places].argmax()])
        job = self._jobs[found]
        assert job is not None
        return found, job

    def _first_place(self) -> int:
        return int(self._of_now().argmax())

    def _of_now(self) -> np.ndarray:
        """-inf where nobody waits any more."""
        if self._priorities is None:
            weights, waited = self._weights, self._now - self._since[: self._end]
            age = weights.age * np.minimum(waited / weights.max_age, 1.0)
            self._priorities = age + self._fixed[: self._end]
        return self._priorities

    def _close_ranks(self) -> None:
        """Without places of those who wait no more."""
        kept = [place for place in range(self._end) if self._jobs[place] is not None]
        self._jobs = [self._jobs[place] for place in kept]
        for array in (self._since, self._fixed, self._limits, self._ranks):
            array[: len(kept)] = array[kept]
        self._end, self._priorities = len(kept), None

    def _make_room(self) -> None:
        self._since, self._fixed, self._limits = (
            np.concatenate((each, np.zeros_like(each))) for each in (self._since, self._fixed, self._limits)
        )
        self._ranks = np.concatenate((self._ranks, np.zeros_like(self._ranks)))
