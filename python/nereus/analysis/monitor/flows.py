# SPDX-License-Identifier: BSD-3-Clause
"""What each pair of processes moved: the lines of all, with messages to whole communicators told apart.

A process is a row and a column of the matrices: its place in the order of worlds and ranks in them. Data that
a process gets from a window flows from the window's process to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nereus.analysis.monitor import events, identities
from nereus.analysis.monitor.identities import Identities
from nereus.analysis.monitor.model import Process, Recording, World
from nereus.analysis.monitor.totals import counted, mark

if TYPE_CHECKING:
    from numpy.typing import NDArray

KEYS = ["source", "destination", "generation", "phase", "kind"]
#: From here on sums might not fit in 63 bits.
_LARGE = 2.0**62
_PAIR_KINDS = ("point_to_point", "collective", "decomposed", "put", "get")


@dataclass(frozen=True)
class Place:
    """A process among all of the run."""

    world: str
    rank: int
    host: str


@dataclass(frozen=True)
class Flows:
    """Of all pairs that moved something.

    `pairs` has the columns source, destination, generation, phase, kind, messages, bytes, counted; `sizes`
    has bin and messages in place of messages and bytes: bin 0 is messages of 0 bytes, bin k + 1 of 2^k to
    2^(k+1) - 1 bytes. `counted` says whether a row counts in a total over kinds, and is added here.
    `strangers` are messages to processes that are not in the file.
    """

    places: list[Place]
    pairs: pd.DataFrame
    sizes: pd.DataFrame
    strangers: int

    def __post_init__(self) -> None:
        mark([place.world for place in self.places], self.pairs, self.sizes)

    @property
    def counted_pairs(self) -> pd.DataFrame:
        """Of `pairs` those that count in a total over kinds."""
        return self.pairs[counted(self.pairs)]

    @property
    def counted_sizes(self) -> pd.DataFrame:
        """Of `sizes` the same."""
        return self.sizes[counted(self.sizes)]

    def matrix(self, what: str = "bytes", kinds: Iterable[str] | None = None) -> "NDArray[np.int64]":
        """Row i, column j: what i sent to j; of `kinds`, or of all that count in a total."""
        square = np.zeros((len(self.places), len(self.places)), dtype=np.int64)
        chosen = self.counted_pairs if kinds is None else self.pairs[self.pairs["kind"].isin(list(kinds))]
        columns = (chosen[name].to_numpy(dtype=np.int64) for name in ("source", "destination", what))
        source, destination, values = columns
        np.add.at(square, (source, destination), values)
        return square

    def document(self) -> list[dict[str, Any]]:
        """The pairs as `nereus report --json` has them."""
        histograms: dict[tuple[Any, ...], dict[str, int]] = {}
        for *key, size, messages in self.sizes[[*KEYS, "bin", "messages"]].itertuples(index=False):
            histograms.setdefault(tuple(key), {})[str(size)] = int(messages)
        return [
            {
                **{
                    name: part if isinstance(part, str) else int(part)
                    for name, part in zip(KEYS, key, strict=True)
                },
                "messages": int(messages),
                "bytes": int(moved),
                "histogram": histograms.get(tuple(key), {}),
                "counted": bool(counts),
            }
            for *key, messages, moved, counts in self.pairs[
                [*KEYS, "messages", "bytes", "counted"]
            ].itertuples(index=False)
        ]


def flows(recording: Recording) -> Flows:
    """What all processes of the recording moved."""
    places = [
        Place(world.name, rank, world.processes[rank].facts.host if rank in world.processes else "")
        for world in recording.worlds
        for rank in range(world.ranks)
    ]
    numbers = {(place.world, place.rank): at for at, place in enumerate(places)}
    collected = _Collected(numbers, Identities(recording))
    for world, process in recording.processes:
        for moved in process.moved:
            collected.take(world, process, moved)
    return Flows(places, collected.pairs(), collected.sizes(), collected.strangers)


class _Collected:
    def __init__(self, numbers: Mapping[identities.Place, int], who: Identities) -> None:
        self.numbers = numbers
        self.who = who
        self.strangers = 0
        self._pairs: list[tuple[Any, ...]] = []
        self._sizes: list[tuple[Any, ...]] = []

    def take(self, world: World, process: Process, moved: events.Moved) -> None:
        if moved.kind not in _PAIR_KINDS or moved.reach == "nobody":
            return
        own = (world.name, process.facts.rank)
        phase = process.phases.get(moved.phase, "")
        if moved.reach == "peer":
            for rank, messages, size, histogram in moved.to:
                self._one(own, (moved.to_world, rank), moved, phase, messages, size, histogram)
            return
        for peer in _reached(process, moved):
            self._one(own, peer, moved, phase, moved.messages, moved.bytes, moved.histogram)

    def _one(
        self,
        own: identities.Place,
        peer: identities.Peer,
        moved: events.Moved,
        phase: str,
        messages: int,
        size: int,
        histogram: events.Histogram,
    ) -> None:
        other = self.who.of(own, peer)
        if other is None or other not in self.numbers:
            self.strangers += messages
            return
        ends = (self.numbers[own], self.numbers[other])
        key = (*(reversed(ends) if moved.kind == "get" else ends), moved.generation, phase, moved.kind)
        self._pairs.append((*key, messages, size))
        for size_bin, number in histogram.items():
            self._sizes.append((*key, int(size_bin), number))

    def pairs(self) -> pd.DataFrame:
        table = pd.DataFrame(self._pairs, columns=[*KEYS, "messages", "bytes"])
        return added_up(table, KEYS)

    def sizes(self) -> pd.DataFrame:
        table = pd.DataFrame(self._sizes, columns=[*KEYS, "bin", "messages"])
        return added_up(table, [*KEYS, "bin"])


def added_up(table: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """One row for each key. Sums beyond 2^63 are Python's numbers: NumPy's would begin again below 0."""
    large = [name for name in table if name not in keys and table[name].astype(float).sum() >= _LARGE]
    return table.astype(dict.fromkeys(large, object)).groupby([*keys], as_index=False, sort=True).sum()


def _reached(process: Process, moved: events.Moved) -> list[identities.Peer]:
    """All that a message to a whole communicator goes to."""
    communicator = process.communicators.get(moved.communicator)
    if communicator is None:
        return []
    members = identities.expanded(communicator.members)
    if communicator.two_sides:
        return members
    if moved.reach == "higher":
        return members[communicator.own_rank + 1 :]
    return [member for rank, member in enumerate(members) if rank != communicator.own_rank]


def write_csv(moved: Flows, file: Path) -> list[Path]:
    """Pairs and sizes, each as a file beside that of the record; the paths."""
    written = []
    for name, frame in (("pairs", moved.pairs), ("sizes", moved.sizes)):
        path = file.with_name(f"{file.stem}.{name}.csv")
        frame.to_csv(path, index=False)
        written.append(path)
    return written
