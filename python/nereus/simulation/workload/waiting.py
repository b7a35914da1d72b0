# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that wait, in their order: the first one, and the next that fits into a gap.

A tree over their places has the fewest ranks and the shortest limit below each node, so that whole branches
without a fitting job are skipped: a search takes steps as the logarithm of the length of the queue.
"""

from collections.abc import Sequence
from math import inf

from nereus.simulation.workload.job import Request

_FEW = 64
_NOBODY = 2**62  # ranks that are never free


class Waiting:
    """Each job has the next place; places are not used again before all are counted anew."""

    def __init__(self) -> None:
        self._room = _FEW
        self._fewest: list[int] = []
        self._shortest: list[float] = []
        self._clear()

    def __len__(self) -> int:
        return self._count

    def append(self, job: Request) -> None:
        """Behind all others."""
        if self._end == self._room:
            self._count_anew()
        self._put(self._end, job)
        self._end += 1
        self._count += 1

    def first(self) -> Request | None:
        """Who came before all others."""
        while self._first < self._end and self._jobs[self._first] is None:
            self._first += 1
        return self._jobs[self._first] if self._first < self._end else None

    def pop_first(self) -> None:
        """The first one waits no more."""
        if self.first() is not None:
            self.remove(self._first)

    def remove(self, place: int) -> None:
        """Who has this place waits no more."""
        self._put(place, None)
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
        """From that place on: a job that ends by `until` on `free` cores, or needs no more than `spare`.

        `between` these: so many cores are free until then.
        """
        if place >= self._end:
            return None
        fewest, shortest, node = self._fewest, self._shortest, place + self._room
        while True:
            if (
                fewest[node] <= spare
                or (fewest[node] <= free and now + shortest[node] <= until)
                or (
                    between
                    and any(fewest[node] <= cores and now + shortest[node] <= end for cores, end in between)
                )
            ):
                if node >= self._room:
                    found = self._jobs[node - self._room]
                    assert found is not None
                    return node - self._room, found
                node *= 2
                continue
            while node & 1:  # a right child, or the root: nothing below its parent is left
                node >>= 1
            if node == 0:
                return None
            node += 1

    def _put(self, place: int, job: Request | None) -> None:
        self._jobs[place] = job
        node = place + self._room
        self._fewest[node], self._shortest[node] = _key(job)
        while node > 1:
            node >>= 1
            self._update(node)

    def _update(self, node: int) -> None:
        left = 2 * node
        self._fewest[node] = min(self._fewest[left], self._fewest[left + 1])
        self._shortest[node] = min(self._shortest[left], self._shortest[left + 1])

    def _count_anew(self) -> None:
        waiting = [job for job in self._jobs if job is not None]
        while self._room < 2 * len(waiting):
            self._room *= 2
        self._clear()
        for place, job in enumerate(waiting):
            self._jobs[place] = job
            self._fewest[place + self._room], self._shortest[place + self._room] = _key(job)
        for node in reversed(range(1, self._room)):
            self._update(node)
        self._end = self._count = len(waiting)

    def _clear(self) -> None:
        self._first = self._end = self._count = 0
        self._jobs: list[Request | None] = [None] * self._room
        self._fewest = [_NOBODY] * (2 * self._room)
        self._shortest = [inf] * (2 * self._room)


def _key(job: Request | None) -> tuple[int, float]:
    return (_NOBODY, inf) if job is None else (job.least, job.limit_on(job.least))
