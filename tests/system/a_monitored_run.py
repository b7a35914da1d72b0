# SPDX-License-Identifier: BSD-3-Clause
"""Runs of programs/talks.c under the monitor, and what these are known to send."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nereus.launch import Build

Pairs = dict[tuple[int, int], tuple[int, int]]  # source, destination: messages, bytes


def launched(build: Build, ranks: int, *program: str | Path) -> list[str]:
    options = ["--oversubscribe", "--allow-run-as-root"] if build.kind == "openmpi" else []
    return [str(build.mpiexec), *options, "-n", str(ranks), *map(str, program)]


def record_of(
    site: Any,
    build: Build,
    kind: str,
    ranks: int,
    program: str = "talks",
    sensor: str = "wrappers",
    **environment: str,
) -> Any:
    """The document of a run that was monitored."""
    talks = site.program(build.name, program)
    command = launched(build, ranks, talks, kind, site.folder)
    options = ("-o", "record.jsonl", "--mpi", build.name, "--sensor", sensor)
    done = site.nereus("monitor", *options, "--", *command, **environment)
    assert done.code == 0, done.err
    return site.nereus("report", "record.jsonl", "--json").document


def by_open_mpi(site: Any, build: Build, kind: str, ranks: int) -> Any:
    """The document of a run under Open MPI's own monitoring."""
    for file in site.folder.glob("theirs.*.prof"):
        file.unlink()
    names = {"enable": "2", "enable_output": "3", "filename": str(site.folder / "theirs")}
    own = {f"OMPI_MCA_pml_monitoring_{name}": value for name, value in names.items()}
    talks = site.program(build.name, "talks")
    command = launched(build, ranks, talks, kind, site.folder)
    subprocess.run(command, env=site.environment | own, cwd=site.folder, check=True, timeout=120)
    return site.nereus("report", "theirs.0.prof", "--json").document


def without(pairs: Pairs, fewer: Pairs) -> Pairs:
    """What MPI_Init, MPI_Finalize and a monitor's own work cost is in a run that does nothing, too."""
    left = {
        pair: (messages - fewer.get(pair, (0, 0))[0], size - fewer.get(pair, (0, 0))[1])
        for pair, (messages, size) in pairs.items()
    }
    return {pair: counted for pair, counted in left.items() if counted != (0, 0)}


def pairs_of(document: Any, kind: str) -> Pairs:
    return {
        (pair["source"], pair["destination"]): (pair["messages"], pair["bytes"])
        for pair in document["pairs"]
        if pair["kind"] == kind
    }


def added(parts: Iterator[tuple[int, int, int, int]]) -> Pairs:
    """Of source, destination, messages, bytes."""
    messages: Counter[tuple[int, int]] = Counter()
    moved: Counter[tuple[int, int]] = Counter()
    for source, destination, number, size in parts:
        messages[source, destination] += number
        moved[source, destination] += size
    return {pair: (messages[pair], moved[pair]) for pair in messages}


def point_to_point(n: int) -> Iterator[tuple[int, int, int, int]]:
    for rank in range(n):
        yield rank, (rank + 1) % n, 3, 300 * (rank + 1)
        yield rank, (rank - 1) % n, 2, 16
        yield rank, (rank + 1) % n, 1, 0


def in_a_part(n: int) -> Iterator[tuple[int, int, int, int]]:
    """Ranks of a half are in reverse order, and each sends to the one before it: the next in the world."""
    for rank in range(n):
        half = [other for other in range(n) if other % 2 == rank % 2]
        yield rank, half[(half.index(rank) + 1) % len(half)], 1, 16


def collectives(n: int) -> Iterator[tuple[int, int, int, int]]:
    for rank in range(n):
        for other in range(n):
            if other == rank:
                continue
            yield rank, other, 3, 16  # two allreduce of 8 bytes, a barrier
            if rank == 0:
                yield rank, other, 2, 1000 + 4 * (other + 1)  # bcast, scatterv
            if other == n - 1:
                yield rank, other, 1, 40  # reduce
            if other > rank:
                yield rank, other, 1, 12  # scan


def neighbours(n: int) -> Iterator[tuple[int, int, int, int]]:
    for rank in range(n):
        for other in (rank - 1, rank + 1):
            if 0 <= other < n:
                yield rank, other, 1, 4
        if n > 1:
            yield rank, (rank + 1) % n, 1, 6
