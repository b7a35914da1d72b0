# SPDX-License-Identifier: BSD-3-Clause
"""Where the daemon of this user is, for those who have a question."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nereus.daemon.error import DaemonError, NoDaemon, SilentDaemon
from nereus.launch.private_folder import is_private
from nereus.supervisor import NoAnswer, ask, job_names, named
from nereus.supervisor.daemon_address import daemon_control_socket

SECONDS = 5.0
#: A question to the daemon; raises DaemonError where there is no answer.
Ask = Callable[[Mapping[str, Any]], dict[str, Any]]
#: The key of a job, and what of an event is told in words, where there may be keys of other jobs.
_JOB = re.compile(r"\b[0-9a-f]{16}\b")
_WORDS = ("why", "text")
NOT_THERE = "no daemon of yours runs on this host; nereus daemon starts one"


def ask_daemon(question: Mapping[str, Any], seconds: float = SECONDS) -> dict[str, Any]:
    """Its answer; DaemonError where it refuses, NoDaemon where there is none."""
    control_socket = daemon_control_socket()
    if not (is_private(control_socket.parent) and control_socket.exists()):
        raise NoDaemon(NOT_THERE)
    try:
        answer = ask(control_socket, question, seconds)
    except NoAnswer as problem:
        if problem.refused:
            raise NoDaemon(NOT_THERE) from None
        raise SilentDaemon(f"the daemon of this host does not answer within {seconds:g} s") from None
    if answer.get("kind") == "refused":
        raise DaemonError(f"the daemon refused: {answer.get('message', '')}")
    return answer


def whole_status(ask: Ask = ask_daemon) -> dict[str, Any]:
    """With all jobs, in however many answers, and their names, which the daemon does not know."""
    found = ask({"kind": "status"})
    jobs, left = found["jobs"], found["jobs_left"]
    while left:
        more = ask({"kind": "status", "from": len(jobs)})
        jobs, left = [*jobs, *more["jobs"]], more["jobs_left"]
    names = job_names()
    own = {key: found[key] for key in found if key not in {"version", "kind", "jobs_left"}}
    return {**own, "jobs": [named(job, names) for job in jobs]}


def named_events(since: int, ask: Ask = ask_daemon) -> dict[str, Any]:
    """One answer: those after the event of that number, for people, with the names of jobs that run now.

    In reasons too: policies know jobs by their keys alone.
    """
    answer, names = ask({"kind": "events", "since": since}), job_names()
    return {**answer, "events": [_named_in_words(named(event, names), names) for event in answer["events"]]}


def _named_in_words(event: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    words = {key: event[key] for key in _WORDS if isinstance(event.get(key), str)}
    return {
        **event,
        **{key: _JOB.sub(lambda job: names.get(job[0], job[0]), text) for key, text in words.items()},
    }


def all_events(since: int = 0) -> Iterator[dict[str, Any]]:
    """Those after the event of that number, in however many answers."""
    while True:
        answer = ask_daemon({"kind": "events", "since": since})
        yield from answer["events"]
        if not answer["events"] or answer["events"][-1]["number"] >= answer["last"]:
            return
        since = answer["events"][-1]["number"]
