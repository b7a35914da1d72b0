# SPDX-License-Identifier: BSD-3-Clause
"""A command of somebody else's whose processes write the times of their calls: docs/formats/calls.md."""

import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from nereus.launch.builds import Build
from nereus.launch.foreign import run_foreign
from nereus.launch.preloading import LIBRARY, preloaded
from nereus.launch.stopping import Stopping

MOST_CALLS = 2**21


def run_captured(
    command: Sequence[str],
    build: Build,
    folder: Path,
    stopping: Stopping,
    most_calls: int = MOST_CALLS,
    stdout: TextIO | None = None,
) -> int:
    """Run it, with the calls in `folder`; its exit code, or ours where we are stopped."""
    run = secrets.token_hex(8)
    with tempfile.TemporaryDirectory(prefix=f"nereus-{run}-capture-") as parts:
        variables = {
            "NEREUS_MONITOR": "off",
            "NEREUS_MONITOR_FILE": str(Path(parts) / "run.jsonl"),
            "NEREUS_MONITOR_PARTS": parts,
            "NEREUS_MONITOR_RUN": run,
            "NEREUS_MONITOR_CALLS": str(folder),
            "NEREUS_MONITOR_MOST_CALLS": str(most_calls),
        }
        environment = preloaded(build.library(LIBRARY), variables)
        return run_foreign(command, build, environment, stopping, stdout).code
