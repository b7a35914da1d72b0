# SPDX-License-Identifier: BSD-3-Clause
"""A command that somebody else wrote, run to its end, or until we are asked to stop."""

import shutil
import signal
import subprocess
from typing import TextIO

from nereus.cli.messages import Refused
from nereus.launch import Stopping

_ENDS_WITHIN = 10.0  # s, after it was asked to
_LOOK_EVERY = 0.2  # s


def run_foreign(
    command: list[str], environment: dict[str, str], stopping: Stopping, stdout: TextIO | None = None
) -> int:
    """Its exit code as shells tell it, or ours where we are stopped. Refused: it cannot be started."""
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
        raise Refused(f"{command[0]}: cannot be started: {problem.strerror}") from None
