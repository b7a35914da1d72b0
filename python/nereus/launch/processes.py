# SPDX-License-Identifier: BSD-3-Clause
"""Finds the processes of one job and ends them, and no others.

A job's processes inherit an environment variable with the job's random key, so that ranks are found whose
parents are gone. A process is known by its number and its start time: a number that the system gave away
again is another process.
"""

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.launch.process_environment import entries_of, state_fields

JOB_VARIABLE = "NEREUS_JOB"
GROUP_VARIABLE = "NEREUS_GROUP"
#: The key of the job that failed, and from whose epoch this one continues.
CONTINUES_VARIABLE = "NEREUS_CONTINUES"
#: What all processes of a job have, on all hosts.
OWN_VARIABLES = (JOB_VARIABLE, CONTINUES_VARIABLE)
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
# One that a debugger holds, or that waits for a file server, may not stop for long.
_STOP_WITHIN, _LOOK_EVERY = 0.5, 0.001
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Process:
    """A process that was seen running."""

    pid: int
    started: int


@dataclass(frozen=True)
class _Entry:
    process: Process
    parent: int
    session: int
    running: bool
    stopped: bool


def of_job(key: str, roots: Iterable[int] = ()) -> list[Process]:
    """Running processes that carry the job's key, or descend from the processes `roots` (these included)."""
    return _found({f"{JOB_VARIABLE}={key}"}, set(roots))


def of_group(key: str, number: int, root: int | None = None) -> list[Process]:
    """Running processes of the job's group with this number, or descending from `root` (itself included)."""
    carried = {f"{JOB_VARIABLE}={key}", f"{GROUP_VARIABLE}={number}"}
    return _found(carried, {root} if root is not None else set())


def this_process() -> Process:
    """The one that asks."""
    entry = _entry(os.getpid())
    assert entry is not None
    return entry.process


def is_running(process: Process) -> bool:
    """Whether it still runs."""
    entry = _entry(process.pid)
    return entry is not None and entry.running and entry.process == process


def is_stopped(process: Process) -> bool:
    """Whether a signal stopped it, and none has had it go on."""
    entry = _entry(process.pid)
    return entry is not None and entry.stopped and entry.process == process


def catches(process: Process, number: signal.Signals) -> bool:
    """Whether it has a handler for this signal."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{process.pid}/status").read_text(errors="replace").splitlines():
            if line.startswith("SigCgt:"):
                return bool(int(line.split()[1], 16) >> (number - 1) & 1) and is_running(process)
    return False


def parent(process: Process) -> int | None:
    """The process that it is a child of now; None when it is gone."""
    entry = _entry(process.pid)
    return entry.parent if entry is not None and entry.process == process else None


def reap_orphans(sessions: Container[int]) -> None:
    """Reap what has ended of the orphans that became ours; their sessions are those of launchers, `sessions`.

    Not the launchers themselves, nor any other child: somebody else waits for these.
    """
    for pid, entry in _table().items():
        orphan = entry.parent == os.getpid() and entry.session in sessions and entry.session != pid
        if orphan and not entry.running:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def send(process: Process, number: signal.Signals) -> None:
    """Send a signal, unless the process is gone or its number is another's by now."""
    entry = _entry(process.pid)
    if entry is not None and entry.process == process:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, number)


@contextlib.contextmanager
def stopped(some: Sequence[Process]) -> Iterator[None]:
    """In this block these processes stand still, so that what was seen of them holds until it ends.

    Those that do not stop at once are not waited for.
    """
    ours = [process for process in some if not is_stopped(process)]
    try:
        for process in ours:
            send(process, signal.SIGSTOP)
        deadline = time.monotonic() + _STOP_WITHIN
        while time.monotonic() < deadline and any(is_running(p) and not is_stopped(p) for p in ours):
            time.sleep(_LOOK_EVERY)
        yield
    finally:
        for process in ours:
            send(process, signal.SIGCONT)


@contextlib.contextmanager
def fostering() -> Iterator[None]:
    """In this block a job's processes whose parents die become ours; at its end all are reaped.

    Only for a process that has no other children than jobs. Without it dead ranks would stay in the
    process table for ever where no system process reaps orphans, as in many containers.
    """
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def dying_with_us(number: signal.Signals = signal.SIGTERM) -> Callable[[], None]:
    """For a child before it executes a program: it gets the signal when this process is killed."""
    parent = os.getpid()

    def prepare() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:  # who was killed before that will not be told of
            os._exit(128 + number)

    return prepare


def _table() -> dict[int, _Entry]:
    numbers = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    entries = ((pid, _entry(pid)) for pid in numbers)
    return {pid: entry for pid, entry in entries if entry is not None}


def _entry(pid: int) -> _Entry | None:
    try:
        fields = state_fields(pid)
    except OSError:
        return None
    return _Entry(
        Process(pid, int(fields[19])), int(fields[1]), int(fields[3]), fields[0] not in "ZX", fields[0] == "T"
    )


def _found(variables: set[str], roots: set[int]) -> list[Process]:
    table = _table()
    family = _descendants(table, roots)
    return [
        e.process for pid, e in table.items() if e.running and (pid in family or _carries(pid, variables))
    ]


def _descendants(table: dict[int, _Entry], roots: set[int]) -> set[int]:
    family = set(roots)
    while True:
        more = {pid for pid, entry in table.items() if entry.parent in family} - family
        if not more:
            return family
        family |= more


def _carries(pid: int, variables: set[str]) -> bool:
    return {variable.encode() for variable in variables} <= set(entries_of(pid))
