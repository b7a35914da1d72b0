# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of `nereus bench transfer`, after the figures of the papers on moving data.

Times, alpha and preferred ways by pairs of sizes: Martín-Álvarez et al., "Análisis de métodos de
redistribución", Figs. 2 to 6; omega, iterations and progress: Martín-Álvarez et al. 2025, Figs. 2 to 6.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nereus.analysis.report.picture import COLOURS
from nereus.analysis.report.transfer_figures import Cell, Time, preferred
from nereus.methods.strategies import in_a_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]

SIZE_INCHES = (11.0, 5.6)
#: File, key of the rows, label of the axis, and whether 1 is marked as the value at which nothing is lost.
BARS = (
    ("times", "transfer_seconds", "time to move the data [s]", False),
    ("pause", "pause_seconds", "pause of the application [s]", False),
    ("alpha", "alpha", "alpha: asynchronous over blocking", True),
    ("omega", "omega", "omega: an iteration meanwhile over one without", True),
    ("iterations", "iterations", "iterations while data moved", False),
    ("progress", "progress_seconds", "time until all have ended the same iteration [s]", False),
)
HATCHES = ("", "//", "..", "xx")


def draw_transfers(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Write one PNG for each figure that the rows have values for; the paths of what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {name: bars(rows, key, label, unit) for name, key, label, unit in BARS if _known(rows, key)}
    if _known(rows, "transfer_seconds"):
        figures["preferred"] = preferred_ways(rows)
    paths = []
    for name, figure in figures.items():
        paths.append(folder / f"{name}.png")
        figure.savefig(paths[-1], format="png", dpi=130)
    return paths


def _known(rows: Sequence[Row], key: str) -> list[Row]:
    return [row for row in rows if row[key] is not None]


def bars(rows: Sequence[Row], key: str, label: str, marks_one: bool) -> "Figure":
    """Groups of bars, a group for each pair of sizes: growing above, shrinking below."""
    from matplotlib.patches import Patch

    made = _figure()
    known = _known(rows, key)
    grown = [row for row in known if row["to"] > row["from"]]
    shrunk = [row for row in known if row["to"] < row["from"]]
    parts = [part for part in (grown, shrunk) if part]
    ways = list(dict.fromkeys(_way(row) for row in known))
    for number, part in enumerate(parts, 1):
        axes = made.add_subplot(len(parts), 1, number)
        _groups(axes, part, ways, key)
        if marks_one:
            axes.axhline(1, color="#555555", lw=0.9)
    handles = [Patch(**_style(number), label=way) for number, way in enumerate(ways)]
    made.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=8)
    made.supylabel(label, fontsize="medium")
    return made


def _figure() -> "Figure":
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=SIZE_INCHES, layout="constrained")
    FigureCanvasAgg(made)
    return made


def _way(row: Row) -> str:
    processes = f"{row['process_method']}:{in_a_word(row['process_strategies'])}"
    return f"{processes} {row['method']} {row['strategy']}"


def _cell(row: Row) -> Cell:
    return row["from"], row["to"]


def _groups(axes: "Axes", rows: Sequence[Row], ways: Sequence[str], key: str) -> None:
    pairs = sorted({_cell(row) for row in rows})
    width = 0.8 / len(ways)
    for number, way in enumerate(ways):
        own = {_cell(row): row for row in rows if _way(row) == way}
        places = [place + (number - (len(ways) - 1) / 2) * width for place, p in enumerate(pairs) if p in own]
        values = [own[pair][key] for pair in pairs if pair in own]
        spreads = [own[pair].get(f"{key}_deviation") or 0 for pair in pairs if pair in own]
        axes.bar(places, values, width, yerr=spreads, error_kw={"lw": 0.8}, **_style(number))
    axes.set_xticks(range(len(pairs)), [f"{before} → {after}" for before, after in pairs])
    axes.grid(axis="y", color="#DDDDDD", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _style(number: int) -> dict[str, Any]:
    """Ways beyond the colours that people can tell apart are hatched."""
    hatch = HATCHES[number // len(COLOURS) % len(HATCHES)]
    return {"facecolor": COLOURS[number % len(COLOURS)], "hatch": hatch, "edgecolor": "white", "lw": 0.4}


def preferred_ways(rows: Sequence[Row]) -> "Figure":
    """A square for each pair of sizes, coloured by the way that moves the data in the shortest time."""
    best = preferred(_times(rows))
    ways = sorted(set(best.values()))
    sizes = sorted({size for cell in best for size in cell})
    made = _figure()
    axes = made.add_subplot()
    for (before, after), way in best.items():
        place = (sizes.index(after), sizes.index(before))
        number = ways.index(way)
        _square(axes, place, COLOURS[number % len(COLOURS)], str(number + 1))
    for number, way in enumerate(ways):
        axes.plot([], [], "s", color=COLOURS[number % len(COLOURS)], ms=9, label=f"{number + 1}: {way}")
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks(range(len(sizes)), list(map(str, sizes)))
    axes.set(xlabel="processes after", ylabel="processes before", aspect="equal")
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.set_ylim(len(sizes) - 0.5, -0.5)
    made.legend(loc="outside right upper", frameon=False, fontsize=9)
    return made


def _square(axes: "Axes", place: tuple[int, int], colour: str, text: str) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((place[0] - 0.5, place[1] - 0.5), 1, 1, facecolor=colour, edgecolor="white"))
    axes.text(*place, text, ha="center", va="center", color="white", fontweight="bold")


def _times(rows: Sequence[Row]) -> dict[Cell, dict[str, Time]]:
    cells: dict[Cell, dict[str, Time]] = {}
    for row in _known(rows, "transfer_seconds"):
        time = Time(row["transfer_seconds"], row["transfer_seconds_deviation"])
        cells.setdefault(_cell(row), {})[_way(row)] = time
    return cells
