# SPDX-License-Identifier: BSD-3-Clause
"""nereus jobs - the jobs of this user: those of this host, and those that can be asked from other hosts."""

import shlex
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

import typer

from nereus.cli.daemon_status import commands_text, next_text, turn_text
from nereus.cli.elsewhere import AtOption, AtShellOption, carried_out_elsewhere
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import note, show, show_json, warn
from nereus.daemon.jobs import all_jobs
from nereus.launch.hosts import is_here
from nereus.supervisor import shown_name

if TYPE_CHECKING:
    from rich.table import Table


_WITHIN = 60.0  # s, for all that may be silent
_NUMBERS = {"ranks", "generation"}


def jobs(
    context: typer.Context,
    as_json: JsonOption = False,
    at: AtOption = None,
    rsh: AtShellOption = None,
) -> None:
    """List this user's jobs that have a supervisor (`nereus run`), or that the daemon of this host knows.

    Jobs with supervisors on other hosts are found by their records, in a home folder that these share.

    Example: nereus jobs --json
    """
    carried_out_elsewhere(context, at, rsh, _WITHIN)
    found = all_jobs(lambda text: warn([text]))
    if as_json:
        show_json({"jobs": found})
    elif found:
        show(_table(found))
    else:
        note("no jobs")


def _table(found: list[dict[str, Any]]) -> "Table":
    from nereus.analysis.report.tables import new_table, number  # --json does without

    names = ["job", "ranks", "generation", "hosts", "state", "since", "command"]
    if any(job.get("controller") for job in found):
        names[5:5] = ["turn", "next I/O", "commands", "policy"]
    if any(not is_here(job["host"] or "") for job in found):
        names[1:1] = ["host"]
    grid = new_table(*(number(name) if name in _NUMBERS else name for name in names))
    for job in found:
        since = datetime.fromtimestamp(job["started_unix"]) if "started_unix" in job else None
        cells = {
            "job": shown_name(job),
            "hosts": ", ".join(f"{host}:{ranks}" for host, ranks in Counter(job.get("hosts", [])).items()),
            "host": job["host"] or "",
            "state": _state(job),
            "since": f"{since:%Y-%m-%d %H:%M:%S}" if since else "",
            "command": shlex.join(job.get("command", [])),
            **_of_daemon(job.get("controller")),
        }
        grid.add_row(*(str(cells.get(name, job.get(name, ""))) for name in names))
    return grid


def _state(job: dict[str, Any]) -> str:
    """With the reason, where there is one."""
    return f"{job['state']}: {job['reason']}" if job.get("reason") else str(job.get("state", ""))


def _of_daemon(known: dict[str, Any] | None) -> dict[str, str]:
    if known is None:
        return {}
    return {
        "turn": turn_text(known),
        "next I/O": next_text(known),
        "commands": commands_text(known),
        "policy": known["policy"],
    }
