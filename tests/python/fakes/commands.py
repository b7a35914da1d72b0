# SPDX-License-Identifier: BSD-3-Clause
"""Commands of `nereus`, each in a process of its own, that end with the block that started them."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

COMMAND = [sys.executable, "-c", "from nereus.cli.main import main; main()"]
#: Seconds in which a command that is asked to end must have ended.
ENDS_WITHIN = 60.0

_Output = int | IO[str]


@contextmanager
def started(
    words: Sequence[str | Path],
    folder: Path,
    environment: Mapping[str, str],
    out: _Output = subprocess.PIPE,
    errors: _Output = subprocess.PIPE,
) -> "Iterator[subprocess.Popen[str]]":
    """The command of these words, ended at the latest with the block."""
    with subprocess.Popen(
        words,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=errors,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            end(process)


def end(process: "subprocess.Popen[str]") -> None:
    """If it still runs, end it as a user would; it must be able to: TimeoutExpired, once it is killed."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(ENDS_WITHIN)
    finally:
        process.kill()
