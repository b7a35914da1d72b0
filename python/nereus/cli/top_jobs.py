# SPDX-License-Identifier: BSD-3-Clause
"""nereus top --jobs - how the daemon's jobs and those of supervisors stand, look after look."""

import sys
import time
from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from nereus.cli.daemon_status import commands_text, cores_text, next_text, pace_text, turn_text
from nereus.cli.messages import show, show_json_line
from nereus.daemon import DaemonError
from nereus.daemon.page.sentences import reason, sentence
from nereus.daemon.watch import Look, Watch
from nereus.launch import Stopping
from nereus.supervisor import shown_name

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = ("job", "ranks", "iteration", "pace", "state", "next I/O", "commands", "program")
#: Those of them that are numbers.
NUMBERS = {"ranks", "iteration"}
_LOOKS = 0.05  # s, between looks whether to stop


def top_jobs(interval: float, samples: int | None, as_json: bool) -> None:
    """A screen on a terminal; else a table, or a line of JSON, for each look."""
    watch = Watch()
    first = watch.look()
    if first.status is None and not first.supervised:
        raise DaemonError(first.why)
    if sys.stdout.isatty() and not as_json:
        from nereus.cli.top_screen import TopScreen

        TopScreen(watch, first, interval, samples).run()
        return
    with Stopping() as stopping:
        for found in _looks(watch, first, interval, samples, stopping):
            if as_json:
                show_json_line(found.document())
            else:
                show(headline(found))
                show(_table(found))


def _looks(
    watch: Watch, first: Look, interval: float, samples: int | None, stopping: Stopping
) -> Iterator[Look]:
    found, number = first, 0
    while stopping.signal is None:
        yield found
        number += 1
        if number == samples:
            return
        until = time.monotonic() + interval
        while time.monotonic() < until and stopping.signal is None:
            time.sleep(_LOOKS)
        found = watch.look()


def headline(found: Look) -> str:
    """Who decides, who has the turn, what is free."""
    if found.status is None:
        jobs = f"jobs: {len(found.supervised)}; " if found.supervised else ""
        return f"{jobs}{found.why}; last asked at {datetime.fromtimestamp(found.time):%H:%M:%S}"
    writing = ", ".join(shown_name(job) for job in found.jobs if job["turn"] == "writes") or "nobody"
    return (
        f"policy {found.status['policy']}, {cores_text(found.status)}, "
        f"jobs: {len(found.jobs) + len(found.supervised)}, turn: {writing}"
    )


def cells(job: dict[str, Any]) -> tuple[str, ...]:
    """A row of COLUMNS."""
    if "turn" not in job:  # the daemon does not know it
        name, ranks, state = shown_name(job), str(job.get("ranks", "")), f"{job['state']} on {job['host']}"
        return (name, ranks, "", "", state, "", "", " ".join(job.get("command", [])))
    return (
        *(shown_name(job), str(job["ranks"]), str(job["iteration"]), pace_text(job)),
        *(turn_text(job), next_text(job)),
        *(commands_text(job), " ".join(job["command"])),
    )


def decision_text(event: dict[str, Any]) -> str:
    """A line: when, of which job, what, by whom and why."""
    why = reason(event)
    when = f"{datetime.fromtimestamp(event['time_unix']):%H:%M:%S}"
    return f"{when} {shown_name(event) or '-'} {sentence(event)}" + (f" ({why})" if why else "")


def _table(found: Look) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    grid = new_table(*(number(name) if name in NUMBERS else name for name in COLUMNS))
    for job in (*found.jobs, *found.supervised):
        grid.add_row(*cells(job))
    return grid
