# SPDX-License-Identifier: BSD-3-Clause
"""What the processes of a running job have sent one another in their generation, from rank to rank."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nereus.analysis.monitor.events import Communicator, Moved, Process
from nereus.analysis.monitor.identities import Peer, expanded
from nereus.analysis.monitor.live import Sums

Pair = tuple[int, int]  # ranks: source, destination
#: Of processes, by world and rank in it; by number there.
Communicators = Mapping[tuple[str, int], Mapping[int, Communicator]]


@dataclass
class LiveMatrix:
    """Bytes of each pair of ranks; of how many ranks there are records."""

    ranks: int
    generation: int
    seen: int = 0
    bytes: Counter[Pair] = field(default_factory=Counter)
    #: In calls on communicators whose members are not known, of one copy each.
    to_all: int = 0
    #: To processes that are none of this generation.
    elsewhere: int = 0


def live_matrix(processes: Iterable[Sums], communicators: Communicators) -> LiveMatrix | None:
    """Of processes of one generation, as `latest_of_job` finds them; None of no process.

    Where messages that collectives are made of were seen in a world, they count, and the collectives do not.
    """
    there = list(processes)
    if not there:
        return None
    # Without generations ranks are those of one world.
    there = [one for one in there if one.generation or one.facts.world == there[0].facts.world]
    decomposed = {one.facts.world for one in there if any(row.kind == "decomposed" for row in one.moved)}
    made = LiveMatrix(_ranks(there[0]), _generation(there[0]), len(there))
    skipped = {"read", "write"}
    for one in there:
        own = _Own(one, made, communicators.get(one.key, {}))
        superseded = "collective" if one.facts.world in decomposed else "decomposed"
        for row in one.moved:
            if row.kind not in skipped and row.kind != superseded and own.is_of_now(row):
                own.add(row)
    return made


def unknown_communicators(processes: Iterable[Sums], known: Communicators) -> bool:
    """Whether some process called a collective on one that is not known of it."""
    return any(
        row.communicator not in known.get(one.key, {})
        for one in processes
        for row in one.moved
        if _is_to_whole(row)
    )


def communicators_in(lines: Iterable[bytes]) -> dict[tuple[str, int], dict[int, Communicator]]:
    """Of the lines that `nereus-parts` prints without --totals; others than the two kinds are passed over."""
    found: dict[tuple[str, int], dict[int, Communicator]] = {}
    own: dict[int, Communicator] = {}
    for line in lines:
        if line.startswith(b'{"event":"process"'):
            process = Process.model_validate_json(line)
            own = found.setdefault((process.world, process.rank), {})
        elif line.startswith(b'{"event":"communicator"'):
            told = Communicator.model_validate_json(line)
            own[told.communicator] = told
    return found


def binned(bytes_of_pairs: Mapping[Pair, int], ranks: int, most: int) -> tuple[int, Counter[Pair]]:
    """How many ranks, one after the other, are one of at most `most` rows and columns; and their sums."""
    size = max(1, -(-ranks // most))
    found: Counter[Pair] = Counter()
    for (source, destination), count in bytes_of_pairs.items():
        found[source // size, destination // size] += count
    return size, found


class _Own:
    """One process, and what it says is added to a matrix."""

    def __init__(self, process: Sums, made: LiveMatrix, communicators: Mapping[int, Communicator]) -> None:
        self._made, self._told, self._communicators = made, process.generation, communicators
        if self._told is None:
            self._rank = process.facts.rank
            self._ranks_of: dict[Peer, int] | None = None
        else:
            self._rank = self._told.own_rank
            self._ranks_of = {peer: rank for rank, peer in enumerate(expanded(self._told.members))}

    def is_of_now(self, row: Moved) -> bool:
        return self._told is None or row.generation == self._told.generation

    def add(self, row: Moved) -> None:
        for rank, _, size, _ in row.to:
            self._add_one((row.to_world, rank), size, row.kind == "get")
        if not _is_to_whole(row):
            return
        communicator = self._communicators.get(row.communicator)
        if communicator is None:
            self._made.to_all += row.bytes
            return
        for peer in _reached(communicator, row.reach):
            self._add_one(peer, row.bytes, False)

    def _add_one(self, peer: Peer, size: int, is_got: bool) -> None:
        other = self._rank_of(peer)
        if other is None or other >= self._made.ranks or self._rank >= self._made.ranks:
            self._made.elsewhere += size
        elif size:
            # Data of a get go from its target to its caller.
            self._made.bytes[(other, self._rank) if is_got else (self._rank, other)] += size

    def _rank_of(self, peer: Peer) -> int | None:
        if self._ranks_of is not None:
            return self._ranks_of.get(peer)
        return None if peer[0] else peer[1]


def _is_to_whole(row: Moved) -> bool:
    return not row.to and row.bytes > 0 and row.reach in {"all", "higher"}


def _reached(communicator: Communicator, reach: str) -> list[Peer]:
    members = expanded(communicator.members)
    if communicator.two_sides:
        return members
    if reach == "higher":
        return members[communicator.own_rank + 1 :]
    return [member for rank, member in enumerate(members) if rank != communicator.own_rank]


def _ranks(process: Sums) -> int:
    told = process.generation
    return process.facts.ranks if told is None else sum(number for _, _, number, _ in told.members)


def _generation(process: Sums) -> int:
    return 0 if process.generation is None else process.generation.generation
