# SPDX-License-Identifier: BSD-3-Clause
"""Which kind of record a file is. What reads them takes longer to import than many commands run."""

import re
from pathlib import Path

from nereus.analysis.monitor.encoding import DamagedError, items_in

FORMAT = "nereus-monitor"
PROF = re.compile(r"(?P<name>.+)\.(?P<rank>[0-9]{1,7})\.prof")


def is_recording(path: Path) -> bool:
    """Whether the first event says that the monitor wrote it."""
    try:
        first = next(items_in(path), None)
    except (OSError, DamagedError):
        return False
    return first is not None and isinstance(first.value, dict) and first.value.get("format") == FORMAT


def is_prof(path: Path) -> bool:
    """Whether the name is that of a file of Open MPI's own monitoring."""
    return PROF.fullmatch(path.name) is not None
