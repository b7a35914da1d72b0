# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench program - what it costs to watch a whole program."""

import re
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.analysis.report.units import p_text, percent_text, range_text, seconds_text
from nereus.bench.paired import LEVEL
from nereus.bench.program_costs import ProgramBench, ProgramRow
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, show, show_json
from nereus.cli.trial_bar import TrialBar
from nereus.launch import Stopping
from nereus.launch.preloading import build_for
from nereus.launch.sensors import Sensor

if TYPE_CHECKING:
    from rich.table import Table


def program(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND [ARGS]...", help="How the program is started.")
    ],
    repeat: Annotated[int, typer.Option(min=1, help="Pairs of runs, with the sensor and without.")] = 20,
    seconds: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="Where the program prints its time: the first group is a number of seconds. "
            "If not given, the time of the whole command counts.",
        ),
    ] = None,
    sensor: Annotated[
        Sensor, typer.Option(help="Wrappers of MPI's calls, or components of Open MPI.")
    ] = Sensor.WRAPPERS,
    mpi: Annotated[
        str | None, typer.Option(metavar="NAME", help="MPI build to use, if COMMAND does not determine it.")
    ] = None,
    as_json: JsonOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Run a program with the monitor and without, in turns, and tell what watching adds.

    One more run before these counts its calls and the time spent in them.

    Example: nereus bench program --repeat 10 -- mpiexec -n 2 nereus-cg --poisson 60 --iterations 300
    """
    build = build_for(command, mpi)
    sensor.environment(build, {})  # refused before anything is started
    pattern = _pattern(seconds)
    with Stopping() as stopping:
        bench = ProgramBench(command, build, sensor, pattern, stopping)
        calls = bench.calls()
        if calls is None:
            complain(f"stopped by {stopping.text}: nothing is measured")
            raise typer.Exit(stopping.exit_code)
        with TrialBar(build.name, repeat, quiet) as bar:
            times = bench.pairs(repeat, bar.advance)
    if times.without:
        row = ProgramRow(build.name, sensor.value, calls, times)
        show_json({"command": command, "rows": [row.document()]}) if as_json else show(_table(row))
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; shown is what there is")
        raise typer.Exit(stopping.exit_code)


def _pattern(text: str | None) -> re.Pattern[str] | None:
    if text is None:
        return None
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise Refused(
            f"--seconds = {text}: {error}; allowed is a regular expression with one group"
        ) from None
    if pattern.groups != 1:
        raise Refused(f"--seconds = {text}: has {pattern.groups} groups; allowed is one, around the seconds")
    return pattern


def _table(row: ProgramRow) -> "Table":
    from nereus.analysis.report.tables import new_table

    made = new_table(show_header=False)
    values = row.document()
    p = row.times.p_value
    seen = "a difference" if p is not None and p < LEVEL else "no difference seen"
    told = "" if p is None else f"; t-test: p = {p_text(p)}, {seen}"
    shares = [each / 100 for each in (row.times.overhead_percent, *(row.times.interval_percent or ()))]
    overhead = range_text(percent_text, *shares) if len(shares) == 3 else percent_text(shares[0])
    made.add_row("MPI, sensor", f"{row.mpi}, {row.sensor}")
    made.add_row("processes", f"{row.calls.ranks}; {row.calls.calls:.0f} calls of MPI each")
    made.add_row("communication", f"{percent_text(row.calls.communication_percent / 100)} of the time")
    made.add_row("without, with", ", ".join(seconds_text(values[f"{key}_seconds"]) for key in ("off", "on")))
    made.add_row("overhead", f"{overhead}, {values['repeats']} pairs{told}")
    return made
