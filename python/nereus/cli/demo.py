# SPDX-License-Identifier: BSD-3-Clause
"""nereus demo - what resizes cost as in the papers, and as by default, in one picture."""

import os
from pathlib import Path
from typing import Annotated

import typer

from nereus.analysis.report import Results, draw, table
from nereus.cli.emulate import emulated, present
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import note, show, show_json, warn
from nereus.config import load
from nereus.launch import choose
from nereus.runs import Where
from nereus.runs.results_folder import new_folder

#: As in the papers, and as by default.
EXPERIMENTS = ("cg", "cg-default")
PICTURE = "picture.png"


def demo(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="For results; if not given, results/demo-TIME.")
    ] = None,
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use (nereus doctor).")] = None,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only what went wrong.")] = False,
) -> None:
    """Emulate a Conjugate Gradient that is resized as in the papers, and as by default; draw both.

    Its two experiments are among the examples (nereus examples).

    Example: nereus demo
    """
    build = choose(mpi)
    files = [build.example(f"emulate/{name}.toml") for name in EXPERIMENTS]
    results, runs, is_good = new_folder(folder, "demo"), list[Results](), False

    def shown(each: Results) -> None:
        runs.append(each)
        if not as_json:
            show(table(each))

    for file in files:
        loaded = load(file, environment=os.environ)
        warn(loaded.warnings)
        where = Where.read(warn, "", None, [group.placement for group in loaded.experiment.groups], False)
        ended, place = emulated(loaded, build, where, results / file.stem, quiet)
        is_good = present(ended, place, shown, quiet, picture=False)
        if not is_good:
            break
    if as_json:
        show_json({name: each.document() for name, each in zip(EXPERIMENTS, runs, strict=False)})
    if not is_good:
        raise typer.Exit(1)
    draw(runs, results / PICTURE)
    note(f"picture: {results / PICTURE}", quiet)
