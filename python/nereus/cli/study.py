# SPDX-License-Identifier: BSD-3-Clause
"""nereus study FILE - make the runs of a study, or those that are missing."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from nereus.analysis.report.units import duration_text, seconds_text
from nereus.analysis.study import (
    Planned,
    Record,
    Store,
    Study,
    load_study,
    planned_runs,
    runs_left,
    seconds_left,
    summary,
)
from nereus.analysis.study.variants import variant
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, note, say, show_json, warn
from nereus.cli.trial_bar import TrialBar
from nereus.launch import RANKS_PER_CORE, Stopping, choose, fostering, most_ranks
from nereus.runs import Where
from nereus.runs.experiment import means_for
from nereus.runs.study import Runner, check_programs
from nereus.simulation.live import is_live
from nereus.supervisor import check_control_socket


def study(
    file: Annotated[
        Path, typer.Argument(help="Study file (docs/formats/study.md), or a scenario with a table live.")
    ],
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="STUDY", help="Folder for results, or a study to continue; default studies/NAME."
        ),
    ] = None,
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use (nereus doctor).")] = None,
    as_json: JsonOption = False,
    plan: Annotated[bool, typer.Option("--plan", help="Print which runs are to be made; make none.")] = False,
    max_ranks: Annotated[
        int | None,
        typer.Option(min=1, help=f"Most ranks to start; if not given, {RANKS_PER_CORE} for each core."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what went wrong.")] = False,
) -> None:
    """Make the runs of a study in random order; when started again, those that are missing or failed.

    Of a scenario with a table live (docs/reference/io-study.md): real jobs under a daemon, and simulated.

    Example: nereus study examples/study/emulated.toml --folder studies/first
    """
    if is_live(file):
        from nereus.cli.study_live import study_live  # the daemon's policies take long to import

        study_live(file, lambda name: folder or Path("studies") / name, mpi, max_ranks, as_json, plan, quiet)
        return
    wanted = load_study(file)
    runs = planned_runs(wanted)
    if plan:
        _show_plan(runs, as_json)
        return
    build = choose(mpi)
    _check_sizes(wanted, file, max_ranks)
    check_programs(wanted, file, build, warn)
    with Stopping() as stopping, fostering():
        check_control_socket()
        os.environ.update(wanted.environment)
        methods = {variant(name).way.processes.method for name in wanted.variants} if wanted.pairs else ()
        means = means_for(methods, build, Where(warn), lambda: stopping.signal is not None)
        with Store(folder or Path("studies") / wanted.name, file, wanted.name) as store:
            if stopping.signal is None:
                runner = Runner(wanted, file, means, store, lambda: stopping.signal is not None)
                left = runs_left(runs, store)
                note(_outlook(wanted.name, len(left), len(runs), seconds_left(left, store)), quiet)
                _make(runner, left, quiet)
            made = summary(runs, store)
    _tell(made, as_json, quiet)
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; run the same command to continue")
        raise typer.Exit(stopping.exit_code)
    raise typer.Exit(1 if made["failed"] else 0)


def _show_plan(runs: Sequence[Planned], as_json: bool) -> None:
    names = [run.name for run in runs]
    if as_json:
        show_json(names)
        return
    for name in names:
        say(name)


def _check_sizes(wanted: Study, file: Path, max_ranks: int | None) -> None:
    limit = max_ranks or most_ranks()
    greatest = max(wanted.model_sizes)
    if greatest > limit:
        rule = "--max-ranks" if max_ranks else f"{RANKS_PER_CORE} for each core; see --max-ranks"
        raise Refused(f"{file}: size = {greatest}: the launcher is asked for at most {limit} ({rule})")


def _outlook(name: str, left: int, planned: int, seconds: float | None) -> str:
    """What will be done; how long it takes is known where runs were made before."""
    counts = f"{name}: {left} of {planned} runs are to be made"
    if not left:
        return counts
    return f"{counts}, which take about {duration_text(seconds)}" if seconds is not None else counts


def _make(runner: Runner, runs: Sequence[Planned], quiet: bool) -> None:
    """Make the runs, and show how far that is."""
    begin = time.monotonic()
    with TrialBar(runner.study.name, len(runs), quiet) as bar:
        for number, (planned, record) in enumerate(runner.make(runs), start=1):
            mean = (time.monotonic() - begin) / number
            bar.advance(_progress(planned, record, mean * (len(runs) - number)))


def _progress(planned: Planned, record: Record, seconds_left: float) -> str:
    fate = seconds_text(record.seconds) if record.good else "failed"
    return f"{planned.text}: {fate}, about {duration_text(seconds_left)} left"


def _tell(made: dict[str, Any], as_json: bool, quiet: bool) -> None:
    failed = made["failed"]
    if as_json:
        show_json(made)
    for failure in failed[:5]:
        complain(f"{failure['run']}: {failure['reason']}")
    if len(failed) > 5:
        complain(f"{len(failed) - 5} more runs failed")
    counts = f"{made['good']} of {made['planned']} runs are good, {len(failed)} failed"
    note(f"{counts}; results: {made['folder']} (nereus report {made['folder']})", quiet)
