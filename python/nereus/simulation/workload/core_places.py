# SPDX-License-Identifier: BSD-3-Clause
"""Which cores each job could have had: a simulation counts cores, a Gantt chart shows them.

First fit: a job that starts has the lowest gap with room for all of it, or else the widest gaps. One that
grows takes what lies above it first; one that shrinks gives its highest.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A job between two of its resizes, on cores beside each other; of one job there may be several."""

    number: int  # of the job
    first: int  # core
    cores: int
    begin: float
    end: float


Gap = tuple[int, int]  # first core, how many


class CorePlaces:
    """A recorder of simulate()."""

    def __init__(self, cores: int) -> None:
        self._free: list[Gap] = [(0, cores)]
        self._of_job: dict[int, tuple[float, list[Gap]]] = {}  # since when
        self.pieces: list[Piece] = []
        self.resizes: list[tuple[float, int, int, int]] = []  # time, number, ranks before and after

    def __call__(self, now: float, number: int, ranks: int) -> None:
        """From now on the job has so many."""
        since, own = self._of_job.pop(number, (now, []))
        if since < now:
            self.pieces += [Piece(number, first, cores, since, now) for first, cores in own]
        before = sum(cores for _, cores in own)
        if own and ranks:
            self.resizes.append((now, number, before, ranks))
        if ranks > before:
            own = _joined([*own, *self._taken(ranks - before, own)])
        else:
            own = self._given(before - ranks, own)
        if ranks:
            self._of_job[number] = (now, own)

    def _taken(self, cores: int, own: list[Gap]) -> list[Gap]:
        above = {first + count for first, count in own}

        def rank(gap: Gap) -> tuple[bool, bool, int, int]:
            """What lies above the job, then the first with room for all, then the widest."""
            first, count = gap
            fits = count >= cores
            return first not in above, not fits, 0 if fits else -count, first

        gaps = sorted(self._free, key=rank)
        taken = []
        for first, count in gaps:
            part = min(count, cores)
            if part:
                taken.append((first, part))
            cores -= part
        self._free = _without(self._free, taken)
        return taken

    def _given(self, cores: int, own: list[Gap]) -> list[Gap]:
        kept, given = list(own), []
        while cores:
            first, count = kept.pop()
            part = min(count, cores)
            given.append((first + count - part, part))
            if part < count:
                kept.append((first, count - part))
            cores -= part
        self._free = _joined([*self._free, *given])
        return kept


def _joined(gaps: Iterable[Gap]) -> list[Gap]:
    """In their order, those that touch as one."""
    found: list[Gap] = []
    for first, count in sorted(gaps):
        if found and sum(found[-1]) == first:
            found[-1] = (found[-1][0], found[-1][1] + count)
        else:
            found.append((first, count))
    return found


def _without(gaps: Iterable[Gap], taken: Iterable[Gap]) -> list[Gap]:
    """Each of those taken is the beginning of a gap."""
    of = dict(taken)
    rest = [(first + of.get(first, 0), count - of.get(first, 0)) for first, count in gaps]
    return [(first, count) for first, count in rest if count]
