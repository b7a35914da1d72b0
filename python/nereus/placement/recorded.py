# SPDX-License-Identifier: BSD-3-Clause
"""What ranks send each other, from a record of the monitor or files of Open MPI's own monitoring."""

from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array

from nereus.analysis.monitor.flows import Flows, flows
from nereus.analysis.monitor.identities import expanded
from nereus.analysis.monitor.kinds import is_prof
from nereus.analysis.monitor.model import Recording
from nereus.analysis.monitor.prof import read_prof
from nereus.analysis.monitor.reader import read
from nereus.placement.error import PlaceError
from nereus.placement.selection import Selection

Ranks = dict[int, int]  # by the process' place in the pairs


def recorded_traffic(path: Path, selection: Selection) -> csr_array:
    """Of a malleable job, ranks are those of one generation; else those of the only MPI_COMM_WORLD."""
    if is_prof(path):
        if selection.is_of_records:
            raise PlaceError(f"{path}: files of Open MPI's monitoring contain no generations and no phases")
        moved = read_prof(path)
        return _matrix(moved, {at: at for at in range(len(moved.places))}, len(moved.places), selection)
    recording = read(path)
    moved = flows(recording)
    generations = {told.generation for _, process in recording.processes for told in process.generations}
    if not generations:
        return _of_one_world(recording, moved, selection)
    latest = max(generations) if selection.generation is None else selection.generation
    if latest not in generations:
        known = ", ".join(map(str, sorted(generations)))
        raise PlaceError(f"--generation {latest}: {path} has the generations {known}")
    ranks, number = _ranks_in(recording, latest)
    return _matrix(moved, ranks, number, selection, latest)


def _of_one_world(recording: Recording, moved: Flows, selection: Selection) -> csr_array:
    path = recording.path
    if len(recording.worlds) != 1:
        raise PlaceError(
            f"{path}: {len(recording.worlds)} worlds and no generations of a job: one world is allowed"
        )
    if selection.generation not in (None, 0):
        raise PlaceError(f"--generation {selection.generation}: {path} has no generations: 0 is allowed")
    ranks = recording.worlds[0].ranks
    return _matrix(moved, {at: at for at in range(ranks)}, ranks, selection)


def _ranks_in(recording: Recording, generation: int) -> tuple[Ranks, int]:
    """Who is which rank, and how many there are; also those that left no record count."""
    places = {
        (world.name, rank): at
        for at, (world, rank) in enumerate((w, rank) for w in recording.worlds for rank in range(w.ranks))
    }
    ranks: Ranks = {}
    number = 0
    for world, process in recording.processes:
        for told in (told for told in process.generations if told.generation == generation):
            ranks[places[world.name, process.facts.rank]] = told.own_rank
            number = max(number, len(expanded(told.members)), told.own_rank + 1)
    return ranks, number


def _matrix(
    moved: Flows, ranks: Ranks, number: int, selection: Selection, generation: int | None = None
) -> csr_array:
    pairs = moved.counted_pairs
    if generation is not None:
        pairs = pairs[pairs["generation"] == generation]
    if selection.phase is not None:
        known = sorted(name for name in set(pairs["phase"]) if name)
        if selection.phase not in known:
            raise PlaceError(
                f"--phase {selection.phase}: no such phase; there are {', '.join(known) or 'none'}"
            )
        pairs = pairs[pairs["phase"] == selection.phase]
    rank_of = np.full(len(moved.places), -1, dtype=np.int64)
    for at, rank in ranks.items():
        rank_of[at] = rank
    source = rank_of[pairs["source"].to_numpy(dtype=np.int64)]
    destination = rank_of[pairs["destination"].to_numpy(dtype=np.int64)]
    inside = (source >= 0) & (destination >= 0)
    values = pairs[selection.what].to_numpy(dtype=float)
    return csr_array(
        coo_array((values[inside], (source[inside], destination[inside])), shape=(number, number))
    )
