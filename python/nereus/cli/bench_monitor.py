# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench monitor - what it costs to watch a program, call by call."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.bench.monitor_costs import CALLS, Row, rows_of
from nereus.cli.messages import Refused, complain, show, show_json
from nereus.launch import Stopping, choose

if TYPE_CHECKING:
    from rich.table import Table

_USUAL = "send,alltoall,put"
_SIZES = "0,64,4096,65536,1048576"


def monitor(
    ranks: Annotated[str, typer.Option(help="Numbers of processes, with commas between.")] = "2",
    calls: Annotated[str, typer.Option(help="Calls, with commas between.")] = _USUAL,
    sizes: Annotated[str, typer.Option("--bytes", help="Sizes of messages, with commas between.")] = _SIZES,
    repeat: Annotated[int, typer.Option(min=1, help="Batches of each, with the sensor and without.")] = 15,
    mpi: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="MPI build to use; may be given again.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """Time calls of MPI with a sensor and without, in turns: the monitor's, and Open MPI's own if there.

    Example: nereus bench monitor --ranks 2,4 --calls send --bytes 0,4096
    """
    plan = ["--calls", _checked_calls(calls), "--bytes", ",".join(map(str, _numbers("--bytes", sizes, 0)))]
    numbers = _numbers("--ranks", ranks, 2)
    chosen = [choose(name) for name in mpi] if mpi else [choose()]
    rows: list[Row] = []
    with Stopping() as stopping:
        for build in chosen:
            for number in numbers:
                if stopping.signal is None:
                    rows += rows_of(build, number, plan, repeat)
    if as_json:
        show_json({"rows": [asdict(row) for row in rows]})
    else:
        show(_table(rows))
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
    from rich.table import Table

    names = ("MPI", "sensor", "call", "bytes", "processes", "without", "with", "added", "overhead")
    made = Table(*names, box=None, pad_edge=False)
    for row in rows:
        times = (row.off_nanoseconds, row.on_nanoseconds, row.added_nanoseconds)
        figures = (
            str(row.bytes),
            str(row.ranks),
            *(f"{each:.0f} ns" for each in times),
            f"{row.overhead_percent:.2f} %",
        )
        made.add_row(row.mpi, row.sensor, row.call, *figures)
    return made
