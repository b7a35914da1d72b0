# SPDX-License-Identifier: BSD-3-Clause
"""Draws bars and grids with matplotlib, which is imported when a picture is wanted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from nereus.pictures import area, written_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nereus.analysis.study.figures import Bars, Grid

WIDTH_INCHES, PANEL_INCHES, GRID_INCHES = 11.0, 2.7, 4.2
TITLE_INCHES, LINE_INCHES, CHARACTERS_IN_AN_INCH = 0.35, 0.15, 15
PANELS_IN_A_COLUMN = 3
SHADE, WHISKER = "#DDDDDD", "#222222"
#: Of the room of a bar; the rest shows what is shaded behind it.
BAR_PART = 0.7

#: Of each series, the same in all pictures of a report.
Numbers = Mapping[str, int]


@dataclass(frozen=True)
class Words:
    """What a picture says of itself, so that it can be read without the page that it is part of."""

    title: str
    #: On what it rests, what is drawn, and what the papers found.
    notes: Sequence[str]


def draw_bars(bars: "Bars", words: Words, numbers: Numbers) -> "Figure":
    """The panels above one another; behind a bar stands what the papers tell for it."""
    from matplotlib.patches import Patch

    panels = {name: panel for name, panel in bars.panels.items() if panel}
    series = sorted({way for panel in panels.values() for _, way in panel}, key=numbers.__getitem__)
    columns = 2 if len(panels) > PANELS_IN_A_COLUMN else 1
    rows = -(-len(panels) // columns)
    made = _figure(WIDTH_INCHES, PANEL_INCHES * rows + 0.5, words)
    for number, name in enumerate(panels, start=1):
        axes = made.add_subplot(rows, columns, number)
        _panel(axes, bars, name, series, numbers)
        if number + columns > len(panels):
            axes.set_xlabel(bars.places, fontsize=9)
    handles = [Patch(**area(numbers[way]), label=way) for way in series]
    if any(bars.intervals.values()):
        handles.append(Patch(facecolor=SHADE, label="papers"))
    made.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=8)
    return made


def _panel(axes: "Axes", bars: "Bars", name: str, series: Sequence[str], numbers: Numbers) -> None:
    panel, base = bars.panels[name], bars.base
    at, width = _places(panel, series), 0.8 / len(series)
    for bar, (low, high) in bars.intervals.get(name, {}).items():
        axes.bar(at[bar], high - low, width, bottom=low, color=SHADE, zorder=0, label="papers")
    for bar, value in panel.items():
        axes.bar(at[bar], value - base, BAR_PART * width, bottom=base, **area(numbers[bar[1]]))
    for bar, reach in bars.whiskers.get(name, {}).items():
        _whisker(axes, at[bar], panel[bar], reach, bars.view(name))
    if bars.one:
        axes.axhline(1, color="#555555", lw=0.9)
    _decorate(axes, name, bars.label, list(dict.fromkeys(place for place, _ in panel)))


def _whisker(
    axes: "Axes", at: float, value: float, reach: tuple[float, float], view: tuple[float, float]
) -> None:
    """Cut off, with an arrow, where it reaches beyond the view."""
    low, high = max(reach[0], view[0]), min(reach[1], view[1])
    beyond = [[max(0.0, value - low)], [max(0.0, high - value)]]
    axes.errorbar(at, value, beyond, color=WHISKER, lw=0.8, capsize=1.8)
    for end, shown, arrow in ((reach[0], low, "v"), (reach[1], high, "^")):
        if end != shown:
            axes.plot(at, shown, arrow, color=WHISKER, ms=4)


def _places(panel: Mapping[tuple[str, str], float], series: Sequence[str]) -> dict[tuple[str, str], float]:
    """Where each bar stands; those of one place stand side by side."""
    names = list(dict.fromkeys(place for place, _ in panel))
    middle = (len(series) - 1) / 2
    return {
        (place, way): names.index(place) + (series.index(way) - middle) * 0.8 / len(series)
        for place, way in panel
    }


def _decorate(axes: "Axes", name: str, label: str, places: Sequence[str]) -> None:
    axes.set_title(name, fontsize=9, loc="left")
    axes.set_ylabel(label, fontsize=9)
    axes.set_xticks(range(len(places)), places)
    axes.grid(axis="y", color=SHADE, lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def draw_grid(grid: "Grid", words: Words, numbers: Numbers) -> "Figure":
    """Sizes before downwards, sizes after to the right, as in the papers: expanding is above the diagonal."""
    from matplotlib.patches import Patch

    panels = {name: panel for name, panel in grid.panels.items() if panel}
    ways = sorted({way for panel in panels.values() for way in panel.values()}, key=numbers.__getitem__)
    made = _figure(GRID_INCHES * len(panels) + 2.2, GRID_INCHES, words)
    for number, (name, panel) in enumerate(panels.items(), start=1):
        axes = made.add_subplot(1, len(panels), number)
        _squares(axes, panel, numbers)
        axes.set_title(name, fontsize=9, loc="left")
    handles = [Patch(**area(numbers[way]), label=f"{numbers[way] + 1}: {way}") for way in ways]
    made.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=8)
    return made


def _squares(axes: "Axes", panel: Mapping[tuple[int, int], str], numbers: Numbers) -> None:
    from matplotlib.patches import Rectangle

    sizes = sorted({size for pair in panel for size in pair})
    for (before, after), way in panel.items():
        number = numbers[way]
        x, y = sizes.index(after), sizes.index(before)
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **area(number)))
        written = written_on(number)
        axes.text(x, y, str(number + 1), ha="center", va="center", fontweight="bold", **written)
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks(range(len(sizes)), list(map(str, sizes)))
    axes.set(xlabel="processes after", ylabel="processes before", aspect="equal")
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.set_ylim(len(sizes) - 0.5, -0.5)


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
