# SPDX-License-Identifier: BSD-3-Clause
"""nereus trace -- COMMAND - record each call and message of an MPI program with its time."""

from pathlib import Path
from typing import Annotated

import typer

from nereus.analysis.report.units import bytes_text
from nereus.analysis.trace.file import shorten
from nereus.analysis.trace.kinds import RECORD, files_of
from nereus.cli.messages import note
from nereus.cli.new_folder import make_new
from nereus.cli.recorded_run import RecordedRun
from nereus.launch.preloading import build_for
from nereus.launch.sensors import Sensor

_EVENTS = 2**20


def trace(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND [ARGS]...", help="How the program is started.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="A new or empty folder, which hosts must share; if not given, nereus-trace-RUN.",
        ),
    ] = None,
    events: Annotated[
        int,
        typer.Option(
            min=2**10, max=2**24, help="Events of a process that are kept, the last ones: 40 bytes each."
        ),
    ] = _EVENTS,
    mpi: Annotated[
        str | None, typer.Option(metavar="NAME", help="MPI build to use, if COMMAND does not determine it.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print where the trace is.")] = False,
) -> None:
    """Run a command, and record each call of its MPI program and each message that arrives, with their times.

    Nothing of the program is changed. Exit code: that of the command. `nereus export` makes files of the
    trace that Perfetto and other tools show.

    Example: nereus trace -o trace -- mpiexec -n 4 ./app
    """
    build = build_for(command, mpi)
    Sensor.WRAPPERS.environment(build, {})  # refused before anything is begun
    run = RecordedRun(command, build)
    folder = (output or Path(f"nereus-trace-{run.name}")).absolute()
    make_new(folder, "--output")
    variables = {
        "NEREUS_MONITOR": "on",
        "NEREUS_MONITOR_TRACE": str(folder),
        "NEREUS_MONITOR_EVENTS": str(events),
    }
    code, is_whole = run.recorded_in(folder / RECORD, variables)
    files = files_of(folder)
    for file in files:
        shorten(file)
    if is_whole and files:
        size = bytes_text(sum(file.stat().st_size for file in files))
        note(f"written: {folder} ({len(files)} processes, {size}); `nereus export {folder}` shows how", quiet)
    raise typer.Exit(code if is_whole else code or 1)
