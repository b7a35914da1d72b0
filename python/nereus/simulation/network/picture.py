# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of simulated redistributions: how far above the bound each method is, by pair and link."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nereus.pictures import marked_line
from nereus.simulation.network.cluster import rate_text
from nereus.simulation.network.redistribution import Simulated

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_WIDTH_OF_PAIR, _LEAST_WIDTH, _HEIGHT, _LEGEND_HEIGHT = 0.35, 6.0, 3.2, 0.4
_MARK_POINTS = 3.5


def draw_ratios(rows: Sequence[Simulated], path: Path) -> None:
    """A panel for each bandwidth, a line for each method, a place for each pair."""
    figure(rows).savefig(path)


def figure(rows: Sequence[Simulated]) -> "Figure":
    """The picture before it becomes a file.

    Methods that take as long as others stand beside them, in the order of the legend: their lines would hide
    each other.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rates = list(dict.fromkeys(row.case.cluster.bandwidth for row in rows))
    pairs = list(dict.fromkeys((row.case.before, row.case.after) for row in rows))
    methods = list(dict.fromkeys(row.case.method for row in rows))
    width = max(_LEAST_WIDTH, _WIDTH_OF_PAIR * len(pairs))
    made = Figure(figsize=(width, _HEIGHT * len(rates) + _LEGEND_HEIGHT), layout="constrained")
    FigureCanvasAgg(made)
    panels = made.subplots(len(rates), 1, squeeze=False)[:, 0]
    for panel, rate in zip(panels, rates, strict=True):
        for number, method in enumerate(methods):
            these = [row for row in rows if (row.case.cluster.bandwidth, row.case.method) == (rate, method)]
            shown = [
                (pairs.index((row.case.before, row.case.after)), row.ratio) for row in these if row.ratio
            ]
            aside = (number - (len(methods) - 1) / 2) / (len(methods) + 1)
            places, ratios = [place + aside for place, _ in shown], [ratio for _, ratio in shown]
            panel.plot(places, ratios, **marked_line(number), lw=0.5, ms=_MARK_POINTS, label=method)
        panel.axhline(1.0, color="black", linewidth=0.8)
        panel.set_title(rate_text(rate))
        panel.set_ylabel("time / bound")
        panel.set_xticks(range(len(pairs)), [f"{a}→{b}" for a, b in pairs], rotation=90, fontsize=7)
        panel.set_xlim(-0.5, len(pairs) - 0.5)
        for border in range(1, len(pairs)):
            panel.axvline(border - 0.5, color="#DDDDDD", lw=0.6, zorder=0)
    panels[-1].set_xlabel("ranks before → after")
    handles, labels = panels[0].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside upper right", ncols=len(labels), frameon=False)
    return made
