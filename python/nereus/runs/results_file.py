# SPDX-License-Identifier: BSD-3-Clause
"""The result file of an emulated job, between that job and one that continues it."""

import json
import os
from contextlib import suppress
from pathlib import Path


def drop_part_of_line(file: Path) -> None:
    """What writes on begins a line; a process that was killed may have left a part of one."""
    with suppress(FileNotFoundError):
        content = file.read_bytes()
        os.truncate(file, content.rfind(b"\n") + 1)


def failures_in(file: Path) -> int:
    """How many of the experiment's failures have happened."""
    with suppress(FileNotFoundError):
        lines = file.read_bytes().split(b"\n")[:-1]
        return sum(json.loads(line)["event"] == "failure" for line in lines if b'"failure"' in line)
    return 0
