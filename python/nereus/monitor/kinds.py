# SPDX-License-Identifier: BSD-3-Clause
"""Which kind of record a file is. What reads them takes longer to import than many commands run."""

import json
import re
from pathlib import Path

FORMAT = "nereus-monitor"
PROF = re.compile(r"(?P<name>.+)\.(?P<rank>\d+)\.prof")


def is_recording(path: Path) -> bool:
    """Whether the first line says that the monitor wrote it."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(1 << 20))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("format") == FORMAT


def is_prof(path: Path) -> bool:
    """Whether the name is that of a file of Open MPI's own monitoring."""
    return PROF.fullmatch(path.name) is not None
