# SPDX-License-Identifier: BSD-3-Clause
"""How the daemon and each of its jobs stand, as documents for those who ask and figures for metrics."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from math import inf, nan
from typing import Any

from nereus.coordinator.budget import Budget
from nereus.daemon.sessions import Session
from nereus.daemon.state import DaemonState
from nereus.policy.turns import Grant

#: So that an answer fits into a message, whatever else is in it.
MOST_BYTES = 800_000
_MOST_WORDS, _MOST_WORD = 50, 500
_MOST_HOSTS = 1000


def job_documents(state: DaemonState, start: int, now: float) -> tuple[list[dict[str, Any]], int]:
    """Of jobs from that number on, as many as fit; how many are left."""
    waiting = {request.job for request in state.coordinator.turns.waiting}
    sessions = list(state.sessions.values())[start:]
    made: list[dict[str, Any]] = []
    size = 0
    for session in sessions:
        document = _of_job(state, session, session.name in waiting, now)
        size += len(json.dumps(document))
        if made and size > MOST_BYTES:
            break
        made.append(document)
    return made, len(sessions) - len(made)


def _of_job(state: DaemonState, session: Session, waits: bool, now: float) -> dict[str, Any]:
    known, hosts = state.coordinator.jobs[session.name], state.coordinator.hosts_of(session.name)
    return {
        "job": session.name,
        "command": [word[:_MOST_WORD] for word in session.command[:_MOST_WORDS]],
        "mpi": session.mpi[:_MOST_WORD],
        "pid": session.pid,
        "supervised": session.supervised,
        "ranks": len(session.hosts),
        "more_hosts": hosts.more if hosts is not None else None,
        "places": dict(list(session.places.items())[:_MOST_HOSTS]),
        "most": session.most,
        "generation": session.generation,
        "iteration": session.iteration,
        "resizes": session.resizes,
        "pace": asdict(session.pace) if session.pace is not None else None,
        "came_unix": session.came,
        "heard_unix": known.heard,
        "answers": session.to is not None,
        "turn": "writes" if session.held else "waits" if waits else None,
        "phase": session.asked,
        "epoch": session.held.epoch if session.held else 0,
        "io": asdict(session.io),
        **_predicted(state, session.name),
        "commands": [
            {**told.message, "why": told.why, "heard": told.heard}
            for _, told in sorted(session.telling.items())
        ],
    }


def _predicted(state: DaemonState, job: str) -> dict[str, Any]:
    found = state.coordinator.prediction(job)
    keys = ("next_io_unix", "next_io_iteration", "period_seconds", "io_seconds", "stride", "confidence")
    if found is None:
        return dict.fromkeys(keys)
    values = (
        *(found.next_start, found.next_iteration, found.period, found.duration, found.stride),
        found.confidence,
    )
    return dict(zip(keys, values, strict=True))


def daemon_document(state: DaemonState) -> dict[str, Any]:
    chosen, store = state.chosen, state.journal
    return {
        "policy": chosen.policy,
        "parameters": asdict(chosen.parameters),
        "cores": dict(chosen.cores),
        "cores_free": state.coordinator.free,
        "budget": _budget_document(state.budget),
        "pilot": _pilot_document(state),
        "waiting_for_cores": list(state.coordinator.waiting_for_cores)[:1000],
        "store": str(store.path),
        "store_trouble": store.trouble,
        "last_event": state.events.last,
        "energy": _energy_document(state),
    }


def _pilot_document(state: DaemonState) -> dict[str, Any] | None:
    """Which job has which host."""
    if state.chosen.pilot is None or state.pool is None:
        return None
    jobs = {name: job for job in state.pool.jobs for name in state.pool.names_of(job)}
    return {"job": state.chosen.pilot.job, "hosts": {name: jobs.get(name) for name in state.pool.hosts}}


def _energy_document(state: DaemonState) -> dict[str, Any] | None:
    """Since the daemon began, and `watts` of the last second; None where this host does not say."""
    if state.energy_used is None:
        return None
    return {**state.energy_used.document(), "watts": state.energy.watts}


def _budget_document(budget: Budget | None) -> dict[str, Any] | None:
    if budget is None:
        return None
    most = budget.most_host_seconds
    return {
        "max_nodes": budget.most_hosts,
        "max_node_hours": most / 3600 if most < inf else None,
        "nodes": budget.held,
        "node_hours": budget.host_seconds / 3600,
        "is_spent": budget.is_spent,
    }


def figures(state: DaemonState) -> dict[str, float]:
    coordinator = state.coordinator
    writing: list[Grant] = coordinator.turns.writing
    sessions = state.sessions.values()
    paces = [session.pace for session in sessions if session.pace is not None]
    return {
        "jobs": len(sessions),
        "ranks": sum(len(session.hosts) for session in sessions),
        "cores": coordinator.cores,
        "cores_free": coordinator.free,
        "jobs_waiting_to_write": len(coordinator.turns.waiting),
        "jobs_writing": len(writing),
        "jobs_waiting_for_cores": len(coordinator.waiting_for_cores),
        "commands_pending": sum(len(known.commands) for known in coordinator.jobs.values()),
        "store_writable": float(state.journal.trouble is None),
        "flops": sum(pace.flops or 0.0 for pace in paces),
        "communication_share": _mean_share(sessions),
        "package_watts": nan if state.energy.watts is None else state.energy.watts,
        "package_joules": nan if state.energy_used is None else state.energy_used.joules,
    }


def _mean_share(sessions: Iterable[Session]) -> float:
    """Of the time of ranks that goes to communication, of jobs that mark it; NaN where none does."""
    shares = [
        (len(session.hosts), session.pace.communication_share)
        for session in sessions
        if session.pace is not None and session.pace.communication_share is not None
    ]
    ranks = sum(number for number, _ in shares)
    return sum(number * share for number, share in shares) / ranks if ranks else nan
