# SPDX-License-Identifier: BSD-3-Clause
"""nereus monitor -- COMMAND - record what the processes of an MPI program send each other."""

from pathlib import Path
from typing import Annotated

import typer

from nereus.analysis.monitor.encoding import Encoding
from nereus.analysis.report.units import bytes_text
from nereus.cli.messages import note
from nereus.cli.recorded_run import RecordedRun
from nereus.launch.preloading import build_for
from nereus.launch.sensors import Sensor


def monitor(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND [ARGS]...", help="How the program is started.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The record; if not given, nereus-monitor-RUN.jsonl."
        ),
    ] = None,
    window: Annotated[
        float, typer.Option(min=0.001, max=86400.0, help="Length of a window of time, in seconds.")
    ] = 1.0,
    mpi: Annotated[
        str | None, typer.Option(metavar="NAME", help="MPI build to use, if COMMAND does not determine it.")
    ] = None,
    encoding: Annotated[
        Encoding,
        typer.Option("--format", help="Of the record: lines of JSON, or CBOR, which takes less room."),
    ] = Encoding.JSON,
    sensor: Annotated[
        Sensor,
        typer.Option(
            help="Wrappers of MPI's calls; or components of Open MPI, which leave these to other tools."
        ),
    ] = Sensor.WRAPPERS,
    model: Annotated[
        bool,
        typer.Option(
            "--model", help="Use a model for the messages of collectives where they cannot be seen (MPICH)."
        ),
    ] = False,
    off: Annotated[
        bool, typer.Option("--off", help="Record only what the program switches on itself.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print where the record is.")] = False,
) -> None:
    """Run a command, and record what the processes of its MPI program send, read and write.

    Nothing of the program is changed. Exit code: that of the command.

    Example: nereus monitor -- mpiexec -n 8 ./app
    """
    build = build_for(command, mpi)
    variables = {
        "NEREUS_MONITOR_WINDOW": str(window),
        **({"NEREUS_MONITOR_MODEL": "on"} if model else {}),
        "NEREUS_MONITOR": "off" if off else "on",
    }
    sensor.environment(build, variables)  # refused before anything is begun
    run = RecordedRun(command, build, encoding, sensor)
    ending = "jsonl" if encoding is Encoding.JSON else "cbor"
    file = (output or Path(f"nereus-monitor-{run.name}.{ending}")).absolute()
    code, is_whole = run.recorded_in(file, variables)
    if is_whole:
        note(f"written: {file} ({bytes_text(file.stat().st_size)}); `nereus report {file}` shows it", quiet)
    raise typer.Exit(code if is_whole else code or 1)
