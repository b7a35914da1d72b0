# SPDX-License-Identifier: BSD-3-Clause
"""nereus build - a build of Nereus for an MPI that is there already."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from nereus.building import (
    BuildingError,
    Compilation,
    ForeignMpi,
    MpiTools,
    ShareableBuild,
    Source,
    mpi_tools,
    shareable_build,
    source,
    usual_name,
)
from nereus.building.compilation import TARGETS
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, note, show_json
from nereus.cli.progress_bar import ProgressBar
from nereus.launch import Stopped, builds_folder, left_when_stopped

_ALL, _EMULATE = "all", "emulate"
_LINE_EVERY_SECONDS = 30.0
_TARGET_OF = dict(zip((_EMULATE, _ALL), TARGETS, strict=True))


def build(
    with_mpi: Annotated[
        str,
        typer.Option(
            metavar="MPICC",
            help="The MPI's compiler wrapper for C, as /opt/mpi/bin/mpicc.",
            show_default=False,
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What `--mpi` calls it; if not given, its family and version."),
    ] = None,
    mpiexec: Annotated[
        str | None, typer.Option(metavar="FILE", help="Its launcher, if it is not beside the wrapper.")
    ] = None,
    compiled: Annotated[
        bool, typer.Option("--compile", help="Compile also where the programs of the wheel run with it.")
    ] = False,
    only: Annotated[
        str,
        typer.Option(metavar="all|emulate", help="emulate: what `nereus emulate` and `nereus doctor` need."),
    ] = _ALL,
    source_folder: Annotated[
        Path | None,
        typer.Option("--source", metavar="DIR", help="A source tree; if not given, that of this package."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a build of Nereus for an MPI that is there already, beside the others.

    Where Nereus came in a wheel and the MPI has the ABI of MPICH, as Intel MPI has, nothing is compiled.

    Example: nereus build --with-mpi /opt/mpi/bin/mpicc --name mine
    """
    began = time.monotonic()
    if only not in _TARGET_OF:
        raise Refused(f"--only = {only}: allowed are {_ALL} and {_EMULATE}")
    place = source(source_folder)
    if name is not None:
        place.check_name(name)
    tools = mpi_tools(with_mpi, mpiexec)
    made = None if compiled else _shared(tools, name)
    if made is None:
        made = _compiled(tools, place, name, _TARGET_OF[only])
    if made.mpi.warning:
        complain(f"{made.mpi.warning}; `nereus doctor` tells whether it does where jobs run")
    if as_json:
        show_json(made.document(time.monotonic() - began))
    note(f"{made.mpi.library}: {made.way}, in {made.prefix}; next: nereus doctor --mpi {made.name}", as_json)


@dataclass(frozen=True)
class _Made:
    """A build that was made."""

    mpi: ForeignMpi
    name: str
    prefix: Path
    way: str

    def document(self, seconds: float) -> dict[str, object]:
        return {
            "name": self.name,
            "library": self.mpi.library,
            "mpiexec": str(self.mpi.tools.mpiexec),
            "prefix": str(self.prefix),
            "way": self.way,
            "seconds": seconds,
        }


def _shared(tools: MpiTools, name: str | None) -> _Made | None:
    """None where there is no build to share, or it does not run with this MPI."""
    found = shareable_build()
    if found is None:
        return None
    trial = found.runs_with(tools)
    if isinstance(trial, str):
        note(f"compiling: {tools.given} {trial}" if not trial.startswith("--") else f"compiling: {trial}")
        return None
    return _register(found, *trial, name)


def _register(found: ShareableBuild, mpi: ForeignMpi, library_folder: Path, name: str | None) -> _Made:
    called = name or usual_name(mpi.library)
    prefix = found.register(mpi, library_folder, called, builds_folder())
    return _Made(mpi, called, prefix, f"the programs of the build {found.build.name}, which has the same ABI")


def _compiled(tools: MpiTools, place: Source, name: str | None, target: str) -> _Made:
    mpi = ForeignMpi.compiled(tools, place.launched)
    called = name or usual_name(mpi.library)
    work = _objects(place) / called
    compilation = Compilation(mpi, place, called, work, builds_folder() / called, target)
    compilation.check()
    note(f"compiling {called}: {mpi.library}, with {tools.mpicc}, {tools.mpicxx} and {tools.mpiexec}")
    try:
        with ProgressBar(f"compiling {called}", _LINE_EVERY_SECONDS) as bar, left_when_stopped():
            compilation.run(bar.are_done)
    except Stopped as stopped:
        complain(f"stopped by {stopped}; the same command continues")
        raise typer.Exit(stopped.exit_code) from None
    if not (compilation.prefix / "mpi.json").is_file():
        raise BuildingError(f"{compilation.prefix}: was not installed; see the logs in {work}")
    return _Made(mpi, called, compilation.prefix, "compiled")


def _objects(place: Source) -> Path:
    """Where object files are kept."""
    if not place.is_packaged:
        return place.folder / "build"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "nereus" / "build"
