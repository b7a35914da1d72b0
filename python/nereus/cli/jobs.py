# SPDX-License-Identifier: BSD-3-Clause
"""nereus jobs - the jobs of this user that run on this host."""

import shlex
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nereus.cli.daemon_status import commands_text, next_text, turn_text
from nereus.cli.messages import note, show, show_json, warn
from nereus.daemon import DaemonError, whole_status
from nereus.supervisor import NoAnswer, control_sockets, job_names, shown_name, status
from nereus.supervisor.daemon_address import daemon_control_socket

if TYPE_CHECKING:
    from rich.table import Table


def jobs(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")] = False,
) -> None:
    """List this user's jobs on this host that have a supervisor (`nereus run`), or that the daemon knows.

    Example: nereus jobs --json
    """
    found = _with_daemon([_status(path) for path in control_sockets()])
    if as_json:
        show_json({"jobs": found})
    elif found:
        show(_table(found))
    else:
        note("no jobs")


def _status(path: Path) -> dict[str, Any]:
    try:
        answer = status(path)
    except NoAnswer as problem:
        name = job_names().get(path.stem)
        return {"job": path.stem, "name": name, "state": "silent", "reason": str(problem)}
    return {key: value for key, value in answer.items() if key not in {"version", "kind"}}


def _with_daemon(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each with what the daemon knows of it, as `controller`; behind them those that nobody supervises."""
    daemon = _daemon()
    if daemon is None:
        return found
    known = {job["job"]: {"policy": daemon["policy"], **job} for job in daemon["jobs"]}
    supervised = [{**job, "controller": known.pop(job["job"], None)} for job in found]
    return [*supervised, *(_unsupervised(job) for job in known.values())]


def _daemon() -> dict[str, Any] | None:
    """None where there is none, or none that answers."""

    if not daemon_control_socket().exists():
        return None
    try:
        return whole_status()
    except DaemonError as problem:
        warn([str(problem)])
        return None


def _unsupervised(job: dict[str, Any]) -> dict[str, Any]:
    hosts = [host for host, ranks in job["places"].items() for _ in range(ranks)]
    keys = ("job", "name", "command", "mpi", "pid", "ranks", "generation", "resizes")
    state = "running" if job["answers"] else "silent"
    own = {key: job.get(key) for key in keys}
    return {**own, "started_unix": job["came_unix"], "hosts": hosts, "state": state, "controller": job}


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
