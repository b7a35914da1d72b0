# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of this user: those that have a supervisor, on any host, and those that the daemon knows."""

from collections.abc import Callable
from typing import Any

from nereus.daemon.client import whole_status
from nereus.daemon.error import DaemonError
from nereus.supervisor import statuses
from nereus.supervisor.daemon_address import daemon_control_socket


def all_jobs(warn: Callable[[str], None]) -> list[dict[str, Any]]:
    """A document for each; `warn` is told why a daemon that is there is not asked, and what is ignored."""
    return _with_daemon(statuses(warn), warn)


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
    own = {"host": None, **{key: job.get(key) for key in keys}}
    return {
        **own,
        "started_unix": job["came_unix"],
        "hosts": hosts,
        "state": state,
        "controller": job,
    }
