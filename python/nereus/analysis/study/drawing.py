# SPDX-License-Identifier: BSD-3-Clause
"""Draws bars and grids with matplotlib, which is imported when a picture is wanted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from nereus.analysis.report.picture import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nereus.analysis.study.figures import Bars, Grid

WIDTH_INCHES, PANEL_INCHES, GRID_INCHES = 11.0, 2.7, 4.2
TITLE_INCHES, LINE_INCHES, CHARACTERS_IN_AN_INCH = 0.35, 0.15, 15
PANELS_IN_A_COLUMN = 3
HATCHES = ("", "//", "..", "xx")
SHADE = "#DDDDDD"
#: Of the room of a bar; the rest shows what is shaded behind it.
BAR_PART = 0.7

#: Of each bar where it stands, and the number of its series.
Places = Mapping[tuple[str, str], tuple[float, int]]


@dataclass(frozen=True)
class Words:
    """What a picture says of itself, so that it can be read without the page that it is part of."""

    title: str
    #: On what it rests, and what the papers found.
    notes: Sequence[str]


def draw_bars(bars: "Bars", words: Words) -> "Figure":
    """The panels above one another; behind a bar stands what the papers tell for it."""
    from matplotlib.patches import Patch

    panels = {name: panel for name, panel in bars.panels.items() if panel}
    series = list(dict.fromkeys(way for panel in panels.values() for _, way in panel))
    columns = 2 if len(panels) > PANELS_IN_A_COLUMN else 1
    rows = -(-len(panels) // columns)
    made = _figure(WIDTH_INCHES, PANEL_INCHES * rows + 0.5, words)
    for number, (name, panel) in enumerate(panels.items(), start=1):
        axes = made.add_subplot(rows, columns, number)
        _panel(axes, bars, name, places=_places(panel, series), width=0.8 / len(series))
    handles = [Patch(**_style(number), label=way) for number, way in enumerate(series)]
    if any(bars.intervals.values()):
        handles.append(Patch(facecolor=SHADE, label="papers"))
    made.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=8)
    return made


def _places(panel: Mapping[tuple[str, str], float], series: Sequence[str]) -> Places:
    """Where each bar stands, and the number of its series; those of one place stand side by side."""
    names = list(dict.fromkeys(place for place, _ in panel))
    middle = (len(series) - 1) / 2
    numbers = {(place, way): (names.index(place), series.index(way)) for place, way in panel}
    return {bar: (at + (way - middle) * 0.8 / len(series), way) for bar, (at, way) in numbers.items()}


def _panel(axes: "Axes", bars: "Bars", name: str, places: Places, width: float) -> None:
    base = 1.0 if bars.one else 0.0
    for bar, (low, high) in bars.intervals.get(name, {}).items():
        axes.bar(places[bar][0], high - low, width, bottom=low, color=SHADE, zorder=0, label="papers")
    for bar, (at, number) in places.items():
        axes.bar(at, bars.panels[name][bar] - base, BAR_PART * width, bottom=base, **_style(number))
    if bars.one:
        axes.axhline(1, color="#555555", lw=0.9)
    _decorate(axes, name, bars.label, list(dict.fromkeys(place for place, _ in places)))


def _decorate(axes: "Axes", name: str, label: str, places: Sequence[str]) -> None:
    axes.set_title(name, fontsize=9, loc="left")
    axes.set_ylabel(label, fontsize=9)
    axes.set_xticks(range(len(places)), places)
    axes.grid(axis="y", color=SHADE, lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _style(number: int) -> dict[str, Any]:
    """Series beyond the colours that people can tell apart are hatched."""
    hatch = HATCHES[number // len(COLOURS) % len(HATCHES)]
    return {"facecolor": COLOURS[number % len(COLOURS)], "hatch": hatch, "edgecolor": "white", "lw": 0.4}


def draw_grid(grid: "Grid", words: Words) -> "Figure":
    """Sizes before downwards, sizes after to the right, as in the papers: expanding is above the diagonal."""
    panels = {name: panel for name, panel in grid.panels.items() if panel}
    ways = sorted({way for panel in panels.values() for way in panel.values()})
    made = _figure(GRID_INCHES * len(panels) + 2.2, GRID_INCHES, words)
    for number, (name, panel) in enumerate(panels.items(), start=1):
        axes = made.add_subplot(1, len(panels), number)
        _squares(axes, panel, ways)
        axes.set_title(name, fontsize=9, loc="left")
    from matplotlib.patches import Patch

    handles = [Patch(facecolor=_colour(n), label=f"{n + 1}: {way}") for n, way in enumerate(ways)]
    made.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=8)
    return made


def _squares(axes: "Axes", panel: Mapping[tuple[int, int], str], ways: Sequence[str]) -> None:
    from matplotlib.patches import Rectangle

    sizes = sorted({size for pair in panel for size in pair})
    for (before, after), way in panel.items():
        number = ways.index(way)
        x, y = sizes.index(after), sizes.index(before)
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=_colour(number), edgecolor="white"))
        axes.text(x, y, str(number + 1), ha="center", va="center", color="white", fontweight="bold")
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks(range(len(sizes)), list(map(str, sizes)))
    axes.set(xlabel="processes after", ylabel="processes before", aspect="equal")
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.set_ylim(len(sizes) - 0.5, -0.5)


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _figure(width: float, height: float, words: Words) -> "Figure":
    """As high as the panels, and as the words above and below them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    lines = [line for note in words.notes for line in wrap(note, int(width * CHARACTERS_IN_AN_INCH))]
    size = (width, height + TITLE_INCHES + LINE_INCHES * len(lines))
    made = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(made)
    made.suptitle(words.title, x=0.012, ha="left", fontsize=12, fontweight="bold")
    made.supxlabel("\n".join(lines), x=0.012, ha="left", fontsize=8, color="#555555")
    return made
