# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of `nereus bench transfer`, after the figures of the papers on moving data.

Times, alpha and preferred ways by pairs of sizes: Martín-Álvarez et al., "Análisis de métodos de
redistribución", Figs. 2 to 6; omega, iterations and progress: Martín-Álvarez et al. 2025, Figs. 2 to 6.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nereus.analysis.report.transfer_figures import Cell, Time, preferred, quotient_reach
from nereus.methods.strategies import in_a_word
from nereus.pictures import area, written_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Row = Mapping[str, Any]
#: Of each way, the same in all pictures: by it a way has its colour.
Numbers = Mapping[str, int]

SIZE_INCHES = (11.0, 5.6)
#: File, key of the rows, label of the axis, and whether 1 is marked as the value at which nothing is lost.
BARS = (
    ("times", "transfer_seconds", "time to move the data [s]", False),
    ("pause", "pause_seconds", "pause of the application [s]", False),
    ("alpha", "alpha", "alpha: asynchronous over blocking", True),
    ("omega", "omega", "omega: an iteration meanwhile over without", True),
    ("iterations", "iterations", "iterations while data moved", False),
    ("progress", "progress_seconds", "time until all have ended the same iteration [s]", False),
)
MEANING = "Bars are medians; whiskers reach as far as the median distance from them on each side."
MEANING_OF_PROGRESS = (
    "Bars are made of medians; whiskers reach as far as the redistribution is from its median, in the median."
)
MEANING_OF_ALPHA = (
    "Bars are quotients of medians; whiskers reach as far as the median distances from both medians allow."
)


def draw_transfers(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Write one PNG for each figure that the rows have values for; the paths of what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = {way: number for number, way in enumerate(dict.fromkeys(map(_way, rows)))}
    shown = [each for each in BARS if _known(rows, each[1])]
    figures = {name: bars(rows, numbers, key, label, is_one) for name, key, label, is_one in shown}
    if _known(rows, "transfer_seconds"):
        figures["preferred"] = preferred_ways(rows, numbers)
    paths = []
    for name, figure in figures.items():
        paths.append(folder / f"{name}.png")
        figure.savefig(paths[-1], format="png", dpi=130)
    return paths


def _known(rows: Sequence[Row], key: str) -> list[Row]:
    return [row for row in rows if row[key] is not None]


def bars(rows: Sequence[Row], numbers: Numbers, key: str, label: str, marks_one: bool) -> "Figure":
    """Groups of bars, a group for each pair of sizes: growing above, shrinking below."""
    from matplotlib.patches import Patch

    made = _figure()
    known = _known(rows, key)
    grown = [row for row in known if row["to"] > row["from"]]
    shrunk = [row for row in known if row["to"] < row["from"]]
    parts = [part for part in (grown, shrunk) if part]
    ways = list(dict.fromkeys(map(_way, known)))
    reaches = {(_cell(row), _way(row)): _reach(row, key, rows) for row in known}
    for number, part in enumerate(parts, 1):
        axes = made.add_subplot(len(parts), 1, number)
        _groups(axes, {(_cell(row), _way(row)): row[key] for row in part}, reaches, ways, numbers)
        if marks_one:
            axes.axhline(1, color="#555555", lw=0.9)
    axes.set_xlabel("processes before → after")
    handles = [Patch(**area(numbers[way]), label=way) for way in ways]
    made.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=8)
    made.supylabel(label, fontsize="medium")
    meaning = {"alpha": MEANING_OF_ALPHA, "progress_seconds": MEANING_OF_PROGRESS}.get(key, MEANING)
    made.supxlabel(meaning, x=0.012, ha="left", fontsize=8, color="#555555")
    return made


def _reach(row: Row, key: str, rows: Sequence[Row]) -> tuple[float, float]:
    """From where to where a figure lies, by the median distances of what it is made of."""
    if key == "alpha":
        (blocking,) = [other for other in rows if _is_blocking_one(other, row)]
        return quotient_reach(_time(row), _time(blocking))
    # Progress is a redistribution, and iterations that are as many for all.
    distance = row["over_seconds_deviation" if key == "progress_seconds" else f"{key}_deviation"] or 0.0
    return row[key] - distance, row[key] + distance


def _is_blocking_one(other: Row, row: Row) -> bool:
    """Whether alpha of the row is over this one."""
    alike = ("process_method", "process_strategies", "method", "from", "to")
    return other["strategy"] == "blocking" and all(other[key] == row[key] for key in alike)


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


def _groups(
    axes: "Axes",
    values: Mapping[tuple[Cell, str], float],
    reaches: Mapping[tuple[Cell, str], tuple[float, float]],
    ways: Sequence[str],
    numbers: Numbers,
) -> None:
    pairs = sorted({pair for pair, _ in values})
    width = 0.8 / len(ways)
    for (pair, way), value in values.items():
        place = pairs.index(pair) + (ways.index(way) - (len(ways) - 1) / 2) * width
        low, high = reaches[pair, way]
        beyond = [[max(0.0, value - low)], [max(0.0, high - value)]]
        error = {"lw": 0.8, "capsize": 1.8}
        axes.bar(place, value, width, yerr=beyond, error_kw=error, **area(numbers[way]))
    axes.set_xticks(range(len(pairs)), [f"{before} → {after}" for before, after in pairs])
    axes.grid(axis="y", color="#DDDDDD", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def preferred_ways(rows: Sequence[Row], numbers: Numbers) -> "Figure":
    """A square for each pair of sizes, coloured by the way that moves the data in the shortest time."""
    from matplotlib.patches import Patch

    best = preferred(_times(rows))
    sizes = sorted({size for cell in best for size in cell})
    made = _figure()
    axes = made.add_subplot()
    for (before, after), way in best.items():
        _square(axes, (sizes.index(after), sizes.index(before)), numbers[way])
    ways = sorted(set(best.values()), key=numbers.__getitem__)
    handles = [Patch(**area(numbers[way]), label=f"{numbers[way] + 1}: {way}") for way in ways]
    for set_ticks in (axes.set_xticks, axes.set_yticks):
        set_ticks(range(len(sizes)), list(map(str, sizes)))
    axes.set(xlabel="processes after", ylabel="processes before", aspect="equal")
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.set_ylim(len(sizes) - 0.5, -0.5)
    made.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=9)
    return made


def _square(axes: "Axes", place: tuple[int, int], number: int) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((place[0] - 0.5, place[1] - 0.5), 1, 1, **area(number)))
    axes.text(*place, str(number + 1), ha="center", va="center", fontweight="bold", **written_on(number))


def _times(rows: Sequence[Row]) -> dict[Cell, dict[str, Time]]:
    cells: dict[Cell, dict[str, Time]] = {}
    for row in _known(rows, "transfer_seconds"):
        cells.setdefault(_cell(row), {})[_way(row)] = _time(row)
    return cells


def _time(row: Row) -> Time:
    return Time(row["transfer_seconds"], row["transfer_seconds_deviation"])
