# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of simulated redistributions: how far above the bound each method is, by pair and link."""

from collections.abc import Sequence
from pathlib import Path

from nereus.simulation.network.cluster import rate_text
from nereus.simulation.network.redistribution import Simulated

_WIDTH_OF_PAIR, _LEAST_WIDTH, _HEIGHT = 0.35, 6.0, 3.2


def draw_ratios(rows: Sequence[Simulated], path: Path) -> None:
    """A panel for each bandwidth, a line for each method, a place for each pair."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    rates = list(dict.fromkeys(row.case.cluster.bandwidth for row in rows))
    pairs = list(dict.fromkeys((row.case.before, row.case.after) for row in rows))
    methods = list(dict.fromkeys(row.case.method for row in rows))
    size = (max(_LEAST_WIDTH, _WIDTH_OF_PAIR * len(pairs)), _HEIGHT * len(rates))
    figure, panels = plt.subplots(len(rates), 1, figsize=size, squeeze=False, layout="constrained")
    for panel, rate in zip(panels[:, 0], rates, strict=True):
        for method in methods:
            these = [row for row in rows if (row.case.cluster.bandwidth, row.case.method) == (rate, method)]
            shown = [
                (pairs.index((row.case.before, row.case.after)), row.ratio) for row in these if row.ratio
            ]
            places, ratios = [place for place, _ in shown], [ratio for _, ratio in shown]
            panel.plot(places, ratios, marker="o", linewidth=0.8, label=method)
        panel.axhline(1.0, color="black", linewidth=0.8)
        panel.set_title(rate_text(rate))
        panel.set_ylabel("time / bound")
        panel.set_xticks(range(len(pairs)), [f"{a}→{b}" for a, b in pairs], rotation=90, fontsize=7)
    panels[0, 0].legend()
    figure.savefig(path)
    plt.close(figure)
