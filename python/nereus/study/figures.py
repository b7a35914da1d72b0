# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a study, after those of the papers: which there are, and on what they rest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nereus.study.comparison import Row
from nereus.study.findings import Interval, direction, interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Bars:
    """Groups of bars: a group for each place, a bar for each series."""

    label: str
    #: (place, series) to value; the panels stand above one another.
    panels: Mapping[str, Mapping[tuple[str, str], float]]
    #: Ratios: bars begin at 1.
    one: bool = False
    #: For each panel, the intervals that the papers tell for bars that they have too.
    intervals: Mapping[str, Mapping[tuple[str, str], Interval]] = field(default_factory=dict)


@dataclass(frozen=True)
class Grid:
    """A square for each pair of sizes, with the variant that it prefers; a panel for each application."""

    panels: Mapping[str, Mapping[tuple[int, int], str]]


@dataclass(frozen=True)
class Chart:
    """A figure before it is drawn."""

    name: str
    title: str
    content: Bars | Grid
    runs: int
    papers: Sequence[Row] = field(default=())


def charts(document: Document) -> list[Chart]:
    """All figures for which the study has values, in the order of the papers."""
    found = [
        *_growth_fixed(document),
        *_reconfigurations(document),
        *_growth_resized(document),
        *_speedups(document),
        *_preferred(document),
        *_background(document),
    ]
    return [chart for chart in found if any(chart.content.panels.values())]


def _chart(document: Document, name: str, title: str, content: Bars | Grid, rows: Sequence[Row]) -> Chart:
    return Chart(name, title, content, sum(row["runs"] for row in rows), _findings(document, name))


def _findings(document: Document, name: str) -> list[Row]:
    return [paper for paper in document["papers"] if paper["figure"] == name]


def _ratios(
    document: Document, name: str, title: str, rows: Sequence[Row], key: str, label: str, one: bool = True
) -> Chart:
    """A panel for each application; `one`: whether 1 is marked."""
    known = [row for row in rows if row[key] is not None]
    panels = {
        application: {_place(row): row[key] for row in known if row["application"] == application}
        for application in dict.fromkeys(row["application"] for row in known)
    }
    intervals = _intervals(_findings(document, name), known)
    return _chart(document, name, title, Bars(label, panels, one, intervals), known)


def _intervals(findings: Sequence[Row], rows: Sequence[Row]) -> dict[str, dict[tuple[str, str], Interval]]:
    """By panel; where the papers did not measure what a bar stands for, it has none."""
    found: dict[str, dict[tuple[str, str], Interval]] = {}
    for row in rows:
        if (told := interval(findings, row)) is not None:
            found.setdefault(row["application"], {})[_place(row)] = told
    return found


def _place(row: Row) -> tuple[str, str]:
    """Where a bar stands, and to which series it belongs."""
    if row["variant"] is None:
        return row["sizes"], "without a resize"
    return f"{row['from']} → {row['to']}", row["variant"]


def _growth_fixed(document: Document) -> Iterator[Chart]:
    rows = [row for row in document["growth"] if row["variant"] is None]
    parts = (
        ("growth-compute", "Computing time, emulated over real", "compute"),
        ("growth-communication", "Communication time, emulated over real", "communication"),
        ("growth-fixed", "Total time without a resize, emulated over real", "total"),
    )
    for name, title, key in parts:
        yield _ratios(document, name, title, rows, key, "emulated / real")


def _growth_resized(document: Document) -> Iterator[Chart]:
    rows = [row for row in document["growth"] if row["variant"] is not None]
    parts = (
        ("growth-reconfiguration", "Reconfiguration time, emulated over real", "reconfiguration"),
        ("growth-total", "Total time with a resize, emulated over real", "total"),
    )
    for name, title, key in parts:
        yield _ratios(document, name, title, rows, key, "emulated / real")


def _reconfigurations(document: Document) -> Iterator[Chart]:
    name = "reconfiguration_seconds"
    rows = [row for row in document["cells"] if row["variant"] is not None and row[name] is not None]
    blocking = [row for row in rows if row["variant"].endswith("S")]
    yield _times(document, "reconfiguration-blocking", "Reconfiguration time of blocking variants", blocking)
    yield _times(document, "reconfiguration", "Reconfiguration time of all variants", rows)


def _times(document: Document, name: str, title: str, rows: Sequence[Row]) -> Chart:
    """A panel for expanding and one for shrinking, of each application."""
    panels: dict[str, dict[tuple[str, str], float]] = {}
    for row in sorted(rows, key=lambda row: (row["application"], row["to"] < row["from"])):
        panel = panels.setdefault(f"{row['application']}, {direction(row)}", {})
        panel[_place(row)] = row["reconfiguration_seconds"]["median"]
    return _chart(document, name, title, Bars("seconds", panels), rows)


def _speedups(document: Document) -> Iterator[Chart]:
    rows = document["speedup"]
    title = f"Speed-up of the total time over {document['reference']}"
    yield _ratios(document, "speedup", title, rows, "speedup", "speed-up")


def _preferred(document: Document) -> Iterator[Chart]:
    titles = {
        "total_seconds": "Preferred variants by total time",
        "redistribution_seconds": "Preferred variants by redistribution time",
    }
    for measure, title in titles.items():
        rows = [row for row in document["preferred"] if row["measure"] == measure]
        panels = {row["application"]: _squares(row) for row in rows}
        yield _chart(document, f"preferred-{measure}", title, Grid(panels), rows)


def _squares(row: Row) -> dict[tuple[int, int], str]:
    decided = [cell for cell in row["cells"] if cell["variant"] is not None]
    return {(cell["from"], cell["to"]): cell["variant"] for cell in decided}


def _background(document: Document) -> Iterator[Chart]:
    parts = (
        ("alpha", "Alpha: redistribution time over that of the blocking variant", "alpha", True),
        ("omega", "Omega: an iteration while data moves over one without", "omega", True),
        ("iterations", "Iterations in the background", "iterations", False),
        ("progress", "Seconds until all variants have made the same iteration", "progress", False),
    )
    for name, title, label, one in parts:
        yield _ratios(document, name, title, document["background"], name, label, one)


def draw(chart: Chart) -> "Figure":
    """The picture of a figure."""
    from nereus.study.drawing import draw_bars, draw_grid

    if isinstance(chart.content, Grid):
        return draw_grid(chart.content)
    return draw_bars(chart.content)
