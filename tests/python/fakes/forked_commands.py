# SPDX-License-Identifier: BSD-3-Clause
"""Commands of `nereus`, each in a process of its own that is forked from one that has imported them all.

To import what a command needs takes longer than most commands run. Run as a program, this file is the process
that forks. A forked one does what `python -c "from nereus.cli.main import main; main()" ARGUMENTS` would, but
for what Python or the loader reads when it starts, and what modules do when they are imported: with
NEREUS_TEST_COLD in the environment, as in `make test-all`, Python is started for each command.
"""

import gc
import json
import os
import pkgutil
import random
import select
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from commands import COMMAND, ENDS_WITHIN, started

_COLD = "NEREUS_TEST_COLD"
# Read when Python or the loader starts, before anything of ours.
_READ_AT_START = ("LANG", "LC_", "LD_", "PYTHON")
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

        One is forked at a time: while another runs, and with an environment that is read at start, Python is
        started.
        """
        if _COLD in os.environ or _is_read_at_start(environment) or not self._in_use.acquire(blocking=False):
            return run_command(arguments, folder, environment, limit)
        try:
            asked = {"arguments": list(arguments), "folder": str(folder), "environment": dict(environment)}
            command = _ForkedCommand(self._line, asked)
            try:
                code, *texts = command.communicate(limit)
            except TimeoutError:
                raise subprocess.TimeoutExpired([*arguments], limit) from None
            finally:
                command.close()
        finally:
            self._in_use.release()
        return subprocess.CompletedProcess([*arguments], int(code), *map(_text_of, texts))

    def close(self) -> None:
        self._line.close()
        self._process.wait(timeout=60)


class _ForkedCommand:
    """One command, with a line of its own for its end: one that is given up is not taken for the next one."""

    def __init__(self, line: socket.socket, asked: Mapping[str, Any]) -> None:
        pipes = [os.pipe() for _ in range(2)]
        self._outputs = [reader for reader, _ in pipes]
        self._end, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        writers = [writer for _, writer in pipes]
        with theirs:
            try:
                socket.send_fds(line, [json.dumps(asked).encode()], [*writers, theirs.fileno()])
            finally:
                for writer in writers:
                    os.close(writer)
        began, files, _, _ = socket.recv_fds(self._end, 100, 1)
        assert began, "the process that forks commands has ended"
        (self._process,) = files

    def communicate(self, limit: float) -> tuple[int, bytes, bytes]:
        """Exit code and outputs, once all who can write have closed them; TimeoutError after the limit."""
        deadline = time.monotonic() + limit
        texts = [b"", b""]
        with selectors.DefaultSelector() as outputs:
            for number, output in enumerate(self._outputs):
                outputs.register(output, selectors.EVENT_READ, number)
            while outputs.get_map():
                found = outputs.select(max(0.0, deadline - time.monotonic()))
                if not found:
                    raise TimeoutError
                for key, _ in found:
                    piece = os.read(key.fd, 1 << 16)
                    texts[key.data] += piece
                    if not piece:
                        outputs.unregister(key.fd)
        self._end.settimeout(max(0.001, deadline - time.monotonic()))
        return int(self._end.recv(100)), texts[0], texts[1]

    def close(self) -> None:
        """If it still runs, end it as a user would; it must be able to."""
        for number, seconds in ((signal.SIGTERM, ENDS_WITHIN), (signal.SIGKILL, None)):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._process, number)
            if select.select([self._process], [], [], seconds)[0]:
                break
        self._end.close()
        for file in (*self._outputs, self._process):
            os.close(file)


def _is_read_at_start(environment: Mapping[str, str]) -> bool:
    names = {*environment, *os.environ}
    changed = {name for name in names if os.environ.get(name) != environment.get(name)}
    return any(name.startswith(_READ_AT_START) for name in changed)


def _text_of(output: bytes) -> str:
    return output.decode().replace("\r\n", "\n").replace("\r", "\n")


def run_command(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], limit: float
) -> "subprocess.CompletedProcess[str]":
    """As ForkedCommands.run(), by starting Python."""
    with started([*COMMAND, *arguments], folder, environment) as process:
        out, errors = process.communicate(timeout=limit)
    return subprocess.CompletedProcess([*arguments], process.returncode, out, errors)


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
        asked, files, _, _ = socket.recv_fds(line, _MOST_BYTES, 3)
        if not asked:
            return None
        *outputs, end_line = files
        pid = os.fork()
        if pid == 0:
            line.close()
            os.close(end_line)
            return _become(json.loads(asked), outputs)
        for output in outputs:
            os.close(output)
        with socket.socket(fileno=end_line) as told:
            _tell_begin_and_end(told, pid)


def _tell_begin_and_end(told: socket.socket, pid: int) -> None:
    """Whoever asked may have given up, and is not there any more."""
    process = os.pidfd_open(pid)
    with suppress(OSError):
        socket.send_fds(told, [b"began"], [process])
    os.close(process)
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        told.send(b"%d" % os.waitstatus_to_exitcode(status))


def _become(asked: dict[str, Any], outputs: Sequence[int]) -> list[str]:
    for own, output in zip((1, 2), outputs, strict=True):
        os.dup2(output, own)
        os.close(output)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    sys.path[0] = ""
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
