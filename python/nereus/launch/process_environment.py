# SPDX-License-Identifier: BSD-3-Clause
"""What the system tells of a process: the environment that it was started with, and fields of its state.

Imports nothing of ours: the watchdog, which has to start quickly, and the runner of MPI tests load it alone.
"""

import os
import time
from pathlib import Path

# The kernel needs this long at most between a program's memory and its environment there, but for slow disks.
_EXECUTES_FOR = 1.0
_LOOK_EVERY = 0.001
# In /proc/PID/stat (proc(5)), counted from the state, which is the third field.
_CODE_BEGIN, _ENVIRONMENT_BEGIN, _ENVIRONMENT_END = 26 - 3, 50 - 3, 51 - 3


def entries_of(pid: int) -> list[bytes]:
    """`NAME=VALUE` for each variable; none for a process that has ended or is another user's.

    A process that executes a program has no environment for a moment: it is asked until it has one.
    """
    path = Path(f"/proc/{pid}/environ")
    deadline = time.monotonic() + _EXECUTES_FOR
    try:
        while not (text := path.read_bytes()) and not _has_none(pid) and time.monotonic() < deadline:
            time.sleep(_LOOK_EVERY)
    except OSError:
        return []
    return text.split(b"\0")


def processes_with(entry: bytes) -> list[int]:
    """Other running processes that were started with this variable and value, `NAME=VALUE`."""
    numbers = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    return [pid for pid in numbers if pid != os.getpid() and entry in entries_of(pid)]


def state_fields(pid: int) -> list[str]:
    """Of /proc/PID/stat, from the third one; OSError for a process that is gone."""
    text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    # The name of the program stands in parentheses and may hold blanks and parentheses itself.
    return text[text.rindex(")") + 1 :].split()


def _has_none(pid: int) -> bool:
    """Whether nothing is to be expected: a thread of the kernel, a zombie, or a program without variables.

    While the kernel loads a program, begin and end of its environment may be the same. Where its code begins
    is noted after that.
    """
    Path(f"/proc/{pid}/exe").readlink()  # an OSError for the first two
    fields = state_fields(pid)
    is_loaded = fields[_CODE_BEGIN] != "0"
    return is_loaded and fields[_ENVIRONMENT_BEGIN] == fields[_ENVIRONMENT_END]
