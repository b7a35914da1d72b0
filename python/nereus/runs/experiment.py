# SPDX-License-Identifier: BSD-3-Clause
"""Runs one experiment: with which means, the job in its results folder, and how it ended."""

import json
import shutil
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from nereus import printable
from nereus.analysis.report import Progress
from nereus.config import Experiment, Loaded, emulation_of
from nereus.config.measured import read_measured
from nereus.launch import Build, builds, choose
from nereus.methods import RESTART
from nereus.probe import Joining, joining, probe, remedy
from nereus.runs.emulated_job import RUN_FILE, EmulatedJob, Ended, Means
from nereus.runs.error import RunError
from nereus.runs.recovering import protects_here_alone
from nereus.runs.where import Where


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
    check_protection(experiment, means.where)
    scratch = folder / "scratch"
    if experiment.scratch is None:
        scratch.mkdir()
    document = experiment.to_run(str(scratch.resolve()))
    try:
        (folder / RUN_FILE).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    except OSError as problem:
        raise RunError(f"--output = {folder}: cannot be written: {problem.strerror}") from problem
    try:
        job = EmulatedJob(experiment, means, folder, shown(document), stopped)
        return job.run(Path(experiment.scratch or scratch).absolute())
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def check_protection(experiment: Experiment, where: Where) -> None:
    """RunError where it cannot be had there."""
    protection = experiment.protection
    if protection is not None and protection.level == "memory" and not protects_here_alone(where):
        raise RunError("protection.level = memory: allowed for jobs on this host alone; disk protects others")
