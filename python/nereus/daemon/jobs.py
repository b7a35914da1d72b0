# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of this user on this host: those that have a supervisor, and those that the daemon knows."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nereus.daemon.client import whole_status
from nereus.daemon.error import DaemonError
from nereus.supervisor import NoAnswer, control_sockets, job_names, status
from nereus.supervisor.daemon_address import daemon_control_socket


def all_jobs(warn: Callable[[str], None]) -> list[dict[str, Any]]:
    """A document for each; `warn` is told why a daemon that is there is not asked."""
    return _with_daemon([_status(path) for path in control_sockets()], warn)


def _status(path: Path) -> dict[str, Any]:
    try:
        answer = status(path)
    except NoAnswer as problem:
        name = job_names().get(path.stem)
        return {"job": path.stem, "name": name, "state": "silent", "reason": str(problem)}
    return {key: value for key, value in answer.items() if key not in {"version", "kind"}}


def _with_daemon(found: list[dict[str, Any]], warn: Callable[[str], None]) -> list[dict[str, Any]]:
    """Each with what the daemon knows of it, as `controller`; behind them those that nobody supervises."""
    daemon = _known_daemon(warn)
    if daemon is None:
        return found
    known = {job["job"]: {"policy": daemon["policy"], **job} for job in daemon["jobs"]}
    supervised = [{**job, "controller": known.pop(job["job"], None)} for job in found]
    return [*supervised, *(_unsupervised(job) for job in known.values())]


def _known_daemon(warn: Callable[[str], None]) -> dict[str, Any] | None:
    """None where there is none, or none that answers."""
    if not daemon_control_socket().exists():
        return None
    try:
        return whole_status()
    except DaemonError as problem:
        warn(str(problem))
        return None


def _unsupervised(job: dict[str, Any]) -> dict[str, Any]:
    hosts = [host for host, ranks in job["places"].items() for _ in range(ranks)]
    keys = ("job", "name", "command", "mpi", "pid", "ranks", "generation", "resizes")
    state = "running" if job["answers"] else "silent"
    own = {key: job.get(key) for key in keys}
    return {**own, "started_unix": job["came_unix"], "hosts": hosts, "state": state, "controller": job}
