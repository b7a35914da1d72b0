# SPDX-License-Identifier: BSD-3-Clause
"""Answers requests on the daemon's control socket: status of all jobs, events, cores for a job to come."""

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from nereus import UserError
from nereus.coordinator.resources import ResourceError
from nereus.daemon import questions
from nereus.daemon.executor import CommandExecutor, Out
from nereus.daemon.recovery import events_since
from nereus.daemon.shared_hosts import SharedHosts
from nereus.daemon.state import DaemonState
from nereus.daemon.status import MOST_BYTES, daemon_document, job_documents

_MOST_EVENTS = 1000


class QueryHandler:
    def __init__(self, state: DaemonState, executor: CommandExecutor, about: Mapping[str, Any]) -> None:
        """`about`: what stays the same of this daemon."""
        self._state, self._executor = state, executor
        self._about = dict(about)
        self._hosts = SharedHosts(state, executor)
        self.stop = False

    def answer(self, value: dict[str, Any] | None, now: float) -> tuple[dict[str, Any], list[Out]]:
        """The answer, and messages for jobs that come of it."""
        asked = questions.read_question(value) if value is not None else "a message that cannot be read"
        match asked:
            case questions.AskStatus():
                return self._status(asked, now), []
            case questions.AskEvents():
                return self._events(asked), []
            case questions.AskReserve():
                return self._reserve(asked, now)
            case questions.AskRelease():
                effects = self._state.reservations.released(asked.job, now)
                return {"kind": "released"}, self._executor.carry_out(effects, now)
            case questions.AskLearn():
                return self._learn(asked, now), []
            case questions.AskPilot():
                return self._hosts.about(), []
            case questions.AskHosts():
                return self._hosts.answer(asked, now)
            case questions.AskChange():
                return self._change(asked, now)
            case questions.AskStop():
                self.stop = True
                return {"kind": "stopping", "pid": self._about["pid"]}, []
            case str():
                return {"kind": "refused", "message": asked}, []

    def look(self, now: float) -> list[Out]:
        """Whoever does not ask any more."""
        return self._hosts.look(now)

    def _status(self, asked: questions.AskStatus, now: float) -> dict[str, Any]:
        jobs, left = job_documents(self._state, asked.start, now)
        own = {**self._about, **daemon_document(self._state), "time_unix": now}
        return {"kind": "status", **own, "jobs": jobs, "jobs_left": left}

    def _events(self, asked: questions.AskEvents) -> dict[str, Any]:
        """The oldest first; whoever wants more asks again with the number of the last one."""
        first = self._state.events.first_kept
        older: list[dict[str, Any]] = []
        if asked.since + 1 < first:
            older = events_since(self._state.journal, asked.since, first, _MOST_EVENTS)
        recent = self._state.events.since(max(asked.since, first - 1), _MOST_EVENTS - len(older))
        found = [*older, *(event.document() for event in recent)]
        return {"kind": "events", "events": _that_fit(found), "last": self._state.events.last}

    def _learn(self, asked: questions.AskLearn, now: float) -> dict[str, Any]:
        """Jobs that come later have these times; those that run now have times of their own."""
        for each in asked.times:
            self._state.journal.learnt(asked.command, asked.job, each.ranks, each.seconds, now)
        self._state.events.add(now, asked.job, "learnt", command=asked.command, times=len(asked.times))
        return {"kind": "learnt", "times": len(asked.times)}

    def _change(self, asked: questions.AskChange, now: float) -> tuple[dict[str, Any], list[Out]]:
        try:
            effects = self._state.change(asked.policy, asked.parameters, now)
        except UserError as problem:
            return {"kind": "refused", "message": str(problem)}, []
        chosen = self._state.chosen
        self._state.events.add(now, "", "changed", policy=chosen.policy, parameters=asked.parameters)
        return {"kind": "changed", "policy": chosen.policy}, self._executor.carry_out(effects, now)

    def _reserve(self, asked: questions.AskReserve, now: float) -> tuple[dict[str, Any], list[Out]]:
        try:
            effects = self._state.reservations.asked(asked.job, asked.ranks, now)
        except ResourceError as problem:
            return {"kind": "refused", "message": str(problem)}, []
        outs = self._executor.carry_out(effects, now)
        places = self._state.reservations.places(asked.job)
        if places is None:
            waiting = list(self._state.coordinator.waiting_for_cores)
            before = waiting.index(asked.job) if asked.job in waiting else 0
            return {"kind": "waiting", "before": before}, outs
        return {"kind": "reserved", "places": dict(places)}, outs


def _that_fit(documents: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The first of them, as many as one message has room for."""
    sizes = accumulate(len(json.dumps(each)) for each in documents)
    return [each for each, size in zip(documents, sizes, strict=True) if size <= MOST_BYTES]
