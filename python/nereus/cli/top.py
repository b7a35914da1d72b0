# SPDX-License-Identifier: BSD-3-Clause
"""nereus top - what the processes of a monitored run send just now, or how jobs stand."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus import printable
from nereus.analysis.monitor.live import COLUMNS, Rates, latest_of_job, rates, sums
from nereus.analysis.report.units import amount_text, frequency_text
from nereus.cli.elsewhere import AtOption, AtShellOption, carried_out_elsewhere
from nereus.cli.messages import Refused, note, show_json_line
from nereus.cli.monitored_run import chosen_run, name_of
from nereus.launch import Stopping
from nereus.launch.parts_folder import is_locked, monitored, totals
from nereus.supervisor import found_jobs
from nereus.supervisor.daemon_address import daemon_control_socket

if TYPE_CHECKING:
    from rich.table import Table

_LOOKS = 0.05  # s, between looks whether to stop


def top(
    context: typer.Context,
    job: Annotated[
        str | None,
        typer.Argument(metavar="JOB", help="A job of nereus run, or a run; needed if several are monitored."),
    ] = None,
    jobs: Annotated[
        bool, typer.Option("--jobs", help="How jobs stand, also where runs are monitored.")
    ] = False,
    interval: Annotated[float, typer.Option(min=0.05, max=3600.0, help="Seconds between two updates.")] = 1.0,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Number of updates; if not given, until the run ends.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print each update as a line of JSON.")] = False,
    at: AtOption = None,
    rsh: AtShellOption = None,
) -> None:
    """Show what each process of a run under `nereus monitor` on this host sends just now.

    Of a malleable job, the processes that it has now by their rank in it. The program is not asked and not
    slowed down: its records are read where they lie.

    With --jobs, or where no run is monitored and there are jobs of a daemon or of `nereus run`, here or on
    hosts with the same home folder, show how these stand and what the daemon decided about its own; there r
    resizes a job, and q ends.

    Example: nereus top --interval 0.5
    """
    carried_out_elsewhere(context, at, rsh, None if samples is None else samples * interval, terminal=True)
    if _shows_jobs(job, jobs):
        from nereus.cli.top_jobs import top_jobs

        top_jobs(interval, samples, as_json)
        return
    parts, malleable = chosen_run(job)
    with Stopping() as stopping:
        looks = _looks(parts, malleable, interval, samples, stopping)
        if as_json:
            for found in looks:
                show_json_line({"time": time.time(), "processes": [r.document() for r in found]})
        else:
            _show(looks)
    note(
        f"{name_of(parts) if job is None else printable(job)}: the run has ended",
        quiet=stopping.signal is not None or samples is not None,
    )


def _shows_jobs(job: str | None, jobs: bool) -> bool:
    """In the place of the processes of a run."""
    if jobs and job is not None:
        raise Refused(f"JOB = {job} and --jobs: one of them is allowed")
    if jobs or job is not None or monitored():
        return jobs
    return daemon_control_socket().exists() or bool(found_jobs())


def _looks(
    parts: Path, job: str | None, interval: float, samples: int | None, stopping: Stopping
) -> Iterator[list[Rates]]:
    before, began = sums(totals(parts)), time.monotonic()
    number = 0
    while is_locked(parts) and (samples is None or number < samples):
        while time.monotonic() < began + interval and stopping.signal is None:
            time.sleep(_LOOKS)
        if stopping.signal is not None:
            return
        now, at = sums(totals(parts)), time.monotonic()
        if shown := latest_of_job(now, job) if job else now:
            yield rates(before, shown, at - began)
            number += 1
        before, began = now, at


def _show(looks: Iterator[list[Rates]]) -> None:
    from rich.live import Live

    from nereus.analysis.report.console import PlainConsole

    console = PlainConsole()
    if not console.is_terminal:
        for found in looks:
            console.print(_table(found))
        return
    with Live(console=console, auto_refresh=False, transient=True) as live:
        for found in looks:
            live.update(_table(found), refresh=True)


def _table(found: list[Rates]) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    kinds = [name.replace("_", " ") for name in COLUMNS]
    made = new_table(number("rank"), "host", *map(number, kinds), number("most to"))
    for process in sorted(found, key=lambda one: -sum(one.bytes.values())):
        cells = [_cell(process, name) for name in COLUMNS]
        made.add_row(
            str(process.rank if process.job_rank is None else process.job_rank),
            printable(process.host),
            *cells,
            "" if process.peer is None else str(process.peer),
        )
    return made


def _cell(process: Rates, name: str) -> str:
    if not process.messages[name]:
        return "-"
    return f"{amount_text(process.bytes[name], 'B/s')} in {frequency_text(process.messages[name])}"
