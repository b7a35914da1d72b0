# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench monitor - what it costs to watch a program, call by call."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.analysis.monitor.overhead_picture import draw_overheads
from nereus.analysis.report.units import bytes_text, p_text, percent_text, seconds_text
from nereus.bench.monitor_costs import CALLS, CallBench, Row
from nereus.bench.networks import NETWORKS, network
from nereus.bench.paired import LEVEL
from nereus.cli.bench_network import Gigabits, NetworkName, check_network
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, note, show, show_json
from nereus.cli.picture_file import check_picture
from nereus.cli.trial_bar import TrialBar
from nereus.launch import LaunchError, Stopping, choose

if TYPE_CHECKING:
    from rich.table import Table

_USUAL = "send,alltoall,put"
_SIZES = "0,64,4096,65536,1048576"


def monitor(
    ranks: Annotated[str, typer.Option(help="Numbers of processes, with commas between.")] = "2",
    calls: Annotated[str, typer.Option(help="Calls, with commas between.")] = _USUAL,
    sizes: Annotated[str, typer.Option("--bytes", help="Sizes of messages, with commas between.")] = _SIZES,
    repeat: Annotated[int, typer.Option(min=1, help="Batches of each, with the sensor and without.")] = 15,
    network_word: NetworkName = NETWORKS[0],
    gigabits: Gigabits = 10,
    mpi: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="MPI build to use; may be given again.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw maps of the overhead by size and ranks there.")
    ] = None,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Time calls of MPI with a sensor and without, in turns: the monitor's, and Open MPI's own if there.

    Example: nereus bench monitor --ranks 2,4 --calls send --bytes 0,4096
    """
    plan = ["--calls", _checked_calls(calls), "--bytes", ",".join(map(str, _numbers("--bytes", sizes, 0)))]
    numbers = _numbers("--ranks", ranks, 2)
    check_network(network_word)
    if picture is not None:
        check_picture(picture)
    chosen = [choose(name) for name in mpi] if mpi else [choose()]
    rows: list[Row] = []
    with (
        Stopping() as stopping,
        network(network_word, gigabits) as over,
        TrialBar("bench monitor", len(chosen) * len(numbers), quiet) as bar,
    ):

        def stopped() -> bool:
            return stopping.signal is not None

        for build in chosen:
            for number in numbers:
                if stopped():
                    break
                try:
                    rows += CallBench(build, over, number, plan, repeat, stopped).rows()
                except LaunchError:
                    if not stopped():
                        raise
                bar.advance(f"{build.name}, {number} processes")
    if as_json:
        show_json({"rows": [row.document() for row in rows]})
    else:
        show(_table(rows))
    if picture is not None and rows:
        draw_overheads([row.document() for row in rows], LEVEL, picture)
        note(f"picture: {picture}", quiet)
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; shown is what there is")
        raise typer.Exit(stopping.exit_code)


def _numbers(option: str, text: str, least: int) -> list[int]:
    try:
        found = [int(word) for word in text.split(",")]
    except ValueError:
        found = [least - 1]
    if min(found) < least:
        raise Refused(f"{option} = {text}: whole numbers from {least} are allowed, with commas between")
    return found


def _checked_calls(text: str) -> str:
    for word in text.split(","):
        if word not in CALLS:
            raise Refused(f"--calls = {text}: {word or '(empty)'}: allowed are {', '.join(CALLS)}")
    return text


def _table(rows: Sequence[Row]) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    figures = ("size", "processes", "without", "with", "added", "overhead", "p")
    made = new_table("MPI", "sensor", "call", *map(number, figures))
    for row in rows:
        times = (row.off_nanoseconds, row.on_nanoseconds, row.added_nanoseconds)
        cells = (
            bytes_text(row.bytes),
            str(row.ranks),
            *(seconds_text(each * 1e-9) for each in times),
            percent_text(row.overhead_percent / 100),
            p_text(row.p_value),
        )
        made.add_row(row.mpi, row.sensor, row.call, *cells)
    return made
