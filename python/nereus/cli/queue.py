# SPDX-License-Identifier: BSD-3-Clause
"""Waiting until the daemon has cores for a job that is to start."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from nereus.cli.messages import note
from nereus.control import ControlError, ask_daemon
from nereus.launch import Stopping

_ASK_EVERY = 1.0
_LOOK_EVERY = 0.1


@contextmanager
def cores_for(job: str, ranks: int, stopping: Stopping, quiet: bool) -> Iterator[bool]:
    """Whether the job may start: not where it was stopped first. A daemon that is gone keeps it no longer."""
    question = {"kind": "reserve", "job": job, "ranks": ranks}
    answer = ask_daemon(question)
    try:
        if answer["kind"] == "waiting":
            note(f"job {job} waits for {ranks} cores; {answer['before']} before it", quiet)
        with suppress(ControlError):
            while answer["kind"] == "waiting" and stopping.signal is None:
                _pause(stopping)
                answer = ask_daemon(question)
        yield stopping.signal is None
    finally:
        with suppress(ControlError):
            ask_daemon({"kind": "release", "job": job})  # what it has not taken until now


def _pause(stopping: Stopping) -> None:
    until = time.monotonic() + _ASK_EVERY
    while stopping.signal is None and time.monotonic() < until:
        time.sleep(_LOOK_EVERY)
