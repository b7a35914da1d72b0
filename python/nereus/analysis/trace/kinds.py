# SPDX-License-Identifier: BSD-3-Clause
"""The folder of `nereus trace`: the record of a run, a trace for each process. Imports nothing heavy."""

from pathlib import Path

RECORD = "record.jsonl"
SUFFIX = ".trace"
#: Until when processes record that pause: seconds since 1970.
RECORD_UNTIL = "record-until"
#: What the trace was limited to, and who made it.
SETTINGS = "trace.json"


def is_trace(path: Path) -> bool:
    """Whether it is such a folder."""
    return (path / RECORD).is_file() and bool(files_of(path))


def files_of(folder: Path) -> list[Path]:
    """Those of processes; what is no regular file is none."""
    return sorted(file for file in folder.glob(f"*{SUFFIX}") if file.is_file())
