# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench transfer - what it costs to move data, in every way."""

from pathlib import Path
from typing import Annotated

import typer

from nereus.analysis.report.transfer_picture import draw_transfers
from nereus.bench.networks import NETWORKS, SHM, network_of_jobs
from nereus.bench.transfer_rows import TransferRow, limits_of, rows_of, write_csv
from nereus.bench.transfer_trials import Found, TransferBench
from nereus.bench.transfer_ways import METHODS
from nereus.cli.bench_network import Gigabits, NetworkName
from nereus.cli.bench_transfer_table import show_transfers
from nereus.cli.bench_transfer_words import Asked, check_outputs, read_asked
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import complain, note, show_json
from nereus.cli.trial_bar import TrialBar
from nereus.launch import Build, Stopping, choose, fostering
from nereus.methods import TRANSFER_STRATEGIES


def transfer(
    before: Annotated[str, typer.Option("--from", metavar="N,...", help="Processes before.")] = "2",
    after: Annotated[str, typer.Option("--to", metavar="N,...", help="Processes after.")] = "4",
    size: Annotated[
        str, typer.Option("--bytes", metavar="SIZE", help="All data: 1000000 or 64MiB.")
    ] = "64MiB",
    arrays: Annotated[int, typer.Option(min=1, max=1000, help="Into how many arrays it is cut.")] = 1,
    constant_percent: Annotated[
        float,
        typer.Option(min=0, max=100, help="How much of it never changes, and may move in the background."),
    ] = 100,
    methods: Annotated[str, typer.Option(help="Methods, with commas between.")] = ",".join(METHODS),
    strategies: Annotated[str, typer.Option(help="Strategies, with commas between.")] = ",".join(
        TRANSFER_STRATEGIES
    ),
    process_methods: Annotated[str, typer.Option(help="Process methods, with commas between.")] = "merge",
    process_strategies: Annotated[
        str | None,
        typer.Option(
            help="Process strategies, with commas between; + joins those of one resize. "
            "If not given: auto,none with the network shm, else none.",
            show_default=False,
        ),
    ] = None,
    repeat: Annotated[int, typer.Option(min=1, help="Rounds over all ways.")] = 5,
    network_word: NetworkName = NETWORKS[0],
    gigabits: Gigabits = 10,
    check: Annotated[
        bool, typer.Option("--check", help="Compare all data after each resize, not only some.")
    ] = False,
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use.")] = None,
    as_json: JsonOption = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every single trial.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Folder for pictures.")] = None,
) -> None:
    """Time each way to move data, and what memory and MPI can do at best in the same run.

    Several sizes are taken in pairs: --from 2,4 --to 4,2 measures 2 to 4 and 4 to 2.

    Example: nereus bench transfer --from 2,4 --to 4,2 --bytes 256MiB --methods p2p,col,shm --repeat 5
    """
    words = {"from": before, "to": after, "bytes": size, "methods": methods, "strategies": strategies}
    words |= {"process-methods": process_methods, "network": network_word}
    if process_strategies is None:
        process_strategies = "auto,none" if network_word == SHM else "none"
    words["process-strategies"] = process_strategies
    asked = read_asked(words, arrays, constant_percent)
    check_outputs(csv, plot)
    build = choose(mpi)
    build.program("nereus-transfers")
    with Stopping() as stopping, fostering():

        def stopped() -> bool:
            return stopping.signal is not None

        with network_of_jobs(asked.network, gigabits, build, stopped) as over:
            bench = TransferBench(build, over, asked.amount, check=check, stopped=stopped)
            found = _rounds(bench, asked, repeat)
    rows = rows_of(asked.amount, found.trials, found.limits)
    _write(build, asked, found, rows, csv, plot)
    limits = limits_of([each for made in found.limits.values() for each in made])
    if as_json:
        rate = {"gigabits": gigabits} if asked.network == "limited" else {}
        heading = {"mpi": build.name, "network": asked.network, **rate, "limits": limits}
        show_json({**heading, "rows": [row.document() for row in rows]})
    else:
        show_transfers(rows, limits)
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; shown is what there is")
        raise typer.Exit(stopping.exit_code)
    raise typer.Exit(0 if any(row.works for row in rows) else 1)


def _rounds(bench: TransferBench, asked: Asked, repeat: int) -> Found:
    # The limits of a pair count as a trial.
    steps = repeat * len(asked.pairs) * (len(asked.ways) + 1)
    with TrialBar(bench.build.name, steps) as bar:
        return bench.rounds(asked.pairs, asked.ways, repeat, bar.advance)


def _write(
    build: Build,
    asked: Asked,
    found: Found,
    rows: list[TransferRow],
    csv: Path | None,
    plot: Path | None,
) -> None:
    if csv is not None:
        write_csv(csv, build.name, asked.network, asked.amount, found.trials)
        note(f"trials: {csv}")
    if plot is not None:
        for path in draw_transfers([row.document() for row in rows if row.works], plot):
            note(f"picture: {path}")
