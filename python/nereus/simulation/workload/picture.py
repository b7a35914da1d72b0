# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a comparison: figures over the percentage of malleable jobs, by order and strategy.

Above as they are; below how much more or less they are than without malleable jobs (`changes`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nereus.pictures import COLOURS, marked_line
from nereus.simulation.workload.axes import new_figure, time_axis
from nereus.simulation.workload.changes import Line, change, lines_of
from nereus.simulation.workload.comparison import Row
from nereus.simulation.workload.figures import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PANELS: Mapping[str, str] = {
    "mean_turnaround_seconds": "turnaround",
    "mean_wait_seconds": "wait",
    "makespan_seconds": "makespan",
    "utilisation": "utilisation",
}
_WIDTH_INCHES, _ROW_INCHES, _WORDS_INCHES, _LEGEND_LINE_INCHES = 13.0, 2.9, 0.7, 0.25
_DOTS_PER_INCH = 130
_LINES_IN_A_ROW = 4  # of the legend
_MOST_TICKS = 11
_BAND = 0.15  # opacity


def draw(rows: Sequence[Row], title: str, path: Path) -> None:
    """Write the picture; the ending of its name says in which format."""
    figure(rows, title).savefig(path, dpi=_DOTS_PER_INCH)


def figure(rows: Sequence[Row], title: str) -> "Figure":
    """The picture before it becomes a file; `title`: what was simulated."""
    lines = lines_of(rows)
    changes = any(0 in line.points and len(line.points) > 1 for line in lines)
    rows_of_legend = -(-len(lines) // _LINES_IN_A_ROW)
    height = _ROW_INCHES * (1 + changes) + _WORDS_INCHES + _LEGEND_LINE_INCHES * rows_of_legend
    made = new_figure(_WIDTH_INCHES, height)
    panels = made.subplots(1 + changes, len(_PANELS), sharex=True, squeeze=False)
    percents = sorted({percent for line in lines for percent in line.points})
    for column, (measure, name) in enumerate(_PANELS.items()):
        _values(panels[0][column], lines, measure, name)
        if changes:
            _changes(panels[1][column], lines, measure, name)
        panels[-1][column].set_xlabel("malleable jobs (%)")
        if len(percents) == 1:
            panels[-1][column].set_xlim(percents[0] - len(lines) / 2, percents[0] + len(lines) / 2)
        if len(percents) <= _MOST_TICKS:
            panels[-1][column].set_xticks(percents, [f"{percent:g}" for percent in percents])
    below = "; below: change from 0 % malleable, seed by seed" if changes else ""
    made.suptitle(f"{title}{below}", x=0.01, ha="left", fontweight="bold")
    handles, labels = panels[0][0].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside lower center", ncols=_LINES_IN_A_ROW, frameon=False)
    return made


def _values(axes: "Axes", lines: Sequence[Line], measure: str, name: str) -> None:
    def value(row: Row) -> float:
        return float(getattr(row.figures, measure))

    if measure.endswith("_seconds"):
        longest = max(
            value(row) for line in lines for seeds in line.points.values() for row in seeds.values()
        )
        length, unit = time_axis(longest)
    else:
        length, unit = 0.01, "%"
    for number, line in enumerate(lines):
        points = {
            percent: Interval.of([value(row) / length for row in seeds.values()])
            for percent, seeds in line.points.items()
        }
        _draw(axes, number, line.name, points, aside=number - (len(lines) - 1) / 2)
    axes.set_ylabel(f"{name} ({unit})")
    _decorate(axes)


def _changes(axes: "Axes", lines: Sequence[Line], measure: str, name: str) -> None:
    def value(row: Row) -> float:
        return float(getattr(row.figures, measure))

    axes.axhline(0, color="black", lw=0.8)
    for number, line in enumerate(lines):
        _draw(axes, number, line.name, dict(change(line, value)))
    axes.set_ylabel(f"change of {name} (%)")
    _decorate(axes)


def _draw(axes: "Axes", number: int, name: str, points: Mapping[float, Interval], aside: float = 0.0) -> None:
    """`aside`: how far from its place a single point stands, where points of others would hide it."""
    percents = sorted(points)
    means = [points[percent].mean for percent in percents]
    places = percents if len(percents) > 1 else [percent + aside for percent in percents]
    axes.plot(places, means, **marked_line(number), lw=1.3, ms=4.5, label=name)
    ends = [(points[p].low, points[p].high) for p in percents]
    known = [(low, high) for low, high in ends if low is not None and high is not None]
    if len(known) < len(percents) or not percents:
        return  # of one seed
    lows, highs = zip(*known, strict=True)
    colour = COLOURS[number % len(COLOURS)]
    if len(percents) > 1:
        axes.fill_between(percents, lows, highs, color=colour, alpha=_BAND, lw=0)
    else:
        beyond = [[means[0] - lows[0]], [highs[0] - means[0]]]
        axes.errorbar(places, means, beyond, color=colour, capsize=3, lw=1)


def _decorate(axes: "Axes") -> None:
    axes.grid(color="#DDDDDD", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
