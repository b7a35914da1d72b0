# SPDX-License-Identifier: BSD-3-Clause
"""Who is who among processes of different worlds, from what both sides recorded.

Each process tells peers of other worlds by numbers of its own. Two things say whom these stand for: the
generations of a malleable job, in which each process told its own rank and the members as it numbers them;
and meetings (spawn, and accept with connect), which both sides told. A meeting's other side is the only one
whose sizes fit and that met at the same time; where two fit, nothing is guessed.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nereus.analysis.monitor.model import Process, Recording

Place = tuple[str, int]  # name of the world, rank in it
Peer = tuple[int, int]  # number of the world in the process that met it, place in it

_OTHER_SIDE = {
    "spawn": "parent",
    "parent": "spawn",
    "accept": "connect",
    "connect": "accept",
    "join": "join",
}


@dataclass
class _Side:
    """One side of one meeting, as all of its processes told it."""

    by: str
    own: tuple[Place, ...]
    others: int  # processes
    begin: float
    end: float
    told: list[tuple[Place, list[Peer]]] = field(default_factory=list)  # how each numbers the others

    def fits(self, other: "_Side") -> bool:
        if other.by != _OTHER_SIDE[self.by] or (len(self.own), self.others) != (other.others, len(other.own)):
            return False
        if set(self.own) & set(other.own):
            return False
        if self.by == "parent":
            return other.fits(self)
        # A spawned process is loaded within the call that spawns it; it may come out of MPI_Init much later.
        latest = other.begin if self.by == "spawn" else min(self.end, other.end)
        return self.begin <= latest and other.begin <= self.end


class Identities:
    """Finds out once; then says which process of the run a peer is."""

    def __init__(self, recording: Recording) -> None:
        self._known: dict[tuple[Place, Peer], Place] = {}
        self._meet_in_generations(recording)
        while self._meet_at_meetings(recording):
            pass

    def of(self, process: Place, peer: Peer) -> Place | None:
        """The process that `process` calls so; None where the records do not tell."""
        world, rank = peer
        return (process[0], rank) if world == 0 else self._known.get((process, peer))

    def _meet_in_generations(self, recording: Recording) -> None:
        told = [
            (place, generation) for place, process in _places(recording) for generation in process.generations
        ]
        rosters: dict[tuple[str, int], dict[int, Place]] = {}
        for place, generation in told:
            rosters.setdefault((generation.job, generation.generation), {})[generation.own_rank] = place
        for place, generation in told:
            roster = rosters[generation.job, generation.generation]
            for rank, peer in enumerate(expanded(generation.members)):
                if peer[0] and rank in roster:
                    self._known.setdefault((place, peer), roster[rank])

    def _meet_at_meetings(self, recording: Recording) -> bool:
        """Whether more is known than before."""
        before = len(self._known)
        sides = list(self._sides(recording))
        fitting = [[other for other in sides if side.fits(other)] for side in sides]
        for side, others in zip(sides, fitting, strict=True):
            if len(others) == 1 and len(fitting[sides.index(others[0])]) == 1:
                self._introduce(side, others[0].own)
        return len(self._known) > before

    def _introduce(self, side: _Side, others: tuple[Place, ...]) -> None:
        for place, peers in side.told:
            for peer, other in zip(peers, others, strict=True):
                if peer[0]:
                    self._known.setdefault((place, peer), other)

    def _sides(self, recording: Recording) -> Iterator[_Side]:
        """Those whose own processes are all known."""
        sides: dict[tuple[str, tuple[Place, ...], int], _Side] = {}
        for place, process in _places(recording):
            seen: dict[tuple[str, tuple[Place, ...]], int] = {}
            for meeting in process.meetings:
                own = self._resolved(place, expanded(meeting.own))
                if own is None:
                    continue
                number = seen[meeting.by, own] = seen.get((meeting.by, own), -1) + 1
                peers = expanded(meeting.members)
                side = sides.setdefault(
                    (meeting.by, own, number),
                    _Side(meeting.by, own, len(peers), meeting.begin_unix, meeting.end_unix),
                )
                side.begin = min(side.begin, meeting.begin_unix)
                side.end = max(side.end, meeting.end_unix)
                if len(peers) == side.others:
                    side.told.append((place, peers))
        yield from sides.values()

    def _resolved(self, place: Place, peers: Iterable[Peer]) -> tuple[Place, ...] | None:
        found = [self.of(place, peer) for peer in peers]
        return None if None in found else tuple(each for each in found if each is not None)


def expanded(runs: Iterable[tuple[int, int, int, int]]) -> list[Peer]:
    """Of runs of world, first rank, number, step."""
    return [(world, first + step * at) for world, first, number, step in runs for at in range(number)]


def _places(recording: Recording) -> Iterator[tuple[Place, Process]]:
    for world, process in recording.processes:
        yield (world.name, process.facts.rank), process
