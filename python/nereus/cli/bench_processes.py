# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench processes - what it costs to make processes, in every way."""

from pathlib import Path
from typing import Annotated

import typer

from nereus.bench.combinations import Combination
from nereus.bench.process_rows import Row, rows_of, write_csv
from nereus.bench.process_trials import Bench, Sizes, Trial
from nereus.cli.bench_table import show_rows
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, note, show_json
from nereus.cli.process_ways import read_ways
from nereus.cli.trial_bar import TrialBar
from nereus.launch import Build, Stopping, choose, fostering, most_ranks
from nereus.methods import PROCESS_METHODS
from nereus.probe import joining

_STRATEGIES = "none,asynchronous,single,multiple,parallel,join,asynchronous+join,wake"


def processes(
    before: Annotated[int, typer.Option("--from", min=1, help="Processes before.")] = 2,
    after: Annotated[int, typer.Option("--to", min=2, help="Processes after; more than before.")] = 4,
    methods: Annotated[str, typer.Option(help="Process methods, with commas between.")] = ",".join(
        PROCESS_METHODS
    ),
    strategies: Annotated[
        str, typer.Option(help="Strategies, with commas between; + joins those of one resize.")
    ] = _STRATEGIES,
    repeat: Annotated[int, typer.Option(min=1, help="Rounds over all ways.")] = 10,
    mpi: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="MPI build to use; may be given again.")
    ] = None,
    as_json: JsonOption = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every single trial.")] = None,
) -> None:
    """Time each way to make processes: medians, and the median deviation from them.

    Example: nereus bench processes --from 2 --to 4 --methods merge --strategies none,join,wake
    """
    ways = _ways(methods, strategies)
    sizes = _sizes(before, after)
    if csv is not None and not csv.parent.is_dir():
        raise Refused(f"--csv = {csv}: there is no folder {csv.parent}")
    chosen = [choose(name) for name in mpi] if mpi else [choose()]
    trials: dict[str, list[Trial]] = {}
    with Stopping() as stopping, fostering():
        for build in chosen:
            trials[build.name] = _rounds(build, ways, sizes, repeat, stopping)
    rows = [row for name, made in trials.items() for row in rows_of(name, sizes, ways, made)]
    _present(rows, sizes, trials, as_json, csv)
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; shown is what there is")
        raise typer.Exit(stopping.exit_code)
    raise typer.Exit(0 if any(row.works for row in rows) else 1)


def _sizes(before: int, after: int) -> Sizes:
    if after <= before:
        raise Refused(f"--to = {after}: must be more than --from, {before}")
    if after > most_ranks():
        raise Refused(f"--to = {after}: this machine is asked for at most {most_ranks()} processes")
    return Sizes(before, after)


def _ways(methods: str, strategies: str) -> list[Combination]:
    named = methods.split(",")
    for method in named:
        if method not in PROCESS_METHODS:
            raise Refused(
                f"--methods = {methods}: {method or '(empty)'}: allowed are {', '.join(PROCESS_METHODS)}"
            )
    return read_ways(named, "--strategies", strategies)


def _rounds(
    build: Build, ways: list[Combination], sizes: Sizes, repeat: int, stopping: Stopping
) -> list[Trial]:
    """All trials with one build."""

    def stopped() -> bool:
        return stopping.signal is not None

    joins = joining(build, stopped=stopped)
    trying = Bench(build, joins, sizes, stopped=stopped)
    with TrialBar(build.name, repeat * len(ways)) as bar:
        return trying.rounds(ways, repeat, lambda way: bar.advance(way.text))


def _present(
    rows: list[Row], sizes: Sizes, trials: dict[str, list[Trial]], as_json: bool, csv: Path | None
) -> None:
    if csv is not None:
        write_csv(csv, sizes, trials)
        note(f"trials: {csv}")
    if as_json:
        show_json({"rows": [row.document() for row in rows]})
    else:
        show_rows(rows)
