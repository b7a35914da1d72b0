# SPDX-License-Identifier: BSD-3-Clause
"""Commands of `nereus`, each in a process of its own that is forked from one that has imported them all.

To import what a command needs takes longer than most commands run. Run as a program, this file is the process
that forks; a forked one continues as `python -c "from nereus.cli.main import main; main()" ARGUMENTS` does.
"""

import gc
import json
import os
import pkgutil
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any

COMMAND = [sys.executable, "-c", "from nereus.cli.main import main; main()"]
# Read when Python starts, before anything of ours.
_READ_AT_START = ("LANG", "LC_", "PYTHON")
_ENDS_WITHIN = 30.0
_MOST_BYTES = 200_000
_LIBRARIES = ("matplotlib.backends.backend_agg", "matplotlib.figure", "pandas", "scipy.stats", "zmq")


#: Arguments, folder, environment, seconds that it may take.
RunCommand = Callable[[Sequence[str], Path, Mapping[str, str], float], "subprocess.CompletedProcess[str]"]


class ForkedCommands:
    """Runs commands to their end."""

    def __init__(self) -> None:
        self._in_use = threading.Lock()
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], limit: float
    ) -> "subprocess.CompletedProcess[str]":
        """As subprocess.run() does it; after `limit` seconds the command is ended, and TimeoutExpired raised.

        One is forked at a time: while another runs, and with an environment that Python reads when it starts,
        Python is started.
        """
        if _is_read_at_start(environment) or not self._in_use.acquire(blocking=False):
            return run_command(arguments, folder, environment, limit)
        try:
            return self._fork(arguments, folder, environment, limit)
        finally:
            self._in_use.release()

    def _fork(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], limit: float
    ) -> "subprocess.CompletedProcess[str]":
        asked = {"arguments": list(arguments), "folder": str(folder), "environment": dict(environment)}
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            socket.send_fds(self._line, [json.dumps(asked).encode()], [out.fileno(), errors.fileno()])
            pid = int(self._line.recv(100))
            code = self._end_of(pid, arguments, limit)
            texts = [_text_of(file) for file in (out, errors)]
        return subprocess.CompletedProcess([*arguments], code, *texts)

    def _end_of(self, pid: int, arguments: Sequence[str], limit: float) -> int:
        self._line.settimeout(limit)
        try:
            return int(self._line.recv(100))
        except TimeoutError:
            self._end(pid)
            raise subprocess.TimeoutExpired([*arguments], limit) from None
        finally:
            self._line.settimeout(None)

    def _end(self, pid: int) -> None:
        os.kill(pid, signal.SIGTERM)
        self._line.settimeout(_ENDS_WITHIN)
        try:
            self._line.recv(100)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self._line.settimeout(None)
            self._line.recv(100)

    def close(self) -> None:
        self._line.close()
        self._process.wait(timeout=60)


def _is_read_at_start(environment: Mapping[str, str]) -> bool:
    changed = {name for name, value in environment.items() if os.environ.get(name) != value}
    return any(name.startswith(_READ_AT_START) for name in changed)


def run_command(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], limit: float
) -> "subprocess.CompletedProcess[str]":
    """As ForkedCommands.run(), by starting Python."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            out, errors = process.communicate(timeout=limit)
        finally:
            if process.poll() is None:
                end(process)
    return subprocess.CompletedProcess([*arguments], process.returncode, out, errors)


def end(process: "subprocess.Popen[str]") -> None:
    """Ask a command to end as a user would; it must be able to."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()


def _text_of(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def _import_all() -> None:
    import nereus.cli

    for module in pkgutil.iter_modules(nereus.cli.__path__, "nereus.cli."):
        import_module(module.name)
    for name in _LIBRARIES:
        import_module(name)
    gc.freeze()


def _become_next(line: socket.socket) -> list[str] | None:
    """In a forked process its arguments; None in this one, when no more is asked."""
    while True:
        asked, files, _, _ = socket.recv_fds(line, _MOST_BYTES, 2)
        if not asked:
            return None
        pid = os.fork()
        if pid == 0:
            line.close()
            return _become(json.loads(asked), files)
        for file in files:
            os.close(file)
        line.send(b"%d" % pid)
        _, status = os.waitpid(pid, 0)
        line.send(b"%d" % os.waitstatus_to_exitcode(status))


def _become(asked: dict[str, Any], files: Sequence[int]) -> list[str]:
    for own, file in zip((1, 2), files, strict=True):
        os.dup2(file, own)
        os.close(file)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    random.seed()
    arguments: list[str] = asked["arguments"]
    return arguments


if __name__ == "__main__":
    _import_all()
    with socket.socket(fileno=int(sys.argv[1])) as commands:
        arguments = _become_next(commands)
    if arguments is not None:
        from nereus.cli.main import main

        sys.argv = ["-c", *arguments]
        main()
