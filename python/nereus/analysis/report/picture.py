# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a run: iteration time over wall time, coloured by ranks, resizes with their pause."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from nereus.analysis.report.model import Generation, Iteration, Results
from nereus.analysis.report.units import seconds_text, time_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Told apart by people with any colour vision (Okabe and Ito 2008); more sizes than these take a colour scale.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6A3D9A", "#4D4D4D"]
UNDONE = "#C00000"
SIZE_INCHES = (11.0, 5.6)
LABEL_ROWS = 5
# Width of a character of a resize's label and the gap between two labels, as a part of the axes' width.
LABEL_CHARACTER, LABEL_GAP = 0.0078, 0.012
LOG_FROM = 30.0
# Iterations that have a mark around their point: the mark, what it means, which they are.
ODD: tuple[tuple[str, str, Callable[[Iteration], bool]], ...] = (
    ("o", "during a resize", lambda i: i.background and not i.moving),
    ("s", "while constant data moved", lambda i: i.moving),
    ("x", "rank 0 only, the run died", lambda i: i.sampled),
)


def draw(results: Results, path: Path) -> None:
    """Write the picture as PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure(results).savefig(path, format="png", dpi=130)


def figure(results: Results) -> "Figure":
    """The picture before it becomes a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=SIZE_INCHES, layout="constrained")
    FigureCanvasAgg(made)
    axes = made.add_subplot()
    unit = _unit(results)
    _iterations(axes, results, unit[0])
    _time_axis(axes, results)
    _calibrations(axes, results)
    _resizes(axes, results)
    _decorate(axes, results, unit[1])
    made.suptitle(_title(results), x=0.012, ha="left", fontsize=12, fontweight="bold")
    return made


def colours(ranks: list[int]) -> dict[int, str]:
    """One colour for each number of ranks, always different ones."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    distinct = sorted(set(ranks))
    if len(distinct) <= len(COLOURS):
        return dict(zip(distinct, COLOURS, strict=False))
    scale = colormaps["turbo"].resampled(len(distinct))
    return {size: to_hex(scale(number)) for number, size in enumerate(distinct)}


def label_rows(wanted: list[tuple[float, float]]) -> list[int | None]:
    """The row in which each label touches no other, None for no room; labels are (centre, width) in order."""
    ends = [float("-inf")] * LABEL_ROWS
    rows: list[int | None] = []
    for centre, width in wanted:
        row = next((r for r, end in enumerate(ends) if end <= centre - width / 2), None)
        if row is not None:
            ends[row] = centre + width / 2
        rows.append(row)
    return rows


def _seconds(results: Results) -> list[float]:
    return [i.seconds for g in results.generations for i in g.iterations]


def _unit(results: Results) -> tuple[float, str]:
    return time_unit(max(_seconds(results), default=1.0))


def _iterations(axes: "Axes", results: Results, unit: float) -> None:
    colour = colours([g.ranks for g in results.generations])
    for ranks in colour:
        axes.plot([], [], ".", color=colour[ranks], ms=11, label=_ranks_text(ranks))
    for generation in results.generations:
        _generation(axes, generation, colour[generation.ranks], unit)


def _ranks_text(ranks: int) -> str:
    return "1 rank" if ranks == 1 else f"{ranks} ranks"


def _generation(axes: "Axes", generation: Generation, colour: str, unit: float) -> None:
    """A bar as long as each iteration at the height of its time; marks around it for a second look."""
    lasting = generation.iterations
    heights = [i.seconds / unit for i in lasting]
    bars = axes.hlines(
        heights, [i.start for i in lasting], [i.end for i in lasting], colors=colour, lw=1.6, alpha=0.6
    )
    bars.set_rasterized(True)
    middles = [(i.start + i.end) / 2 for i in lasting]
    axes.plot(middles, heights, ".", color=colour, ms=4 if len(lasting) > 200 else 7, label="_")
    for marker, _, is_odd in ODD:
        odd = [n for n, iteration in enumerate(lasting) if is_odd(iteration)]
        at = [middles[n] for n in odd], [heights[n] for n in odd]
        axes.plot(*at, marker, mfc="none", mec=colour, ms=9, label="_odd")


def _time_axis(axes: "Axes", results: Results) -> None:
    times = [i.end for g in results.generations for i in g.iterations]
    times += [r.paused_at + r.event.pause_seconds for r in results.resizes]
    times += [u.time for u in results.undone]
    end = max(times, default=1.0) or 1.0
    axes.set_xlim(0, end * 1.015)


def _calibrations(axes: "Axes", results: Results) -> None:
    """Shade the time that each generation spent on calibration, which total_seconds leaves out."""
    label = "calibration"
    for generation in results.generations:
        if not generation.calibrated or not generation.iterations:
            continue
        first = generation.iterations[0].start
        ends = [r.paused_at + r.event.pause_seconds for r in results.resizes]
        ends += [i.end for g in results.generations for i in g.iterations]
        begin = max((e for e in ends if e <= first), default=0.0)
        axes.axvspan(begin, first, color="#E4E4E4", lw=0, zorder=0, label=label)
        label = "_"


def _resizes(axes: "Axes", results: Results) -> None:
    marks = []
    for number, resize in enumerate(results.resizes):
        begin, pause = resize.paused_at, resize.event.pause_seconds
        axes.axvspan(
            begin, begin + pause, color="#F2C14E", lw=0, alpha=0.8, zorder=1, label=_once("pause", number)
        )
        axes.axvline(begin, color="#8A6D1D", lw=0.9, zorder=1)
        marks.append((begin, f"{resize.event.from_} → {resize.event.to}, {seconds_text(pause)}", "#5C480F"))
    for number, undone in enumerate(results.undone):
        axes.axvline(undone.time, color=UNDONE, lw=1.2, ls="--", label=_once("resize rolled back", number))
        marks.append((undone.time, f"{undone.from_} → {undone.to} rolled back", UNDONE))
    _labels(axes, sorted(marks))


def _once(label: str, number: int) -> str:
    return "_" if number else label


def _labels(axes: "Axes", marks: list[tuple[float, str, str]]) -> None:
    """Write what the vertical marks mean above the axes, in as many rows as they need."""
    width = axes.get_xlim()[1]
    wanted = [(at / width, len(text) * LABEL_CHARACTER + LABEL_GAP) for at, text, _ in marks]
    for (at, text, colour), row in zip(marks, label_rows(wanted), strict=True):
        if row is None:
            continue
        place = (at, 1.015 + 0.045 * row)
        axes.text(*place, text, transform=axes.get_xaxis_transform(), ha="center", fontsize=9, color=colour)


def _decorate(axes: "Axes", results: Results, unit: str) -> None:
    axes.set_xlabel("wall time since start [s]")
    axes.set_ylabel(f"time of an iteration [{unit}]")
    _scale(axes, [s for s in _seconds(results) if s > 0])
    axes.grid(axis="y", color="#DDDDDD", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    _legend(axes, results)


def _scale(axes: "Axes", times: list[float]) -> None:
    """From zero, or logarithmic where the shortest iterations could not be told from zero."""
    from matplotlib.ticker import LogLocator

    if not times or max(times) <= LOG_FROM * min(times):
        axes.set_ylim(bottom=0)
        return
    axes.set_yscale("log")
    axes.set_ylabel(f"{axes.get_ylabel()}, logarithmic")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_locator(LogLocator(subs="all"))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")


def _legend(axes: "Axes", results: Results) -> None:
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    iterations = [i for g in results.generations for i in g.iterations]
    for marker, text, is_odd in ODD:
        if any(is_odd(i) for i in iterations):
            handles.append(Line2D([], [], ls="", marker=marker, mfc="none", mec="#555555", ms=9))
            labels.append(text)
    if handles:
        columns = 1 + len(labels) // 20
        axes.legend(
            handles, labels, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, ncols=columns
        )


def _title(results: Results) -> str:
    name = results.header.run.name.replace("$", r"\$")
    if results.end is None:
        return f"{name}: the run did not come to its end"
    broken = " DATA NOT INTACT" if results.end.data_intact is False else ""
    return f"{name}: {seconds_text(results.end.total_seconds)} in all{broken}"
