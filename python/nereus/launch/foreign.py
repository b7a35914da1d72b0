# SPDX-License-Identifier: BSD-3-Clause
"""A command of somebody else's that starts an MPI program: run to its end, or until we are asked to stop."""

import shutil
import signal
import subprocess
from collections.abc import Sequence
from typing import TextIO

from nereus.launch.builds import Build
from nereus.launch.error import LaunchError
from nereus.launch.preloading import forwards_itself, launched_with, not_forwarded
from nereus.launch.programs import search_path
from nereus.launch.shared_memory import Snapshot
from nereus.launch.stopping import Stopping

_ENDS_WITHIN = 10.0  # s, after it was asked to
_LOOK_EVERY = 0.2  # s


def run_foreign(
    command: Sequence[str],
    build: Build,
    environment: dict[str, str],
    stopping: Stopping,
    stdout: TextIO | None = None,
) -> int:
    """Run it with the launcher and the programs of the build where PATH has none.

    Where the command says itself which variables go to other hosts, ours are not listed for Open MPI, which
    would refuse it. Its exit code as shells tell it, or ours where we are stopped. LaunchError: it cannot be
    started.
    """
    forwarded = not_forwarded(environment) if forwards_itself(command) else environment
    complete = forwarded | {"PATH": search_path(build)}
    before = Snapshot.take()
    code = _exit_code(launched_with(command, build), complete, stopping, stdout)
    if code:
        before.remove_leftovers()  # MPIs leave theirs where a rank dies
    return code


def _exit_code(
    command: list[str], environment: dict[str, str], stopping: Stopping, stdout: TextIO | None
) -> int:
    with _started(command, environment, stdout) as process:
        while stopping.signal is None:
            try:
                code = process.wait(_LOOK_EVERY)
            except subprocess.TimeoutExpired:
                continue
            return 128 - code if code < 0 else code
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
    return stopping.exit_code


def _started(
    command: list[str], environment: dict[str, str], stdout: TextIO | None
) -> "subprocess.Popen[bytes]":
    program = shutil.which(command[0], path=environment.get("PATH")) or command[0]
    try:
        return subprocess.Popen([program, *command[1:]], env=environment, stdout=stdout)
    except OSError as problem:
        raise LaunchError(f"{command[0]}: cannot be started: {problem.strerror}") from None
