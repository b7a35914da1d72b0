# SPDX-License-Identifier: BSD-3-Clause
"""A command of somebody else's that starts an MPI program: run to its end, or until we are asked to stop."""

import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from nereus.launch.builds import Build
from nereus.launch.error import LaunchError
from nereus.launch.preloading import forwards_itself, launched_with, not_forwarded
from nereus.launch.programs import search_path
from nereus.launch.shared_memory import Snapshot
from nereus.launch.stopping import Stopping

_ENDS_WITHIN = 10.0  # s, after it was asked to
_LOOK_EVERY = 0.2  # s
_DIES_WITHIN = 1.0  # s, a rank whose launcher has ended


@dataclass(frozen=True)
class ForeignEnd:
    """`code`: its own as shells tell it, or ours where we were stopped; `seconds`: from start to end."""

    code: int
    seconds: float


def run_foreign(
    command: Sequence[str],
    build: Build,
    environment: dict[str, str],
    stopping: Stopping,
    stdout: TextIO | None = None,
) -> ForeignEnd:
    """Run it with the launcher and the programs of the build where PATH has none.

    Where the command says itself which variables go to other hosts, ours are not listed for Open MPI, which
    would refuse it. LaunchError: it cannot be started.
    """
    forwarded = not_forwarded(environment) if forwards_itself(command) else environment
    complete = forwarded | {"PATH": search_path(build)}
    before = Snapshot.take()
    ended = _run(launched_with(command, build), complete, stopping, stdout)
    if ended.code:
        before.remove_leftovers(_DIES_WITHIN)  # MPIs leave theirs where a rank dies
    return ended


def _run(
    command: list[str], environment: dict[str, str], stopping: Stopping, stdout: TextIO | None
) -> ForeignEnd:
    begin = time.monotonic()
    with _started(command, environment, stdout) as process:
        if _ends(process, stopping):
            seconds = time.monotonic() - begin
            code = process.wait()
            return ForeignEnd(128 - code if code < 0 else code, seconds)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
    return ForeignEnd(stopping.exit_code, time.monotonic() - begin)


def _ends(process: "subprocess.Popen[bytes]", stopping: Stopping) -> bool:
    """Whether it ends before we are stopped; its end is seen at once, since it may be timed."""
    descriptor = os.pidfd_open(process.pid)
    try:
        while stopping.signal is None:
            if select.select([descriptor], [], [], _LOOK_EVERY)[0]:
                return True
    finally:
        os.close(descriptor)
    return False


def _started(
    command: list[str], environment: dict[str, str], stdout: TextIO | None
) -> "subprocess.Popen[bytes]":
    program = shutil.which(command[0], path=environment.get("PATH")) or command[0]
    try:
        return subprocess.Popen([program, *command[1:]], env=environment, stdout=stdout)
    except OSError as problem:
        raise LaunchError(f"{command[0]}: cannot be started: {problem.strerror}") from None
