# SPDX-License-Identifier: BSD-3-Clause
"""nereus top - what the processes of a monitored run send just now."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nereus.cli.messages import Refused, note
from nereus.launch import Stopping, builds
from nereus.monitor.live import COLUMNS, Rates, Sums, rates, sums
from nereus.report.units import bytes_text

if TYPE_CHECKING:
    from rich.table import Table

FOLDER = Path("/dev/shm")
_NAME = "nereus-{run}-monitor-*"
_LOOKS = 0.05  # s, between looks whether to stop


def top(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Needed where several runs are monitored.")
    ] = None,
    interval: Annotated[float, typer.Option(min=0.05, max=3600.0, help="Seconds between two looks.")] = 1.0,
    samples: Annotated[
        int | None, typer.Option(min=1, help="Looks; if not given, until the run ends.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line for each look.")
    ] = False,
) -> None:
    """Show what each process of a run under `nereus monitor` on this host sends just now.

    The program is not asked and not slowed down: its records are read where they lie.

    Example: nereus top --interval 0.5
    """
    parts = _folder(run)
    with Stopping() as stopping:
        looks = _looks(parts, interval, samples, stopping)
        if as_json:
            for found in looks:
                print(
                    json.dumps({"time": time.time(), "processes": [r.document() for r in found]}), flush=True
                )
        else:
            _show(looks)
    note(
        f"{parts.name.split('-')[1]}: the run is over",
        quiet=stopping.signal is not None or samples is not None,
    )


def _folder(run: str | None) -> Path:
    found = sorted(FOLDER.glob(_NAME.format(run=run or "*")))
    if len(found) == 1:
        return found[0]
    names = ", ".join(path.name.split("-")[1] for path in found)
    if found:
        raise Refused(f"RUN: several runs are monitored here: {names}")
    which = f"RUN = {run}" if run else "RUN"
    raise Refused(f"{which}: no such run is monitored on this host; `nereus monitor` begins one")


def _looks(parts: Path, interval: float, samples: int | None, stopping: Stopping) -> Iterator[list[Rates]]:
    before, began = _sums(parts), time.monotonic()
    number = 0
    while parts.exists() and (samples is None or number < samples):
        while time.monotonic() < began + interval and stopping.signal is None:
            time.sleep(_LOOKS)
        if stopping.signal is not None:
            return
        now, at = _sums(parts), time.monotonic()
        if now:
            yield rates(before, now, at - began)
            number += 1
        before, began = now, at


def _sums(parts: Path) -> dict[tuple[str, int], Sums]:
    """A file that goes meanwhile is passed over."""
    files = sorted(parts.glob("*.part"))
    if not files:
        return {}
    program = builds()[0].program("nereus-parts")
    printed = subprocess.run([program, "--totals", *files], capture_output=True, check=False).stdout
    return sums(printed.splitlines())


def _show(looks: Iterator[list[Rates]]) -> None:
    from rich.console import Console
    from rich.live import Live

    console = Console(highlight=False)
    with Live(console=console, auto_refresh=False, transient=console.is_terminal) as live:
        for found in looks:
            live.update(_table(found), refresh=True)


def _table(found: list[Rates]) -> "Table":
    from rich.table import Table

    made = Table(
        "rank", "host", *(name.replace("_", " ") for name in COLUMNS), "most to", box=None, pad_edge=False
    )
    for process in sorted(found, key=lambda one: -sum(one.bytes.values())):
        cells = [_cell(process, name) for name in COLUMNS]
        made.add_row(
            str(process.rank), process.host, *cells, "" if process.peer is None else str(process.peer)
        )
    return made


def _cell(process: Rates, name: str) -> str:
    if not process.messages[name]:
        return "-"
    return f"{bytes_text(round(process.bytes[name]))}/s in {process.messages[name]:.0f}/s"
