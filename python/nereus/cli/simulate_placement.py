# SPDX-License-Identifier: BSD-3-Clause
"""nereus simulate placement - the same messages under several mappings, on a simulated cluster."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.analysis.report.units import change_text, seconds_text
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, show, show_json
from nereus.cli.place_table import what_counts
from nereus.cli.simulate_cluster import Acknowledged, Latency, Memory, MemoryRate, most_memory, stoppable
from nereus.cli.trial_bar import TrialBar
from nereus.placement import Selection, read_topology, read_traffic
from nereus.simulation.network import (
    PATTERNS,
    Cluster,
    Limits,
    Pattern,
    Placing,
    compared,
    of_matrix,
    read_bytes,
    read_latency,
    read_rate,
    read_seconds,
    require,
)
from nereus.simulation.network.placing import Compared

if TYPE_CHECKING:
    from rich.table import Table

_MOST_RANKS = 4096
_USUAL_BYTES = "20 MB"
_MOST_SEEDS = 100


def placement(
    pattern: Annotated[
        str | None, typer.Option(metavar="|".join(PATTERNS), help="What ranks send each other.")
    ] = None,
    matrix: Annotated[
        Path | None,
        typer.Option(metavar="M", help="In place of a pattern: a file as `nereus place` reads it."),
    ] = None,
    ranks: Annotated[
        int | None, typer.Option(min=2, max=_MOST_RANKS, help="Of a pattern; default as many as slots.")
    ] = None,
    topology: Annotated[
        str, typer.Option(metavar="T", help="Hosts and what is in them, as `nereus place` takes it.")
    ] = "host:8 package:2 core:4",
    bandwidth: Annotated[str, typer.Option(metavar="RATE", help="Of each host's link.")] = "32 Gbit/s",
    latency: Latency = "1 us",
    memory_bandwidth: MemoryRate = "400 Gbit/s",
    acks: Acknowledged = True,
    size: Annotated[
        str | None,
        typer.Option("--bytes", metavar="SIZE", help=f"Of a message of a pattern; default {_USUAL_BYTES}."),
    ] = None,
    iterations: Annotated[int, typer.Option(min=1, max=100_000, help="How often.")] = 1,
    compute: Annotated[
        str, typer.Option(metavar="TIME", help="Computing of an iteration, or for a message of a reduction.")
    ] = "0 s",
    seeds: Annotated[int, typer.Option(min=1, max=_MOST_SEEDS, help="Random mappings.")] = 5,
    memory: Memory = "6 GiB",
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Simulate messages under the mapping of `nereus place`, packed, round-robin and random ones.

    Example: nereus simulate placement --pattern reduce --ranks 64 --bytes "20 MB"
    """
    _check_word(pattern, matrix)
    if matrix is not None:
        _check_matrix_alone({"--ranks": ranks, "--bytes": size})
    machine = read_topology(topology)
    rate = read_rate("--bandwidth", bandwidth)
    inside = read_rate("--memory-bandwidth", memory_bandwidth)
    count = read_bytes("--bytes", _USUAL_BYTES if size is None else size)
    asked = Placing(
        pattern=_pattern(pattern or "", matrix, ranks or machine.slots, count, iterations),
        topology=machine,
        cluster=Cluster(len(machine.hosts), 1, rate, read_latency(latency), inside, acks),
        iterations=iterations,
        compute_seconds=read_seconds("--compute", compute),
        limits=Limits(most_memory(memory)),
    )
    require()
    with stoppable() as stopped, TrialBar("simulate", seeds + 3, quiet) as bar:
        asked = replace(asked, limits=replace(asked.limits, stopped=stopped))
        found = compared(asked, seeds, bar.advance)
    if as_json:
        show_json({"pattern": asked.pattern.name, "ranks": asked.pattern.ranks, **found.document()})
    else:
        show(_table(asked, found, "" if matrix is None else what_counts(matrix)))


def _check_word(word: str | None, matrix: Path | None) -> None:
    if (word is None) == (matrix is None):
        raise Refused(f"--pattern: one of {', '.join(PATTERNS)}, or --matrix, is needed")
    if word is not None and word not in PATTERNS:
        raise Refused(f"--pattern {word}: allowed are {', '.join(PATTERNS)}")


def _check_matrix_alone(of_patterns: Mapping[str, int | str | None]) -> None:
    """Refused, since a matrix says these itself."""
    for option, value in of_patterns.items():
        if value is not None:
            raise Refused(f"{option} {value}: allowed with --pattern only; a matrix defines what is sent")


def _pattern(word: str, matrix: Path | None, ranks: int, count: int, iterations: int) -> Pattern:
    if matrix is not None:
        return of_matrix(matrix.name, read_traffic(matrix, Selection()), iterations)
    if ranks > _MOST_RANKS:
        raise Refused(f"--ranks {ranks}: allowed are 2 .. {_MOST_RANKS}")
    return PATTERNS[word](ranks, count)


def _table(asked: Placing, found: Compared, counted: str) -> "Table":
    from nereus.analysis.report.tables import new_table, number  # --json does without

    heading = (
        f"{asked.pattern.name}, {asked.pattern.ranks} ranks on {len(asked.topology.hosts)} hosts, simulated"
    )
    table = new_table("mapping", number("time"), number("over the chosen"), title=heading + counted)
    document = found.document()
    for name, seconds in document["seconds"].items():
        told = f"{name} (mean of {len(document['random'])})" if name == "random" else name
        chosen = " *" if name == found.chosen else ""
        table.add_row(told + chosen, seconds_text(seconds), change_text(found.gain(name)))
    return table
