# SPDX-License-Identifier: BSD-3-Clause
"""Runs one experiment: its results folder, the job in it, and how it ended."""

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nereus.analysis.report import Progress
from nereus.cli.messages import Refused
from nereus.cli.where import Where, founding
from nereus.config import Experiment
from nereus.launch import Build, Outcome
from nereus.probe import Joining
from nereus.supervisor import Job


@dataclass(frozen=True)
class Ended:
    """A job that is over: how it ended, or None when it was stopped, and what its programs complained of."""

    outcome: Outcome | None
    complaints: list[str]


def new_folder(wanted: Path | None, name: str) -> Path:
    """An empty results folder: the wanted one, or a new one under `results`."""
    if wanted is not None:
        return _empty(wanted)
    stem = f"{name}-{datetime.now():%Y%m%d-%H%M%S}"
    for number in range(1, 1000):
        folder = Path("results") / (stem if number == 1 else f"{stem}-{number}")
        with suppress(FileExistsError):
            _make(folder, exist_ok=False)
            return folder
    raise Refused(f"results/{stem}: there are too many of this name")


@dataclass(frozen=True)
class Means:
    """What an experiment runs with: an MPI, hosts, and whether newcomers can join."""

    build: Build
    where: Where
    join: Joining


def run(
    experiment: Experiment, means: Means, folder: Path, quiet: bool, stopped: Callable[[], bool]
) -> Ended:
    """Run the experiment in `folder`, showing its progress, until it is over or `stopped()` says so."""
    results, scratch = folder / "run.jsonl", folder / "scratch"
    if experiment.scratch is None:
        scratch.mkdir()
    document = experiment.to_run(str(scratch.resolve()))
    try:
        (folder / "run.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    except OSError as problem:
        raise Refused(f"--output = {folder}: cannot be written: {problem.strerror}") from problem
    arguments = (str(folder / "run.json"), "--results", str(results))
    first, program = experiment.groups[0], means.build.program("nereus-emulator")
    founders, settings = founding(first.ranks, first.release_unit)
    settings["NEREUS_MAX_RANKS"] = str(experiment.max_ranks)  # no more are made
    start = means.where.supervision(means.build, program, arguments, founders, means.join, settings)
    try:
        with Job(start, folder / "output.txt") as job:
            progress = Progress(document, quiet=quiet)
            progress.follow(results, lambda: job.running() and not stopped(), job.attend)
            outcome = None if job.running() else job.outcome()
        return Ended(outcome, _complaints(job.text()))
    finally:
        _tidy(folder, scratch)


def is_full(folder: Path) -> bool:
    """Whether nothing more can be written there, so that a program could not even say why it ended."""
    return shutil.disk_usage(folder).free == 0


def _empty(folder: Path) -> Path:
    if folder.exists() and not folder.is_dir():
        raise Refused(f"--output = {folder}: is a file; a folder is needed that is empty or not there yet")
    _make(folder, exist_ok=True)
    if any(folder.iterdir()):
        raise Refused(f"--output = {folder}: is not empty; results are never written over others")
    return folder


def _make(folder: Path, exist_ok: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=exist_ok)
    except FileExistsError:
        raise
    except OSError as problem:
        raise Refused(f"{folder}: cannot be made: {problem.strerror}") from problem


def _complaints(text: str) -> list[str]:
    """What our own programs said; the rest of the output, the launcher's banners, stays in its file."""
    return [line for line in text.splitlines() if line.startswith("nereus")]


def _tidy(folder: Path, scratch: Path) -> None:
    shutil.rmtree(scratch, ignore_errors=True)
    output = folder / "output.txt"
    if output.exists() and output.stat().st_size == 0:
        output.unlink()
