# SPDX-License-Identifier: BSD-3-Clause
"""nereus daemon status - how the daemon of this user and its jobs stand."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from nereus.analysis.report.units import amount_text, percent_text, seconds_text
from nereus.cli.json_option import JsonOption
from nereus.cli.messages import show, show_json
from nereus.daemon import whole_status
from nereus.supervisor import shown_name

if TYPE_CHECKING:
    from rich.table import Table


def status(
    as_json: JsonOption = False,
) -> None:
    """Show the state of this user's daemon, and what it knows of each job.

    Example: nereus daemon status --json
    """
    found = whole_status()
    if as_json:
        show_json(found)
    else:
        show(_sentence(found))
        if found.get("pilot") is not None:
            show(_hosts_text(found))
        show(_table(found["jobs"]))


def power_text(found: dict[str, Any]) -> str:
    """Of the daemon's host, where it says so."""
    watts = (found.get("energy") or {}).get("watts")  # one of an earlier version tells of none
    return "" if watts is None else f", {amount_text(watts, 'W')}"


def pace_text(job: dict[str, Any]) -> str:
    """Of its latest iterations: how long, of what, how much."""
    pace = job.get("pace")  # one of an earlier version has none
    if pace is None:
        return ""
    parts = [seconds_text(pace["iteration_seconds"])]
    for key, word in (("compute_seconds", "comp"), ("communication_seconds", "comm")):
        if pace[key] is not None:
            parts.append(f"{percent_text(min(1.0, pace[key] / pace['iteration_seconds']))} {word}")
    if pace["flops"] is not None:
        parts.append(amount_text(pace["flops"], "flop/s"))
    return ", ".join(parts)


def cores_text(found: dict[str, Any]) -> str:
    """What jobs can get yet: cores, or hosts within a budget."""
    budget = found.get("budget")  # one of an earlier version has none
    if budget is None:
        return f"{found['cores_free']} of {sum(found['cores'].values())} cores free"
    limit = f" of {budget['max_node_hours']:g}" if budget["max_node_hours"] is not None else ""
    nodes = f"{budget['nodes']} of {budget['max_nodes']} more nodes held"
    return f"{nodes}, {budget['node_hours']:.2f}{limit} node hours"


def _hosts_text(found: dict[str, Any]) -> str:
    """Who has which host of the allocation that jobs share out."""
    names = {job["job"]: shown_name(job) for job in found["jobs"]}
    hosts = found["pilot"]["hosts"]
    owners = [f"{host} {names.get(job, job) if job else 'free'}" for host, job in hosts.items()]
    return f"hosts of the job {found['pilot']['job']}: {', '.join(owners)}"


def turn_text(job: dict[str, Any]) -> str:
    return job["turn"] or ("computes" if job["answers"] else "no message yet")


def next_text(job: dict[str, Any]) -> str:
    """When its next I/O phase begins, if that is known."""
    at = job["next_io_unix"]
    return f"{datetime.fromtimestamp(at):%H:%M:%S}" if at is not None else ""


def commands_text(job: dict[str, Any]) -> str:
    """What it is told and has not done."""
    texts = [_command_text(command) for command in job["commands"]]
    return ", ".join(texts)


def _command_text(command: dict[str, Any]) -> str:
    if command["kind"] == "cancel":
        return "cancelled"
    return f"{command['ranks']} ranks" + (f" at {command['at']}" if command["at"] else "")


def _sentence(found: dict[str, Any]) -> str:
    trouble = f"; the store cannot be written: {found['store_trouble']}" if found["store_trouble"] else ""
    since = f"{datetime.fromtimestamp(found['started_unix']):%Y-%m-%d %H:%M:%S}"
    return (
        f"policy {found['policy']}, {cores_text(found)}{power_text(found)}, {len(found['jobs'])} jobs; "
        f"process {found['pid']} since {since}{trouble}"
    )


def _table(jobs: list[dict[str, Any]]) -> "Table":
    from nereus.analysis.report.tables import new_table, number

    counts, states, times = ("ranks", "iteration"), ("pace", "turn", "next I/O"), ("period", "I/O")
    grid = new_table("job", *map(number, counts), *states, *map(number, times), "commands", "program")
    for job in jobs:
        cells = (
            *(shown_name(job), str(job["ranks"]), str(job["iteration"]), pace_text(job)),
            *(turn_text(job), next_text(job)),
            *(_seconds(job["period_seconds"]), _seconds(job["io_seconds"]), commands_text(job)),
            job["command"][0] if job["command"] else "",
        )
        grid.add_row(*cells)
    return grid


def _seconds(value: float | None) -> str:
    return "" if value is None else seconds_text(value)
