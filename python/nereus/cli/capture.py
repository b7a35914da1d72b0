# SPDX-License-Identifier: BSD-3-Clause
"""nereus capture -- COMMAND - make an experiment of a run of an application."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nereus.analysis.capture import Captured, Wishes, name_of, read_traces, text_of
from nereus.analysis.capture import capture as experiment_of
from nereus.analysis.report.tables import new_table, number
from nereus.analysis.report.units import bytes_text, percent_text, range_text, ratio_text, seconds_text
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, note, show, show_json, warn
from nereus.cli.new_folder import make_new
from nereus.cli.picture_file import check_picture
from nereus.config.quantities import bytes_of
from nereus.launch import Build, Stopped, Stopping, application_in, left_when_stopped
from nereus.launch.captured import MOST_CALLS, run_captured
from nereus.launch.preloading import build_for, forwards_itself

if TYPE_CHECKING:
    from nereus.analysis.capture.captured import PhaseFound


class Computing(StrEnum):
    """Which stage computes."""

    PI = "pi"
    MATRIX = "matrix"


def capture(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND [ARGS]...", help="How the application is started.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The experiment; if not given, NAME.toml."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Of the experiment; if not given, the application's.")
    ] = None,
    constant_bytes: Annotated[
        str, typer.Option("--constant-bytes", metavar="BYTES", help="Data of all ranks that it never writes.")
    ] = "0",
    variable_bytes: Annotated[
        str, typer.Option("--variable-bytes", metavar="BYTES", help="Data of all ranks that it writes.")
    ] = "0",
    computing: Annotated[
        Computing, typer.Option("--compute", help="Bound by the core, or by memory.")
    ] = Computing.PI,
    calls: Annotated[
        int, typer.Option(min=1000, max=2**32, help="Calls of a rank that are kept, 40 bytes each.")
    ] = MOST_CALLS,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the time line of an iteration there.")
    ] = None,
    traces: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the times of all calls there; hosts must share it."),
    ] = None,
    mpi: Annotated[
        str | None, typer.Option(metavar="NAME", help="MPI build to use, if COMMAND does not determine it.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over FILE, and write it where calls hardly repeat.")
    ] = False,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what went wrong.")] = False,
) -> None:
    """Run an application, find its iteration, and write an experiment that does the same.

    Nothing of the application is changed. Exit code: that of the command where it fails.

    Example: nereus capture -o cg.toml -- mpiexec -n 2 nereus-cg --poisson 40
    """
    build = build_for(command, mpi)
    own_name = name_of(name or application_in(command, build))
    file = output or Path(f"{own_name}.toml")
    _check_output(file, force)
    if picture is not None:
        check_picture(picture)
    wishes = Wishes(
        own_name,
        computing.value,
        _bytes("--constant-bytes", constant_bytes),
        _bytes("--variable-bytes", variable_bytes),
        force,
        build.name,
    )
    with _stopped_in_a_line(), _folder(traces) as folder:
        code = _recorded(command, build, folder, calls, as_json)
        if code:
            complain(f"the command failed with exit code {code}: nothing is written")
            raise typer.Exit(code)
        found = read_traces(folder)
        captured = experiment_of(found, wishes)
    _write(file, text_of(captured, command))
    if picture is not None:
        from nereus.analysis.capture.picture import draw

        draw(found, captured, picture)
    warn(captured.warnings)
    if as_json:
        show_json({"file": str(file), "command": command, **captured.document()})
    elif not quiet:
        _show(captured)
    note(f"written: {file}; `nereus emulate {file}` runs it", quiet)


def _check_output(file: Path, force: bool) -> None:
    if file.suffix != ".toml":
        raise Refused(f"--output = {file}: the name must end in .toml")
    if file.is_dir():
        raise Refused(f"--output = {file}: is a folder")
    if file.exists() and not force:
        raise Refused(f"{file}: exists; --force writes over it")
    if not file.absolute().parent.is_dir():
        raise Refused(f"--output = {file}: there is no such folder")


def _bytes(option: str, text: str) -> int:
    try:
        amount = bytes_of(int(text) if text.isdigit() else text)
    except ValueError:
        amount = None
    if not isinstance(amount, int) or not 0 <= amount <= 2**60:
        raise Refused(f'{option} = {text}: bytes from 0 to 2^60, or a text such as "64 MiB"')
    return amount


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is None:
        with tempfile.TemporaryDirectory(prefix="nereus-capture-") as folder:
            yield Path(folder)
        return
    make_new(kept, "--traces")
    yield kept.absolute()


@contextmanager
def _stopped_in_a_line() -> Iterator[None]:
    """Whoever stops the command by a signal is told that nothing came of it."""
    try:
        with left_when_stopped():
            yield
    except Stopped as stopped:
        complain(f"stopped by {stopped}: nothing is written")
        raise typer.Exit(stopped.exit_code) from None


def _recorded(command: list[str], build: Build, folder: Path, calls: int, is_quiet: bool) -> int:
    """Run the command; its exit code. What it says goes to stderr where stdout is for programs."""
    if forwards_itself(command):
        complain("the command forwards variables with -x: ranks are seen only if it also forwards ours")
    with Stopping() as stopping:
        code = run_captured(command, build, folder, stopping, calls, sys.stderr if is_quiet else None)
    if stopping.signal is not None:
        raise Stopped(stopping.signal)
    return code


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise Refused(f"{file}: cannot be written: {problem.strerror}") from problem


def _show(captured: Captured) -> None:
    counts, figures = ("phase", "iterations"), ("size", "time")
    grid = new_table(*map(number, counts), "stage", *map(number, figures), "MPI calls")
    for index, phase in enumerate(captured.phases):
        _add_phase(grid, index, phase)
    show(grid)
    show(
        f"{percent_text(captured.calls_covered)} of the calls and "
        f"{percent_text(captured.seconds_covered)} of {seconds_text(captured.seconds)} are in patterns; "
        f"{captured.agreeing} of {captured.ranks} ranks agree. "
        "Weights: " + ", ".join(map(ratio_text, captured.weights))
    )
    least, most = captured.emulation_seconds
    more = most > 1.01 * least
    show(
        f"The emulation takes {seconds_text(least)} with cores of its own"
        + (f", up to {seconds_text(most)} beside others as the program had them." if more else ".")
    )


def _add_phase(grid: Table, index: int, phase: "PhaseFound") -> None:
    times = phase.document()["iteration_seconds"]
    spread = range_text(seconds_text, times["mean"], times["p10"], times["p90"])
    grid.add_row(str(index), str(phase.repeated.times), "iteration", "", spread, "")
    for step in phase.steps:
        size = bytes_text(round(step.bytes)) if step.bytes else ""
        calls = ", ".join(dict.fromkeys(step.calls))
        grid.add_row("", "", step.type, size, seconds_text(step.seconds), calls)
