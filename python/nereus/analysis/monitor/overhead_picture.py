# SPDX-License-Identifier: BSD-3-Clause
"""Maps of what watching adds to calls, by size and processes: Bosilca et al., Euro-Par 2017, Fig. 2.

Where steps of an application were timed: what it adds by their share of communication, as in its Fig. 3.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nereus.analysis.report.units import bytes_text
from nereus.pictures import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]

#: Beyond it a cell has the colour of the greatest: one figure of a disturbed run must not pale all others.
MOST_PERCENT = 20.0
_COLUMN_INCHES, _LINE_INCHES, _HEADING_INCHES = 4.2, 0.34, 1.0


def draw_overheads(rows: Sequence[Row], level: float, path: Path) -> None:
    """Write a PNG, PDF or SVG. Figures whose p is `level` or more are in brackets: no difference was seen."""
    figure(rows, level).savefig(path, dpi=130)


def figure(rows: Sequence[Row], level: float) -> "Figure":
    """The picture before it becomes a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    sensors = list(dict.fromkeys((row["mpi"], row["sensor"]) for row in rows))
    calls = list(dict.fromkeys(row["call"] for row in rows))
    lines = max(2, len({row["ranks"] for row in rows}))
    size = (_COLUMN_INCHES * len(calls) + 1.0, (_HEADING_INCHES + _LINE_INCHES * lines) * len(sensors) + 0.6)
    made = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(made)
    panels = made.subplots(len(sensors), len(calls), squeeze=False)
    image = None
    for line, (mpi, sensor) in zip(panels, sensors, strict=True):
        for axes, call in zip(line, calls, strict=True):
            own = [row for row in rows if (row["mpi"], row["sensor"], row["call"]) == (mpi, sensor, call)]
            axes.set_title(f"{call}: {mpi}, {sensor}", fontsize=9, loc="left")
            if any(row["communication_percent"] is not None for row in own):
                _by_share(axes, own, level)
            else:
                image = _map(axes, own, level)
    if image is not None:
        made.colorbar(image, ax=panels, extend="both", shrink=0.8, label="overhead [%]")
    made.suptitle("Overhead of the monitor; (in brackets: no difference by the t-test)", fontsize=10)
    return made


def _map(axes: "Axes", rows: Sequence[Row], level: float) -> Any:
    sizes = sorted({row["bytes"] for row in rows})
    ranks = sorted({row["ranks"] for row in rows})
    square = np.full((len(ranks), len(sizes)), np.nan)
    for row in rows:
        line, column = ranks.index(row["ranks"]), sizes.index(row["bytes"])
        square[line, column] = row["overhead_percent"]
        dark = abs(row["overhead_percent"]) > MOST_PERCENT / 2
        text, colour = _figure_text(row, level), "white" if dark else "black"
        axes.text(column, line, text, ha="center", va="center", fontsize=7, color=colour)
    image = axes.imshow(square, cmap="RdBu_r", vmin=-MOST_PERCENT, vmax=MOST_PERCENT, aspect="auto")
    axes.set_xticks(range(len(sizes)), [bytes_text(size) for size in sizes], fontsize=8)
    axes.set_yticks(range(len(ranks)), [str(each) for each in ranks], fontsize=8)
    axes.set(ylabel="processes")
    return image


def _figure_text(row: Row, level: float) -> str:
    percent = f"{row['overhead_percent']:.1f}"
    is_seen = row["p_value"] is not None and row["p_value"] < level
    return percent if is_seen else f"({percent})"


def _by_share(axes: "Axes", rows: Sequence[Row], level: float) -> None:
    ordered = sorted(rows, key=lambda row: float(row["communication_percent"]))
    shares = [row["communication_percent"] for row in ordered]
    axes.axhline(0, color="#555555", lw=0.9)
    axes.plot(shares, [row["overhead_percent"] for row in ordered], "o", color=COLOURS[0], ms=5)
    for number, row in enumerate(ordered):
        place = (row["communication_percent"], row["overhead_percent"])
        text = f"{bytes_text(row['bytes'])}\n{_figure_text(row, level)}"
        above = number % 2 == 0  # neighbours in turn, so that their texts do not meet
        beside: dict[str, Any] = {
            "xytext": (0, 5 if above else -5),
            "va": "bottom" if above else "top",
            "ha": "center",
        }
        axes.annotate(text, place, textcoords="offset points", fontsize=7, **beside)
    axes.set(xlabel="communication [% of a step]", ylabel="overhead [%]", xlim=(0, 100))
    axes.margins(y=0.6)
    axes.spines[["top", "right"]].set_visible(False)
