# SPDX-License-Identifier: BSD-3-Clause
"""The command: trials until the time is over, or so many, or one again."""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Annotated

import typer
from chaos_plan import Trial, draw
from chaos_report import Report
from chaos_trial import run_trial
from chaos_verdict import Observed, judge
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

_console = Console(stderr=True)


def chaos(
    minutes: Annotated[float, typer.Option(min=0.1, help="How long trials are begun.")] = 60.0,
    trials: Annotated[int, typer.Option(min=1, help="How many trials at most.")] = 1_000_000,
    seed: Annotated[int, typer.Option(min=0, help="What trials are drawn from.")] = 1,
    only: Annotated[int | None, typer.Option(min=0, help="The one trial to run.")] = None,
    mpi: Annotated[list[str] | None, typer.Option(help="MPI builds, in turns.")] = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Trials at a time.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="One document on stdout.")] = False,
) -> None:
    """Resize jobs at random while processes of theirs are killed and stopped at random.

    Example: scripts/chaos --minutes 3 --seed 5 --mpi mpich
    """
    report, folder = Report(), Path(tempfile.mkdtemp(prefix="nereus-chaos-"))
    drawn = _drawn(seed, mpi or ["mpich", "openmpi"], only, trials, time.monotonic() + 60 * minutes)
    try:
        _run_all(drawn, folder, report, jobs)
    except KeyboardInterrupt:
        _console.print("stopped by Ctrl-C")
    if as_json:
        json.dump(report.document(), sys.stdout, indent=1)
        print()
    else:
        Console().print(report.table())
    if report.faults:
        _console.print(f"{len(report.faults)} faults; what these trials wrote is in {folder}")
        raise typer.Exit(1)
    shutil.rmtree(folder, ignore_errors=True)


def _drawn(seed: int, mpis: list[str], only: int | None, most: int, until: float) -> Iterator[Trial]:
    if only is not None:
        yield from (draw(seed, only, mpi) for mpi in mpis)
        return
    for number in range(most):
        if time.monotonic() >= until:
            return
        yield draw(seed, number, mpis[number % len(mpis)])


def _run_all(drawn: Iterator[Trial], folder: Path, report: Report, jobs: int) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_console) as progress, ThreadPoolExecutor(jobs) as pool:
        bar = progress.add_task("trials", total=None)
        running: dict[Future[Observed], Trial] = {}
        for trial in drawn:
            running[pool.submit(run_trial, trial, _folder_of(trial, folder))] = trial
            if len(running) >= jobs:
                _take_ended(running, folder, report)
            progress.update(bar, advance=1, description=f"{report.kills} kills, {len(report.faults)} faults")
        while running:
            _take_ended(running, folder, report)


def _folder_of(trial: Trial, folder: Path) -> Path:
    own = folder / trial.name
    own.mkdir()
    return own


def _take_ended(running: dict[Future[Observed], Trial], folder: Path, report: Report) -> None:
    ended, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in ended:
        trial, observed = running.pop(future), future.result()
        report.add(trial, observed)
        if judge(observed).is_fault:
            _describe(trial, observed, folder / trial.name)
        else:
            shutil.rmtree(folder / trial.name, ignore_errors=True)


def _describe(trial: Trial, observed: Observed, folder: Path) -> None:
    text = json.dumps(report_of(trial, observed), indent=1)
    (folder / "trial.json").write_text(text)
    _console.print(f"{judge(observed)}: trial {trial.name} {observed.hung} {observed.left or ''}")


def report_of(trial: Trial, observed: Observed) -> dict[str, object]:
    """What is kept of a trial with a fault."""
    steps = [(step.ranks, step.options, step.strike.text if step.strike else "") for step in trial.steps]
    seen = {key: value for key, value in vars(observed).items() if value}
    return {"founders": trial.founders, "settings": trial.settings, "steps": steps, "seen": seen}


if __name__ == "__main__":
    typer.run(chaos)
