# SPDX-License-Identifier: BSD-3-Clause
"""Waiting until the daemon has cores for a job that is to start, or hosts of those that jobs share out."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from nereus.daemon.client import SECONDS, ask_daemon
from nereus.daemon.error import DaemonError, NoDaemon, SilentDaemon
from nereus.launch import Stopping
from nereus.supervisor import NameClaim
from nereus.supervisor.asking import Inquiry
from nereus.supervisor.daemon_address import daemon_control_socket
from nereus.supervisor.site_record import address_in_record, answers

_ASK_EVERY = 1.0
_LOOK_EVERY = 0.1
#: For so long a daemon that is gone is waited for: without it all that wait would start at once.
_GONE_SECONDS = 15.0
#: For so long one that is just being started: on a busy host, from a slow file system, Python takes its time.
_STARTS_WITHIN = 60.0
_TELL_AFTER = 2.0


def shares_hosts_of(job: str, expected: bool, stopping: Stopping, tell: Callable[[str], None]) -> bool:
    """Whether the daemon shares out the hosts of this job of a resource manager.

    `expected`: one that is not there yet is waited for. DaemonError where it runs on another host, or is here
    and does not answer. `tell` is told what it waits for.
    """
    began = time.monotonic()
    until = began + (_STARTS_WITHIN if expected else 0.0)
    told = False
    elsewhere: str | None = None
    while True:
        try:
            return bool(ask_daemon({"kind": "pilot"}).get("job") == job)
        except SilentDaemon:
            # It may be the one that shares them out: a job that starts beside it would take others' hosts.
            if time.monotonic() >= began + _STARTS_WITHIN:
                raise
        except NoDaemon:
            if elsewhere is not None:
                text = f"the daemon of this job is at {elsewhere}: start jobs on its host"
                raise DaemonError(text) from None
            # It may have begun after it was asked. It opens its control socket first: so it is asked again.
            elsewhere = _address_of_daemon(job)
            if elsewhere is None and time.monotonic() >= until:
                return False
        except DaemonError:
            return False  # an earlier version, which shares out no hosts
        if stopping.signal is not None:
            return False
        if not told and time.monotonic() >= began + _TELL_AFTER:
            told = True
            tell(f"waiting for a daemon of the job {job}, for {_STARTS_WITHIN:g} s at most")
        _pause(stopping, _LOOK_EVERY)


def _address_of_daemon(job: str) -> str | None:
    """Where one answers that shares out the hosts of this job, by its record, which all hosts see."""
    address = address_in_record(of_job=job)
    return address if address is not None and answers(address) else None


def inquire(question: Mapping[str, Any]) -> Inquiry:
    """A question to the daemon of this host, for supervisors."""
    return Inquiry(daemon_control_socket(), question, SECONDS)


@contextmanager
def cores_for(
    job: NameClaim, ranks: int, stopping: Stopping, tell: Callable[[str], None]
) -> Iterator[Sequence[str] | None]:
    """The hosts with cores for the job, none after the daemon has gone; None where it was stopped first.

    DaemonError where it may never start. `tell` is told what it waits for.
    """
    question = {"kind": "reserve", "job": job.key, "ranks": ranks}
    answer = ask_daemon(question, _GONE_SECONDS)  # one that has just started has much to do
    try:
        if answer["kind"] == "waiting":
            tell(f"job {job.name} waits for {ranks} cores; {answer['before']} before it")
        while answer["kind"] == "waiting" and stopping.signal is None:
            _pause(stopping)
            answer = _asked_again(question, job.name, stopping, tell)
        yield list(answer.get("places", {})) if stopping.signal is None else None
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


def _pause(stopping: Stopping, seconds: float = _ASK_EVERY) -> None:
    until = time.monotonic() + seconds
    while stopping.signal is None and time.monotonic() < until:
        time.sleep(_LOOK_EVERY)
