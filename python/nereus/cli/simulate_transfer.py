# SPDX-License-Identifier: BSD-3-Clause
"""nereus simulate transfer - redistributions on a simulated cluster, by the code that moves real data."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.analysis.report.units import bytes_text, ratio_text, seconds_text
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, note, show, show_json
from nereus.cli.picture_file import check_picture
from nereus.cli.simulate_cluster import (
    Acknowledged,
    Cores,
    Latency,
    Memory,
    MemoryRate,
    Nodes,
    most_memory,
    stoppable,
)
from nereus.cli.trial_bar import TrialBar
from nereus.simulation.network import (
    METHODS,
    PACKED,
    PLACEMENTS,
    USUAL_METHODS,
    Case,
    Cluster,
    Limits,
    Simulated,
    cases_of,
    check_size,
    paper_pairs,
    rate_text,
    read_bytes,
    read_latency,
    read_rate,
    redistributions,
    require,
    spawn_seconds_in,
)

if TYPE_CHECKING:
    from rich.table import Table

_RATES = ("100 Gbit/s", "10 Gbit/s")
_MOST_CHECKED = 2**28


def transfer(
    pair: Annotated[
        list[str] | None,
        typer.Option(metavar="FROM:TO", help="Ranks before and after, again for each; default: the papers'."),
    ] = None,
    nodes: Nodes = 8,
    cores: Cores = 20,
    bandwidth: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RATE", help=f"Of each host's link, again for each; default {' and '.join(_RATES)}."
        ),
    ] = None,
    latency: Latency = "1 us",
    memory_bandwidth: MemoryRate = "400 Gbit/s",
    acks: Acknowledged = True,
    size: Annotated[str, typer.Option("--bytes", metavar="SIZE", help="All data.")] = "1 GiB",
    method: Annotated[str, typer.Option(help="Methods, with commas between.")] = ",".join(USUAL_METHODS),
    placement: Annotated[
        str, typer.Option(metavar="|".join(PLACEMENTS), help="How hosts get ranks.")
    ] = PACKED,
    spawn: Annotated[
        str | None,
        typer.Option(
            metavar="S|FILE", help="Seconds to make a process, or what `bench processes --json` printed."
        ),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Carry real bytes and compare them.")] = False,
    memory: Memory = "6 GiB",
    as_json: JsonOption = False,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw times over their bounds by pair there.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Simulate how long data moves between ranks, beside what the network takes at least.

    Example: nereus simulate transfer --pair 160:80 --method p2p,rma-lock
    """
    if picture is not None:
        check_picture(picture)
    limit = most_memory(memory)
    count = read_bytes("--bytes", size)
    if check and count > _MOST_CHECKED:
        raise Refused(
            f"--check: real bytes take memory: --bytes up to {bytes_text(_MOST_CHECKED)} are allowed"
        )
    rates = [read_rate("--bandwidth", text) for text in bandwidth or _RATES]
    inside = read_rate("--memory-bandwidth", memory_bandwidth)
    clusters = [Cluster(nodes, cores, rate, read_latency(latency), inside, acks) for rate in rates]
    cases = cases_of(_pairs(pair), clusters, _methods(method), _placement(placement), count)
    each = _spawn_seconds(spawn)
    cases = [replace(case, check=check, spawn_seconds=each) for case in cases]
    for case in cases:
        check_size(case)
    require()
    with stoppable() as stopped:
        rows = _rows(cases, Limits(limit, stopped), quiet)
    if as_json:
        show_json({**_heading(clusters[0], count, placement), "rows": [row.document() for row in rows]})
    else:
        show(_table(rows, clusters[0], count))
    if picture is not None:
        from nereus.simulation.network.picture import draw_ratios  # matplotlib takes long to import

        draw_ratios(rows, picture)
        note(f"written: {picture}", quiet)


def _pairs(texts: Sequence[str] | None) -> list[tuple[int, int]]:
    if not texts:
        return paper_pairs()
    return list(dict.fromkeys(_pair(text) for text in texts))


def _pair(text: str) -> tuple[int, int]:
    words = text.split(":")
    if len(words) != 2 or not all(word.isascii() and word.isdigit() and len(word) < 8 for word in words):
        raise Refused(f"--pair {text}: allowed are ranks before and after, as 160:80")
    before, after = map(int, words)
    if min(before, after) < 1 or before == after:
        raise Refused(f"--pair {text}: allowed are two different numbers of ranks, from 1")
    return before, after


def _methods(text: str) -> list[str]:
    for word in text.split(","):
        if word not in METHODS:
            raise Refused(f"--method {text}: {word or '(empty)'}: allowed are {', '.join(METHODS)}")
    return list(dict.fromkeys(text.split(",")))


def _placement(word: str) -> str:
    if word not in PLACEMENTS:
        raise Refused(f"--placement {word}: allowed are {', '.join(PLACEMENTS)}")
    return word


def _spawn_seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        return spawn_seconds_in(Path(text))
    if not 0 <= seconds <= 3600:
        raise Refused(f"--spawn {text}: allowed are 0 to 3600 seconds for a process")
    return seconds


def _rows(cases: Sequence[Case], limits: Limits, quiet: bool) -> list[Simulated]:
    with TrialBar("simulate", len(cases), quiet) as bar:
        return redistributions(cases, limits, lambda row: bar.advance(row.case.text))


def _heading(cluster: Cluster, count: int, placement: str) -> dict[str, object]:
    return {
        "nodes": cluster.hosts,
        "cores": cluster.cores,
        "latency": cluster.latency,
        "memory_bandwidth": cluster.memory_bandwidth,
        "acknowledgements": cluster.acknowledgements,
        "bytes": count,
        "placement": placement,
    }


def _table(rows: Sequence[Simulated], cluster: Cluster, count: int) -> "Table":
    from nereus.analysis.report.tables import new_table, number  # --json does without

    machine = f"{cluster.hosts} hosts of {cluster.cores} cores"
    title = f"{bytes_text(count)} on {machine}, simulated"
    figures = ("time", "bound", "time/bound", "of SMPI's rate", "spawn", "wall time")
    table = new_table(number("ranks"), number("link"), "method", *map(number, figures), title=title)
    for row in rows:
        case = row.case
        table.add_row(
            f"{case.before} → {case.after}",
            rate_text(case.cluster.bandwidth),
            case.method,
            seconds_text(row.seconds),
            seconds_text(row.bound),
            ratio_text(row.ratio),
            ratio_text(row.model_ratio),
            seconds_text(row.spawn),
            seconds_text(row.answer["wall_seconds"]),
        )
    return table
