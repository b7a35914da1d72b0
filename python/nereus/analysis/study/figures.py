# SPDX-License-Identifier: BSD-3-Clause
"""The figures of a study, after those of the papers: which there are, and on what they rest."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from nereus.analysis.study.comparison import GROWTH, Row
from nereus.analysis.study.findings import Interval, direction, interval
from nereus.analysis.study.variants import variant
from nereus.analysis.study.whiskers import CUT, MOVED, OVER, OWN, UNDER, Reach, Whiskers, is_beyond, view

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Document = Mapping[str, Any]
Name = tuple[str, str, str | None]  # of a cell: application, sizes, variant
Bar = tuple[str, str]  # where it stands, and its series
NO_RESIZE = "without a resize"
RESIZES, PROCESSES = "processes before → after", "processes"


@dataclass(frozen=True)
class Bars:
    """Groups of bars: a group for each place, a bar for each series."""

    #: Of the values, with their unit, and of the places.
    label: str
    places: str
    #: The panels stand above one another.
    panels: Mapping[str, Mapping[Bar, float]]
    #: What the bars and their whiskers are; for each panel, from where to where those reach.
    meaning: str
    whiskers: Mapping[str, Mapping[Bar, Reach]]
    #: Ratios: bars begin at 1.
    one: bool = False
    #: For each panel, the intervals that the papers tell for bars that they have too.
    intervals: Mapping[str, Mapping[Bar, Interval]] = field(default_factory=dict)

    @property
    def base(self) -> float:
        """Where bars begin."""
        return 1.0 if self.one else 0.0

    def view(self, panel: str) -> Reach:
        """From where to where a panel shows values."""
        told = [end for interval in self.intervals.get(panel, {}).values() for end in interval]
        values = [self.base, *self.panels[panel].values(), *told]
        return view(values, self.whiskers.get(panel, {}).values())

    @property
    def said(self) -> str:
        """What the bars are; nothing where they have no whiskers."""
        if not any(self.whiskers.values()):
            return ""
        cut = any(
            is_beyond(reach, self.view(n)) for n, own in self.whiskers.items() for reach in own.values()
        )
        return f"{self.meaning} {CUT}" if cut else self.meaning


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
    #: Of each series, the same in all figures of a report: by it a variant has its colour.
    numbers: Mapping[str, int] = field(default_factory=dict)


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
    numbers = _numbers(document)
    return [replace(chart, numbers=numbers) for chart in found if any(chart.content.panels.values())]


def _numbers(document: Document) -> dict[str, int]:
    variants = dict.fromkeys(row["variant"] for row in document["cells"] if row["variant"] is not None)
    return {name: number for number, name in enumerate([*variants, NO_RESIZE])}


@dataclass(frozen=True)
class _Ratio:
    """A figure of quotients: a panel for each application."""

    name: str
    title: str
    key: str
    label: str
    #: What the quotients are made of, and of which cells besides its own a row's is.
    measure: str
    whiskers: Whiskers
    beside: Callable[[Row], list[Name]] = lambda _: []
    #: Whether 1 is marked.
    one: bool = True


def _own(row: Row) -> Name:
    return row["application"], row["sizes"], row["variant"]


def _real(row: Row) -> list[Name]:
    return [(row["emulates"], row["sizes"], row["variant"])]


def _reference(row: Row) -> list[Name]:
    return [(row["application"], row["sizes"], row["reference"])]


def _blocking(row: Row) -> list[Name]:
    return [(row["application"], row["sizes"], variant(row["variant"]).blocking_name)]


def _runs(document: Document, names: set[Name], measure: str) -> int:
    """The good runs of some cells that have the measure; a cell that many bars share counts once."""
    return sum(row[measure]["runs"] for row in document["cells"] if _own(row) in names and row[measure])


def _findings(document: Document, name: str) -> list[Row]:
    return [paper for paper in document["papers"] if paper["figure"] == name]


def _ratios(document: Document, ratio: _Ratio, rows: Sequence[Row]) -> Chart:
    known = [row for row in rows if row[ratio.key] is not None]
    applications = dict.fromkeys(row["application"] for row in known)
    places = PROCESSES if all(row["variant"] is None for row in known) else RESIZES
    bars = Bars(
        label=ratio.label,
        places=places,
        panels={name: {_bar(row): row[ratio.key] for row in _of(known, name)} for name in applications},
        meaning=ratio.whiskers.meaning,
        whiskers={name: _reaches(document, ratio, _of(known, name)) for name in applications},
        one=ratio.one,
        intervals=_intervals(_findings(document, ratio.name), known),
    )
    names = {name for row in known for name in (_own(row), *ratio.beside(row))}
    runs = _runs(document, names, ratio.measure)
    return Chart(ratio.name, ratio.title, bars, runs, _findings(document, ratio.name))


def _of(rows: Sequence[Row], application: str) -> list[Row]:
    return [row for row in rows if row["application"] == application]


def _reaches(document: Document, ratio: _Ratio, rows: Sequence[Row]) -> dict[Bar, Reach]:
    """Of a cell over itself there is none."""
    spreads = {_own(cell): cell[ratio.measure] for cell in document["cells"]}
    found = {}
    for row in rows:
        own, other = _own(row), next(iter(ratio.beside(row)), None)
        if own == other:
            continue
        reach = ratio.whiskers.reach(row[ratio.key], spreads[own], spreads[other or own])
        if reach is not None:
            found[_bar(row)] = reach
    return found


def _intervals(findings: Sequence[Row], rows: Sequence[Row]) -> dict[str, dict[Bar, Interval]]:
    """By panel; where the papers did not measure what a bar stands for, it has none."""
    found: dict[str, dict[Bar, Interval]] = {}
    for row in rows:
        if (told := interval(findings, row)) is not None:
            found.setdefault(row["application"], {})[_bar(row)] = told
    return found


def _bar(row: Row) -> Bar:
    """Where a bar stands, and to which series it belongs."""
    if row["variant"] is None:
        return row["sizes"], NO_RESIZE
    return f"{row['from']} → {row['to']}", row["variant"]


def _growth_fixed(document: Document) -> Iterator[Chart]:
    rows = [row for row in document["growth"] if row["variant"] is None]
    parts = (
        ("growth-compute", "Computing time, emulated over real", "compute"),
        ("growth-communication", "Communication time, emulated over real", "communication"),
        ("growth-fixed", "Total time without a resize, emulated over real", "total"),
    )
    for part in parts:
        yield _growth(document, *part, rows)


def _growth_resized(document: Document) -> Iterator[Chart]:
    rows = [row for row in document["growth"] if row["variant"] is not None]
    parts = (
        ("growth-reconfiguration", "Reconfiguration time, emulated over real", "reconfiguration"),
        ("growth-total", "Total time with a resize, emulated over real", "total"),
    )
    for part in parts:
        yield _growth(document, *part, rows)


def _growth(document: Document, name: str, title: str, key: str, rows: Sequence[Row]) -> Chart:
    return _ratios(document, _Ratio(name, title, key, "emulated / real", GROWTH[key], OVER, _real), rows)


def _reconfigurations(document: Document) -> Iterator[Chart]:
    name = "reconfiguration_seconds"
    rows = [row for row in document["cells"] if row["variant"] is not None and row[name] is not None]
    blocking = [row for row in rows if row["variant"].endswith("S")]
    yield _times(document, "reconfiguration-blocking", "Reconfiguration time of blocking variants", blocking)
    yield _times(document, "reconfiguration", "Reconfiguration time of all variants", rows)


def _times(document: Document, figure: str, title: str, rows: Sequence[Row]) -> Chart:
    """A panel for expanding and one for shrinking, of each application."""
    panels: dict[str, dict[Bar, float]] = {}
    whiskers: dict[str, dict[Bar, Reach]] = {}
    for row in sorted(rows, key=lambda row: (row["application"], row["to"] < row["from"])):
        name, spread = f"{row['application']}, {direction(row)}", row["reconfiguration_seconds"]
        panels.setdefault(name, {})[_bar(row)] = spread["median"]
        if (reach := OWN.reach(spread["median"], spread, spread)) is not None:
            whiskers.setdefault(name, {})[_bar(row)] = reach
    bars = Bars("reconfiguration time [s]", RESIZES, panels, OWN.meaning, whiskers)
    runs = sum(row["reconfiguration_seconds"]["runs"] for row in rows)
    return Chart(figure, title, bars, runs, _findings(document, figure))


def _speedups(document: Document) -> Iterator[Chart]:
    title = f"Speed-up of the total time over {document['reference']}"
    label = "time of the reference / time"
    ratio = _Ratio("speedup", title, "speedup", label, "total_seconds", UNDER, _reference)
    yield _ratios(document, ratio, document["speedup"])


def _preferred(document: Document) -> Iterator[Chart]:
    titles = {
        "total_seconds": "Preferred variants by total time",
        "redistribution_seconds": "Preferred variants by redistribution time",
    }
    for measure, title in titles.items():
        rows = [row for row in document["preferred"] if row["measure"] == measure]
        panels = {row["application"]: _squares(row) for row in rows}
        name, runs = f"preferred-{measure}", sum(row["runs"] for row in rows)
        yield Chart(name, title, Grid(panels), runs, _findings(document, name))


def _squares(row: Row) -> dict[tuple[int, int], str]:
    decided = [cell for cell in row["cells"] if cell["variant"] is not None]
    return {(cell["from"], cell["to"]): cell["variant"] for cell in decided}


def _background(document: Document) -> Iterator[Chart]:
    alpha = "Alpha: redistribution time over that of the blocking variant"
    omega = "Omega: an iteration while data moves over one without"
    iterations = "Iterations in the background"
    progress = "Seconds until all variants have made the same iteration"
    moved, meanwhile = "redistribution_seconds", "background_iterations"
    for ratio in (
        _Ratio("alpha", alpha, "alpha", "alpha: time / time", moved, OVER, _blocking),
        _Ratio("omega", omega, "omega", "omega: time / time", "omega", OWN),
        _Ratio("iterations", iterations, "iterations", "number of iterations", meanwhile, OWN, one=False),
        _Ratio("progress", progress, "progress", "time [s]", moved, MOVED, one=False),
    ):
        yield _ratios(document, ratio, document["background"])


def draw(chart: Chart) -> "Figure":
    """The picture of a figure."""
    from nereus.analysis.study.drawing import Words, draw_bars, draw_grid

    words = Words(chart.title, notes(chart))
    if isinstance(chart.content, Grid):
        return draw_grid(chart.content, words, chart.numbers)
    return draw_bars(chart.content, words, chart.numbers)


def notes(chart: Chart) -> list[str]:
    """What stands below a picture: on what it rests, what is drawn, and what the papers found."""
    found = [f"Papers ({paper['source']}): {paper['text']}." for paper in chart.papers]
    said = chart.content.said if isinstance(chart.content, Bars) else ""
    return [f"Rests on {chart.runs} runs. {said}".rstrip(), *found]
