# SPDX-License-Identifier: BSD-3-Clause
"""Draws bars and grids with matplotlib, which is imported when a picture is wanted."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nereus.report.picture import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nereus.study.figures import Bars, Grid

WIDTH_INCHES, PANEL_INCHES, GRID_INCHES = 11.0, 2.7, 4.2
PANELS_IN_A_COLUMN = 3
HATCHES = ("", "//", "..", "xx")


def draw_bars(bars: "Bars", papers: Sequence[Mapping[str, Any]]) -> "Figure":
    """The panels above one another; where the papers tell an interval, it is shaded."""
    from matplotlib.patches import Patch

    panels = {name: panel for name, panel in bars.panels.items() if panel}
    series = list(dict.fromkeys(way for panel in panels.values() for _, way in panel))
    columns = 2 if len(panels) > PANELS_IN_A_COLUMN else 1
    rows = -(-len(panels) // columns)
    made = _figure(WIDTH_INCHES, PANEL_INCHES * rows + 0.5)
    for number, (name, panel) in enumerate(panels.items(), start=1):
        axes = made.add_subplot(rows, columns, number)
        _groups(axes, panel, series, base=1.0 if bars.one else 0.0)
        axes.set_title(name, fontsize=9, loc="left")
        axes.set_ylabel(bars.label, fontsize=9)
        _references(axes, bars.one, [p for p in papers if p.get("load") in (None, bars.loads.get(name))])
    handles = [Patch(**_style(number), label=way) for number, way in enumerate(series)]
    if _shaded(papers):
        handles.append(Patch(facecolor="#DDDDDD", label="papers"))
    made.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=8)
    return made


def _groups(axes: "Axes", panel: Mapping[tuple[str, str], float], series: Sequence[str], base: float) -> None:
    places = list(dict.fromkeys(place for place, _ in panel))
    width = 0.8 / len(series)
    for number, way in enumerate(series):
        own = [(at, panel[place, way]) for at, place in enumerate(places) if (place, way) in panel]
        shifted = [at + (number - (len(series) - 1) / 2) * width for at, _ in own]
        axes.bar(shifted, [value - base for _, value in own], width, bottom=base, **_style(number))
    axes.set_xticks(range(len(places)), places)
    axes.grid(axis="y", color="#DDDDDD", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _references(axes: "Axes", one: bool, papers: Sequence[Mapping[str, Any]]) -> None:
    if one:
        axes.axhline(1, color="#555555", lw=0.9)
    for paper in _shaded(papers):
        axes.axhspan(paper["low"], paper["high"], color="#DDDDDD", alpha=0.5, lw=0, zorder=0)


def _shaded(papers: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [paper for paper in papers if "low" in paper]


def _style(number: int) -> dict[str, Any]:
    """Series beyond the colours that people can tell apart are hatched."""
    hatch = HATCHES[number // len(COLOURS) % len(HATCHES)]
    return {"facecolor": COLOURS[number % len(COLOURS)], "hatch": hatch, "edgecolor": "white", "lw": 0.4}


def draw_grid(grid: "Grid") -> "Figure":
    """Sizes before downwards, sizes after to the right, as in the papers: expanding is above the diagonal."""
    panels = {name: panel for name, panel in grid.panels.items() if panel}
    ways = sorted({way for panel in panels.values() for way in panel.values()})
    made = _figure(GRID_INCHES * len(panels) + 2.2, GRID_INCHES)
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


def _figure(width: float, height: float) -> "Figure":
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made
