# SPDX-License-Identifier: BSD-3-Clause
"""Runs one experiment: with which means, the job in its results folder, and how it ended."""

import json
import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nereus import printable
from nereus.analysis.report import Progress
from nereus.analysis.report.energy import FILE_NAME as ENERGY
from nereus.config import Experiment, Loaded, emulation_of
from nereus.config.measured import read_measured
from nereus.launch import Build, Outcome, builds, choose
from nereus.launch.energy import PackageEnergy
from nereus.methods import RESTART
from nereus.probe import Joining, joining, probe, remedy
from nereus.runs.error import RunError
from nereus.runs.where import Where, founding
from nereus.supervisor import Job


@dataclass(frozen=True)
class Ended:
    """A job that is over: how it ended, or None when it was stopped, and what its programs complained of."""

    outcome: Outcome | None
    complaints: list[str]


@dataclass(frozen=True)
class Means:
    """What an experiment runs with: an MPI, hosts, and whether newcomers can join."""

    build: Build
    where: Where
    join: Joining


def load_measured(file: Path) -> Loaded:
    """The experiment that emulates the application that wrote this, for the same MPI."""
    experiment = emulation_of(file).model_copy(update={"mpi": _mpi_of(file)})
    return Loaded(experiment, {}, [], "measured")


def _mpi_of(measured: Path) -> str | None:
    """The build for the MPI under which it was measured; None where there is none, or it is not known."""
    library = read_measured(measured).header.mpi
    return next((build.name for build in builds() if library and build.is_for(library)), None)


def build_for(loaded: Loaded, file: Path, mpi: str | None) -> Build:
    """The build that --mpi names, else the one that the experiment is for, else the usual one."""
    wanted = loaded.experiment.mpi
    usual = choose(mpi)
    if mpi is not None or wanted is None:
        return usual
    named = {build.name: build for build in builds()}
    if wanted not in named:
        raise RunError(
            f"{loaded.origins.get('mpi', file)}: mpi = {printable(wanted)}: no such MPI build; installed are "
            f"{', '.join(named)}; --mpi takes one in its place"
        )
    return named[wanted]


def means_for(methods: Collection[str], build: Build, where: Where, stopped: Callable[[], bool]) -> Means:
    """For resizes by these process methods; RunError for an MPI that cannot make the processes of one.

    Nothing was started then.
    """
    if all(method == RESTART for method in methods):
        return Means(build, where, Joining(False, "no resize needs it"))
    obstacle = probe(build, stopped=stopped).obstacle
    if obstacle is not None and not stopped():
        raise RunError(f"--mpi = {build.name}: this MPI cannot resize a job ({obstacle}); {remedy(build)}")
    return Means(build, where, joining(build, where.reach, stopped=stopped))


def run(
    experiment: Experiment,
    means: Means,
    folder: Path,
    shown: Callable[[Mapping[str, Any]], Progress],
    stopped: Callable[[], bool],
) -> Ended:
    """Run the experiment in `folder` until it is over or `stopped()` says so.

    `shown`: makes what shows its progress, of the document of its run file.
    """
    results, scratch = folder / "run.jsonl", folder / "scratch"
    if experiment.scratch is None:
        scratch.mkdir()
    document = experiment.to_run(str(scratch.resolve()))
    try:
        (folder / "run.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    except OSError as problem:
        raise RunError(f"--output = {folder}: cannot be written: {problem.strerror}") from problem
    arguments = (str(folder / "run.json"), "--results", str(results))
    first, program = experiment.groups[0], means.build.program("nereus-emulator")
    founders, settings = founding(first.ranks, first.release_unit)
    settings["NEREUS_MAX_RANKS"] = str(experiment.max_ranks)  # no more are made
    start = means.where.supervision(means.build, program, arguments, founders, means.join, settings)
    try:
        with Job(start, folder / "output.txt") as job:
            energy = PackageEnergy()

            def attend(seconds: float) -> None:
                job.attend(seconds)
                energy.look()

            shown(document).follow(results, lambda: job.running() and not stopped(), attend)
            _keep(energy, folder)
            outcome = None if job.running() else job.outcome()
        return Ended(outcome, _complaints(job.text()))
    finally:
        _tidy(folder, scratch)


def _keep(energy: PackageEnergy, folder: Path) -> None:
    """What this host used meanwhile, where that can be read."""
    used = energy.look()
    if used is not None:
        with suppress(OSError):  # a full disk: the run's own results are there
            (folder / ENERGY).write_text(json.dumps(used.document()) + "\n", encoding="utf-8")


def _complaints(text: str) -> list[str]:
    """What our own programs said; the rest of the output, the launcher's banners, stays in its file."""
    return [line for line in text.splitlines() if line.startswith("nereus")]


def _tidy(folder: Path, scratch: Path) -> None:
    shutil.rmtree(scratch, ignore_errors=True)
    output = folder / "output.txt"
    if output.exists() and output.stat().st_size == 0:
        output.unlink()
