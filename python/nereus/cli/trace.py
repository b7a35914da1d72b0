# SPDX-License-Identifier: BSD-3-Clause
"""nereus trace -- COMMAND - record each call and message of an MPI program with its time."""

from pathlib import Path
from typing import Annotated

import typer

from nereus.analysis.report.units import bytes_text
from nereus.analysis.trace.file import shorten
from nereus.analysis.trace.kinds import RECORD, files_of
from nereus.analysis.trace.settings import TraceSettings
from nereus.cli.messages import Refused, complain, note
from nereus.cli.new_folder import make_new
from nereus.cli.recorded_run import RecordedRun, new_run
from nereus.cli.trace_limits import (
    AroundResizesOption,
    CallsOption,
    IterationsOption,
    MinBytesOption,
    PausedOption,
    RanksOption,
    limits_of,
)
from nereus.cli.trace_window import record_for
from nereus.launch.preloading import build_for
from nereus.launch.sensors import Sensor

_EVENTS = 2**20


def trace(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND [ARGS]...",
            help="How the program is started; with --for a job of `nereus run`, or the folder of a trace.",
        ),
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
    calls: CallsOption = None,
    min_bytes: MinBytesOption = "0",
    ranks: RanksOption = None,
    iterations: IterationsOption = None,
    around_resizes: AroundResizesOption = None,
    paused: PausedOption = False,
    duration: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="TIME",
            help="Have a job that is traced record for so long: 10s, 5min; see --paused.",
        ),
    ] = None,
    mpi: Annotated[
        str | None, typer.Option(metavar="NAME", help="MPI build to use, if COMMAND does not determine it.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Do not print where the trace is.")] = False,
) -> None:
    """Run a command, and record each call of its MPI program and each message that arrives, with their times.

    Nothing of the program is changed. Exit code: that of the command. `nereus export` makes files of the
    trace that Perfetto and other tools show.

    With --paused, --iterations or --around-resizes it records at times only; `nereus trace JOB --for 10s`
    then has a running job record too.

    Example: nereus trace -o trace -- mpiexec -n 4 ./app
    """
    limits = limits_of(calls, min_bytes, ranks, iterations, around_resizes, paused)
    if duration is not None:
        _record_for(command, duration, [output, mpi, limits != TraceSettings(), events != _EVENTS], quiet)
        return
    build = build_for(command, mpi)
    Sensor.WRAPPERS.environment(build, {})  # refused before anything is begun
    name = new_run()
    folder = (output or Path(f"nereus-trace-{name}")).absolute()
    run = RecordedRun(command, build, trace=folder, name=name)
    make_new(folder, "--output")
    _write_settings(limits, folder)
    variables = {"NEREUS_MONITOR": "on", "NEREUS_MONITOR_EVENTS": str(events), **limits.variables()}
    code, is_whole = run.recorded_in(folder / RECORD, variables)
    files = files_of(folder)
    for file in files:
        shorten(file)
    if limits.ranks is not None and not files:
        complain(f"--ranks = {ranks}: no process of the command that reached MPI_Init has such a rank")
    if is_whole and files:
        size = bytes_text(sum(file.stat().st_size for file in files))
        note(f"written: {folder} ({len(files)} processes, {size}); `nereus export {folder}` shows how", quiet)
    raise typer.Exit(code if is_whole else code or 1)


def _record_for(words: list[str], duration: str, others: list[object], quiet: bool) -> None:
    if len(words) != 1:
        raise Refused(f"--for: allowed is one JOB, not {' '.join(words)}")
    if any(others):
        raise Refused("--for: what is recorded is said where the trace begins; allowed beside it is --quiet")
    record_for(words[0], duration, quiet)


def _write_settings(limits: TraceSettings, folder: Path) -> None:
    try:
        limits.write(folder)
    except OSError as problem:
        raise Refused(f"--output = {folder}: cannot be written: {problem.strerror}") from None
