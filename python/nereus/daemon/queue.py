# SPDX-License-Identifier: BSD-3-Clause
"""Waiting until the daemon has cores for a job that is to start."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from nereus.daemon.client import ask_daemon
from nereus.daemon.error import DaemonError, NoDaemon
from nereus.launch import Stopping
from nereus.supervisor import NameClaim

_ASK_EVERY = 1.0
_LOOK_EVERY = 0.1
#: For so long a daemon that is gone is waited for: without it all that wait would start at once.
_GONE_SECONDS = 15.0


@contextmanager
def cores_for(job: NameClaim, ranks: int, stopping: Stopping, tell: Callable[[str], None]) -> Iterator[bool]:
    """Whether the job may start: not where it was stopped first. DaemonError where it never may.

    `tell` is told what it waits for.
    """
    question = {"kind": "reserve", "job": job.key, "ranks": ranks}
    answer = ask_daemon(question)
    try:
        if answer["kind"] == "waiting":
            tell(f"job {job.name} waits for {ranks} cores; {answer['before']} before it")
        while answer["kind"] == "waiting" and stopping.signal is None:
            _pause(stopping)
            answer = _asked_again(question, job.name, stopping, tell)
        yield stopping.signal is None
    finally:
        with suppress(DaemonError):
            ask_daemon({"kind": "release", "job": job.key})  # what it has not taken until now


def _asked_again(
    question: Mapping[str, Any], name: str, stopping: Stopping, tell: Callable[[str], None]
) -> dict[str, Any]:
    """The answer of the daemon, or of the one that follows it; one that is gone for good keeps nobody."""
    until = None
    while stopping.signal is None and (until is None or time.monotonic() < until):
        with suppress(NoDaemon):
            return ask_daemon(question)
        if until is None:
            until = time.monotonic() + _GONE_SECONDS
            tell(f"the daemon is gone: job {name} starts without it in {_GONE_SECONDS:g} s, if it stays so")
        _pause(stopping)
    return {"kind": "reserved"}


def _pause(stopping: Stopping) -> None:
    until = time.monotonic() + _ASK_EVERY
    while stopping.signal is None and time.monotonic() < until:
        time.sleep(_LOOK_EVERY)
