# SPDX-License-Identifier: BSD-3-Clause
"""Which communicators of different processes are one: each process has numbers of its own for them.

They are made by collective calls, so processes make those of the same members in the same order.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from nereus.analysis.monitor.events import Communicator, Run
from nereus.analysis.monitor.identities import Identities, Place, expanded
from nereus.analysis.monitor.model import Process
from nereus.analysis.trace.file import Numbers

_Members = tuple[Place, ...]


@dataclass(frozen=True)
class _Group:
    number: int  # in the run
    tracks: Numbers  # by rank, of the other side where it has two; -1: not known


@dataclass
class Groups:
    """Numbers communicators of the whole run."""

    identities: Identities
    tracks: Mapping[Place, int]
    _numbers: dict[tuple[frozenset[_Members], int], int] = field(default_factory=dict)

    def of(self, place: Place, process: Process | None) -> "ProcessGroups":
        """Those of one process; none where the record does not have it."""
        seen: Counter[frozenset[_Members]] = Counter()
        found: dict[int, _Group] = {}
        for number, communicator in sorted(process.communicators.items()) if process else ():
            members = self._members(place, communicator.members)
            sides = self._sides(place, communicator, members)
            if members is None or sides is None:
                continue
            key = (sides, seen[sides])
            seen[sides] += 1
            tracks = np.array([self.tracks.get(member, -1) for member in members], dtype=np.int64)
            found[number] = _Group(self._numbers.setdefault(key, len(self._numbers)), tracks)
        return ProcessGroups(found)

    def _sides(
        self, place: Place, communicator: Communicator, members: _Members | None
    ) -> frozenset[_Members] | None:
        """One, or two in whatever order; None where they are not known."""
        own = self._members(place, communicator.own) if communicator.two_sides else members
        return frozenset({own, members}) if own is not None and members is not None else None

    def _members(self, place: Place, runs: Iterable[Run]) -> _Members | None:
        members = [self.identities.of(place, peer) for peer in expanded(runs)]
        known = tuple(member for member in members if member is not None)
        return known if len(known) == len(members) else None


class ProcessGroups:
    """What numbers of one process mean."""

    def __init__(self, found: Mapping[int, _Group]) -> None:
        self._own = np.array(sorted(found), dtype=np.int64)
        groups = [found[number] for number in self._own.tolist()]
        self._number = np.array([group.number for group in groups], dtype=np.int64)
        self._size = np.array([len(group.tracks) for group in groups], dtype=np.int64)
        self._first = np.cumsum(self._size) - self._size
        self._tracks = np.concatenate([group.tracks for group in groups] or [np.zeros(0, dtype=np.int64)])

    def numbers(self, own: Numbers) -> Numbers:
        """Of the run, for those of this process; -1: not known."""
        return self._of(self._number, own)

    def members(self, own: Numbers, rank: Numbers) -> Numbers:
        """The track that has the rank in each; -1: not known."""
        size, first = self._of(self._size, own), self._of(self._first, own)
        is_there = (rank >= 0) & (rank < size)
        tracks = np.full(len(own), -1, dtype=np.int64)
        tracks[is_there] = self._tracks[first[is_there] + rank[is_there]]
        return tracks

    def _of(self, values: Numbers, own: Numbers) -> Numbers:
        if not len(self._own):
            return np.full(len(own), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._own, own), len(self._own) - 1)
        return np.where(self._own[at] == own, values[at], -1)
