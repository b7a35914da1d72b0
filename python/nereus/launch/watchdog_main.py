# SPDX-License-Identifier: BSD-3-Clause
"""A program: waits until its standard input ends, and then ends a job, unless it was said to have ended.

    python watchdog_main.py NEREUS_JOB=KEY FOLDER    or another variable that all processes of the job have

All processes with this variable in their environment are killed, the folder is removed, and so is the shared
memory that they left. Nothing of ours is imported before that, so that it starts in hundredths of a second.
"""

import contextlib
import os
import runpy
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

#: Said by the supervisor when nothing is left; the end of input without it means that it is gone.
ALL_ENDED = b"ended"
# Launchers that end when they are asked have done so by then; ranks are gone before.
_GRACE = 5.0
_LOOK_EVERY = 0.05


_environment = runpy.run_path(str(Path(__file__).with_name("process_environment.py")))
_entries_of: Callable[[int], list[bytes]] = _environment["entries_of"]
_processes_with: Callable[[bytes], list[int]] = _environment["processes_with"]


def _kill(pid: int, variable: bytes) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            if variable in _entries_of(pid):  # still the one that was meant
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        finally:
            os.close(descriptor)


def _end_job(variable: bytes, temporary: Path) -> None:
    deadline = time.monotonic() + _GRACE
    looks_at_nobody = 0
    while looks_at_nobody < 2:  # a process may come after the look at its number
        left = _processes_with(variable)
        looks_at_nobody = 0 if left else looks_at_nobody + 1
        if time.monotonic() > deadline:
            for pid in left:
                _kill(pid, variable)
        time.sleep(_LOOK_EVERY)
    shutil.rmtree(temporary, ignore_errors=True)


def _shared_memory() -> frozenset[str]:
    """All that there is now, whoever it is of."""
    with contextlib.suppress(OSError):
        return frozenset(path.name for path in Path("/dev/shm").iterdir())
    return frozenset()


def _remove_shared_memory(job: str, before: frozenset[str]) -> None:
    """What appeared since and nobody uses, as the supervisor would have done."""
    module = runpy.run_path(str(Path(__file__).with_name("shared_memory.py")))
    module["Snapshot"](before, job).remove_leftovers()


def _main() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    before = _shared_memory()
    if sys.stdin.buffer.read() != ALL_ENDED:
        _end_job(os.fsencode(sys.argv[1]), Path(sys.argv[2]))
        _remove_shared_memory(sys.argv[1].partition("=")[2], before)


if __name__ == "__main__":
    _main()
