# SPDX-License-Identifier: BSD-3-Clause
"""nereus jobs - the jobs of this user that run on this host."""

import shlex
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nereus.cli.daemon_status import commands_text, next_text, turn_text
from nereus.cli.messages import note, show, show_json, warn
from nereus.daemon.jobs import all_jobs
from nereus.supervisor import shown_name

if TYPE_CHECKING:
    from rich.table import Table


def jobs(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """List this user's jobs on this host that have a supervisor (`nereus run`), or that the daemon knows.

    Example: nereus jobs --json
    """
    found = all_jobs(lambda text: warn([text]))
    if as_json:
        show_json({"jobs": found})
    elif found:
        show(_table(found))
    else:
        note("no jobs")


def _table(found: list[dict[str, Any]]) -> "Table":
    from rich.table import Table  # --json does without

    names = ["job", "ranks", "generation", "hosts", "state", "since", "command"]
    if any(job.get("controller") for job in found):
        names[5:5] = ["turn", "next I/O", "commands", "policy"]
    grid = Table(*names, box=None, pad_edge=False)
    for job in found:
        since = datetime.fromtimestamp(job["started_unix"]) if "started_unix" in job else None
        cells = {
            "job": shown_name(job),
            "hosts": ", ".join(f"{host}:{ranks}" for host, ranks in Counter(job.get("hosts", [])).items()),
            "since": f"{since:%Y-%m-%d %H:%M:%S}" if since else "",
            "command": shlex.join(job.get("command", [])),
            **_of_daemon(job.get("controller")),
        }
        grid.add_row(*(str(cells.get(name, job.get(name, ""))) for name in names))
    return grid


def _of_daemon(known: dict[str, Any] | None) -> dict[str, str]:
    if known is None:
        return {}
    return {
        "turn": turn_text(known),
        "next I/O": next_text(known),
        "commands": commands_text(known),
        "policy": known["policy"],
    }
