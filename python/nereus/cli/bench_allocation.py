# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench allocation - how soon hosts come from the resource manager, and how soon it has them back."""

from typing import TYPE_CHECKING, Annotated

import typer

from nereus.analysis.report.units import seconds_text, spread_text
from nereus.bench.host_cycles import HostCycle, HostCycles
from nereus.bench.host_rows import HostRow
from nereus.bench.logged_job import TrialError
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import Refused, complain, show, show_json, warn
from nereus.cli.trial_bar import TrialBar
from nereus.launch import Build, Stopping, choose, fostering
from nereus.probe import joining
from nereus.runs import Where, founding
from nereus.supervisor import Supervision, check_control_socket

if TYPE_CHECKING:
    from rich.table import Table

_PROGRAM = "nereus-halo"
# Longer than any measurement: the job is ended when the last cycle is over.
_ITERATIONS = str(2**53)


def allocation(
    cycles: Annotated[int, typer.Option(min=1, max=100_000, help="How often hosts come and go.")] = 10,
    nodes: Annotated[int, typer.Option(min=1, max=65536, help="Hosts that come in each cycle.")] = 2,
    rows: Annotated[int, typer.Option(min=1, max=2**32, help="Rows of 1000 numbers that are moved.")] = 1200,
    mpi: Annotated[str | None, typer.Option(metavar="NAME", help="MPI build to use (nereus doctor).")] = None,
    as_json: JsonOption = False,
) -> None:
    """Time how hosts come to a job from the resource manager, and go back; run it in a job of Slurm.

    Example: sbatch --nodes=1 --wrap "nereus bench allocation --cycles 50 --nodes 2"
    """
    build = choose(mpi)
    where = Where.read(warn, "", None, ["compact"], False, build)
    inspection = where.manager.inspection
    if inspection is None or not where.reach.grows:
        raise Refused(
            "no resource manager here gives hosts to this job: run it in a job of Slurm, with MPICH"
        )
    made: list[HostCycle] = []
    failure = ""
    with Stopping() as stopping, fostering():
        check_control_socket()
        cycling = HostCycles(
            _start(build, where, rows, stopping),
            inspection,
            nodes,
            where.hosts[0].slots,
            lambda: stopping.signal is not None,
        )
        with TrialBar(f"{where.manager.kind} {where.manager.growth}", cycles) as bar:
            try:
                for cycle in cycling.run(cycles):
                    made.append(cycle)
                    bar.advance(
                        f"usable after {seconds_text(cycle.usable)}, idle after {seconds_text(cycle.idle)}"
                    )
            except TrialError as problem:
                failure = str(problem)
    manager = where.manager
    _present(
        HostRow(manager.kind, manager.growth, build.name, nodes, made, cycling.left_behind), as_json, failure
    )
    if stopping.signal is not None:
        complain(f"stopped by {stopping.text}; shown is what there is")
        raise typer.Exit(stopping.exit_code)
    raise typer.Exit(1 if failure or cycling.left_behind else 0)


def _start(build: Build, where: Where, rows: int, stopping: Stopping) -> Supervision:
    plate = ("--rows", str(rows), "--columns", "1000", "--iterations", _ITERATIONS)
    founders, settings = founding(1, "host")
    settings |= {"NEREUS_RELEASE_UNIT": "host", "NEREUS_VERIFY": "on"}
    settings |= {"NEREUS_OVERSUBSCRIBE": "on"}  # on one host the job becomes as large as on all
    join = joining(build, where.reach, stopped=lambda: stopping.signal is not None)
    return where.supervision(build, build.program(_PROGRAM), plate, founders, join, settings)


def _present(row: HostRow, as_json: bool, failure: str) -> None:
    if as_json:
        show_json({"rows": [row.document()]})
    else:
        show(_table(row))
    if failure:
        complain(f"after {len(row.cycles)} cycles: {failure}")
    for thing in row.left_behind:
        complain(f"left behind: {thing}")


def _table(row: HostRow) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    title = f"{row.adapter}, {row.growth}, {row.mpi}: {row.nodes} hosts come and go, {len(row.cycles)} times"
    made = new_table("what", number("figure"), title=title)
    for name, words in _WORDS.items():
        spread = row.figures[name]
        made.add_row(words, "-" if spread is None else spread_text(spread.median, spread.deviation))
    made.add_row("left behind", str(len(row.left_behind)))
    return made


_WORDS = {
    "usable_seconds": "from the request until the job runs on the hosts",
    "idle_seconds": "from the release until they are idle",
    "pause_seconds": "pause when hosts come",
    "shrink_pause_seconds": "pause when they go",
    "one_host_pause_seconds": "pause of the same growth on one host",
    "one_host_shrink_pause_seconds": "pause of the same shrink on one host",
}
