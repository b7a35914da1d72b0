# SPDX-License-Identifier: BSD-3-Clause
"""`nereus report` of a study: a table, one JSON document, CSV files, one page, pictures."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nereus.analysis.report.tables import new_table, number
from nereus.analysis.report.units import range_text, ratio_text, seconds_text
from nereus.analysis.study.cells import find
from nereus.analysis.study.document import document
from nereus.analysis.study.page import write_page, write_pictures
from nereus.analysis.study.tables import write_tables
from nereus.cli.messages import show, show_json

_TIMES = ("total_seconds", "reconfiguration_seconds", "redistribution_seconds", "pause_seconds")


def report_study(folder: Path, csv: bool, html: Path | None, plot: Path | None, as_json: bool) -> list[Path]:
    """Show a study; the paths of what was written."""
    found = find(folder)
    made = document(found)
    if as_json:
        show_json(made)
    else:
        show(_summary(made))
    written = write_tables(found, made, folder) if csv else []
    if html is not None:
        write_page(made, html)
        written.append(html)
    if plot is not None:
        written += write_pictures(made, plot)
    return written


def _summary(made: Mapping[str, Any]) -> RenderableType:
    runs = made["runs"]
    counts = ", ".join(f"{runs[kind]} {kind}" for kind in ("planned", "good", "failed", "missing"))
    parts: list[RenderableType] = [Text(f"{made['name']} · runs: {counts}", style="bold"), _cells(made)]
    for load, over in made["emulated_over_real"].items():
        if over is not None:
            spread = range_text(ratio_text, over["median"], over["min"], over["max"])
            parts.append(
                Text(f"emulated over real, {load}: {spread} over {over['cells']} cells{_kinds(over)}")
            )
    for row in made["preferred"]:
        if row["counts"]:
            often = ", ".join(f"{way} in {count}" for way, count in row["counts"].items())
            parts.append(Text(f"{row['application']}, preferred by {row['measure']}: {often}"))
    return Group(*parts)


def _kinds(over: Mapping[str, Any]) -> str:
    """Medians of what was pooled: runs that were resized, and runs that were not."""
    words = {"fixed": "without a resize", "resized": "with one"}
    told = [
        f"{word} {ratio_text(over[kind]['median'])}" for kind, word in words.items() if over[kind] is not None
    ]
    return f"; {', '.join(told)}" if told else ""


def _cells(made: Mapping[str, Any]) -> Table:
    figures = ("total", "reconfiguring", "moving", "pause", "runs")
    grid = new_table("application", "sizes", "variant", *map(number, figures))
    for cell in made["cells"]:
        times = [seconds_text(cell[name]["median"] if cell[name] else None) for name in _TIMES]
        grid.add_row(cell["application"], cell["sizes"], cell["variant"] or "-", *times, str(cell["runs"]))
    return grid
