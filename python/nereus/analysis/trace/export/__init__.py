# SPDX-License-Identifier: BSD-3-Clause
"""Traces in the formats of other tools: a row for each."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nereus.analysis.trace.export.chrome import write_chrome
from nereus.analysis.trace.export.otf2 import write_otf2
from nereus.analysis.trace.export.paraver import write_paraver
from nereus.analysis.trace.export.perfetto import write_perfetto
from nereus.analysis.trace.model import Timeline


def write_picture(run: Timeline, path: Path) -> None:
    """What draws is imported late: it takes a while."""
    from nereus.analysis.trace.export.picture import write_picture as draw

    draw(run, path)


@dataclass(frozen=True)
class Format:
    """One that `nereus export` writes."""

    name: str
    suffix: str  # of the file, where none is given
    readers: str  # programs, for people
    write: Callable[[Timeline, Path], None]
    package: str = ""  # that has to be there
    is_folder: bool = False
    beside: tuple[str, ...] = ()  # suffixes of files that belong to it
    has_daemon: bool = False  # whether events of the daemon have a place in it


FORMATS = {
    each.name: each
    for each in (
        Format(
            "perfetto",
            ".pftrace",
            "ui.perfetto.dev, trace_processor",
            write_perfetto,
            "perfetto",
            has_daemon=True,
        ),
        Format("chrome", ".json", "chrome://tracing, ui.perfetto.dev", write_chrome, has_daemon=True),
        Format("otf2", ".otf2", "Vampir, Scalasca, otf2-print", write_otf2, "otf2", is_folder=True),
        Format("paraver", ".prv", "Paraver", write_paraver, beside=(".pcf", ".row")),
        Format("picture", ".png", "people", write_picture, has_daemon=True),
    )
}


def export(run: Timeline, to: Format, path: Path) -> None:
    """All of it, or nothing and what was there before. OSError where it cannot be written."""
    with tempfile.TemporaryDirectory(prefix=".nereus-export-", dir=path.absolute().parent) as folder:
        to.write(run, Path(folder) / path.name)
        for part in Path(folder).iterdir():
            part.replace(path.absolute().parent / part.name)
