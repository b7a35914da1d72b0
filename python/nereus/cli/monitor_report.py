# SPDX-License-Identifier: BSD-3-Clause
"""nereus report FILE, where the file is what the monitor recorded."""

from pathlib import Path

from nereus.analysis.monitor.document import document
from nereus.analysis.monitor.events import Header
from nereus.analysis.monitor.flows import Flows, flows, write_csv
from nereus.analysis.monitor.kinds import is_prof
from nereus.analysis.monitor.model import Recording
from nereus.analysis.monitor.picture import draw
from nereus.analysis.monitor.prof import read_prof, write_prof
from nereus.analysis.monitor.reader import read
from nereus.analysis.monitor.table import table
from nereus.cli.messages import show, show_json


def report_recording(
    file: Path, csv: bool, picture: Path | None, prof: Path | None, as_json: bool
) -> list[Path]:
    """Show the record; the files that were written."""
    recording, moved = _read(file)
    if as_json:
        show_json(document(recording, moved))
    else:
        show(table(recording, moved))
    written = write_csv(moved, file) if csv else []
    if picture is not None:
        draw(recording, moved, picture)
        written.append(picture)
    if prof is not None:
        written += write_prof(recording, moved, prof)
    return written


def _read(file: Path) -> tuple[Recording, Flows]:
    """A record, or all files of Open MPI's monitoring of one run, which say no more than the pairs."""
    if is_prof(file):
        moved = read_prof(file)
        return Recording(
            file, Header(event="header", format="nereus-monitor", version=1), [], [], None, None
        ), moved
    recording = read(file)
    return recording, flows(recording)
