# SPDX-License-Identifier: BSD-3-Clause
"""The command: trials until the time is over, or so many, or one again."""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from chaos_memory import made_since
from chaos_plan import Trial, draw
from chaos_report import Report
from chaos_trial import run_trial
from chaos_verdict import Observed, judge
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from conftest import shared_memory

_console = Console(stderr=True)


def chaos(
    minutes: Annotated[float, typer.Option(min=0.1, help="How long trials are begun.")] = 60.0,
    trials: Annotated[int, typer.Option(min=1, help="How many trials at most.")] = 1_000_000,
    seed: Annotated[int, typer.Option(min=0, help="What trials are drawn from.")] = 1,
    only: Annotated[int | None, typer.Option(min=0, help="The one trial to run.")] = None,
    mpi: Annotated[list[str] | None, typer.Option(help="MPI builds, in turns.")] = None,
    jobs: Annotated[
        int,
        typer.Option(min=1, max=64, help="Trials at a time; more than cores is fine: they mostly wait."),
    ] = 1,
    output: Annotated[
        Path | None, typer.Option(help="File for the counts so far, written after each trial.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One document on stdout.")] = False,
) -> None:
    """Resize jobs at random while processes of theirs are killed and stopped at random.

    Example: scripts/chaos --minutes 3 --seed 5 --mpi mpich
    """
    report, folder, before = Report(), Path(tempfile.mkdtemp(prefix="nereus-chaos-")), shared_memory()
    drawn = _drawn(seed, mpi or ["mpich", "openmpi"], only, trials, time.monotonic() + 60 * minutes)
    try:
        _run_all(drawn, folder, report, jobs, output)
    except KeyboardInterrupt:
        _console.print("stopped by Ctrl-C")
    report.of_unknown = sorted(map(str, made_since(before)))
    _keep(report, output)
    if as_json:
        json.dump(report.document, sys.stdout, indent=1)
        print()
    else:
        Console().print(report.table())
    if report.of_unknown:
        _console.print(f"in /dev/shm, perhaps of others: {report.of_unknown}", markup=False)
    if report.violations:
        _console.print(f"{len(report.violations)} violations; what these trials wrote is in {folder}")
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


def _run_all(drawn: Iterator[Trial], folder: Path, report: Report, jobs: int, output: Path | None) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=_console) as progress, ThreadPoolExecutor(jobs) as pool:
        bar = progress.add_task("trials", total=None)
        running: dict[Future[Observed], Trial] = {}

        def take_ended() -> None:
            for trial, observed in _ended(running):
                _note(trial, observed, folder, report, output)
            found = f"{report.kills} kills, {len(report.violations)} violations"
            progress.update(bar, advance=1, description=found)

        for trial in drawn:
            running[pool.submit(run_trial, trial, _folder_of(trial, folder))] = trial
            if len(running) >= jobs:
                take_ended()
        while running:
            take_ended()


def _folder_of(trial: Trial, folder: Path) -> Path:
    own = folder / trial.name
    own.mkdir()
    return own


def _ended(running: dict[Future[Observed], Trial]) -> Iterator[tuple[Trial, Observed]]:
    ended, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in ended:
        yield running.pop(future), future.result()


def _note(trial: Trial, observed: Observed, folder: Path, report: Report, output: Path | None) -> None:
    report.add(trial, observed)
    if judge(observed).is_violation:
        _describe(trial, observed, folder / trial.name)
    else:
        shutil.rmtree(folder / trial.name, ignore_errors=True)
    _keep(report, output)


def _keep(report: Report, output: Path | None) -> None:
    if output is not None:
        new = output.with_name(f"{output.name}.new")
        new.write_text(json.dumps(report.document, indent=1))
        new.replace(output)


def _describe(trial: Trial, observed: Observed, folder: Path) -> None:
    text = json.dumps({"trial": asdict(trial), "seen": asdict(observed)}, indent=1)
    (folder / "trial.json").write_text(text)
    why = observed.hung or observed.left or observed.broke.strip().rpartition("\n")[2]
    _console.print(f"{judge(observed)}: trial {trial.name} {why}", markup=False)


if __name__ == "__main__":
    typer.run(chaos)
