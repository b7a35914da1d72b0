# SPDX-License-Identifier: BSD-3-Clause
"""A command on another host, by a remote shell: its input and outputs are ours, and so is its exit code."""

import shlex
import signal
import subprocess
import time
from collections.abc import Sequence

from nereus.launch.error import LaunchError
from nereus.launch.stopping import Stopping

#: It never asks for a password, and notices when the host is gone.
SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15")
# By which remote shells tell that they have failed themselves (ssh(1), "EXIT STATUS").
_SHELL_FAILED = 255
_ENDS_WITHIN = 5.0  # s, after it was asked to
_LOOK_EVERY = 0.1  # s


class NoEnd(Exception):
    """It did not end in time; what runs on the other host may go on."""


def run_there(
    host: str,
    words: Sequence[str],
    stopping: Stopping,
    rsh: str | None = None,
    terminal: bool = False,
    limit: float | None = None,
) -> int:
    """Its exit code, or ours where we are stopped. LaunchError: it could not be begun there; NoEnd.

    `rsh`: called as ssh is, which is taken without it; `terminal`: it draws on one; `limit`: its seconds.
    """
    shell = [rsh] if rsh else [*SSH, *(["-t"] if terminal else [])]
    try:
        process = subprocess.Popen([*shell, host, shlex.join(words)])
    except OSError as problem:
        raise LaunchError(f"{shell[0]}: cannot be started: {problem.strerror}") from None
    with process:
        code = _code(process, stopping, limit)
    if code == _SHELL_FAILED:
        raise LaunchError(f"{shell[0]} {host}: the command could not be run there (exit code {code})")
    return 128 - code if code < 0 else code


def _code(process: "subprocess.Popen[bytes]", stopping: Stopping, limit: float | None) -> int:
    began = time.monotonic()
    while stopping.signal is None:
        try:
            return process.wait(_LOOK_EVERY)
        except subprocess.TimeoutExpired:
            if limit is not None and time.monotonic() - began > limit:
                _end(process)
                raise NoEnd(f"no end within {limit:.0f} s") from None
    _end(process)
    return stopping.exit_code


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
