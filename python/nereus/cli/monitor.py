# SPDX-License-Identifier: BSD-3-Clause
"""nereus monitor -- COMMAND - record what the processes of an MPI program send each other."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from nereus.analysis.monitor.encoding import Encoding
from nereus.analysis.monitor.record import NOBODY, begin, end
from nereus.analysis.report.units import bytes_text
from nereus.cli.messages import Refused, complain, note
from nereus.launch import Build, Stopping, parts_folder
from nereus.launch.foreign import run_foreign
from nereus.launch.preloading import build_for, forwards_itself
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
    sensor.environment(build, {})  # refused before anything is begun
    run = secrets.token_hex(8)
    ending = "jsonl" if encoding is Encoding.JSON else "cbor"
    file = (output or Path(f"nereus-monitor-{run}.{ending}")).absolute()
    _begin(file, encoding, run, command)
    with parts_folder.made_for(run) as parts, Stopping() as stopping:
        variables = {
            "NEREUS_MONITOR_FILE": str(file),
            "NEREUS_MONITOR_PARTS": str(parts),
            "NEREUS_MONITOR_FORMAT": encoding.value,
            "NEREUS_MONITOR_RUN": run,
            "NEREUS_MONITOR_WINDOW": str(window),
            **({"NEREUS_MONITOR_MODEL": "on"} if model else {}),
            "NEREUS_MONITOR": "off" if off else "on",
        }
        _complain_of_other_hosts(command)
        code = run_foreign(command, build, sensor.environment(build, variables), stopping).code
        left = _take_parts(build, parts, file, encoding)
    raise typer.Exit(code if _end(file, encoding, code, left, quiet) else code or 1)


def _complain_of_other_hosts(command: list[str]) -> None:
    if forwards_itself(command):
        complain("the command forwards variables with -x: other hosts are seen only if it also forwards ours")


def _begin(file: Path, encoding: Encoding, run: str, command: list[str]) -> None:
    try:
        begin(file, encoding, run, command)
    except OSError as problem:
        raise Refused(f"--output = {file}: cannot be written: {problem.strerror}") from None


def _take_parts(build: Build, parts: Path, file: Path, encoding: Encoding) -> int:
    """Add what processes left that did not come to MPI_Finalize; how many these are."""
    left = parts_folder.parts_in(parts)
    if left and not parts_folder.append(left, build, file, encoding is Encoding.CBOR):
        complain(f"{file}: not all that they had recorded could be added")
    return len(left)


def _end(file: Path, encoding: Encoding, code: int, left: int, quiet: bool) -> bool:
    """Whether the record could be given its end."""
    try:
        is_empty = end(file, encoding, code)
    except OSError as problem:
        complain(f"--output = {file}: the record has no end: {problem.strerror}")
        return False
    if is_empty:
        complain(f"{NOBODY}: nothing is recorded")
    if left:
        complain(
            f"{left} processes ended before MPI_Finalize: what they had sent until then is in the record"
        )
    note(f"written: {file} ({bytes_text(file.stat().st_size)}); `nereus report {file}` shows it", quiet)
    return True
