# SPDX-License-Identifier: BSD-3-Clause
"""The picture of runs: iteration time over wall time, coloured by ranks, resizes with their pause."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nereus.analysis.report.model import Generation, Iteration, Results
from nereus.analysis.report.recoveries import died_text
from nereus.analysis.report.timeline import Timeline, pause_spans
from nereus.analysis.report.units import ranks_text, seconds_text, time_unit
from nereus.pictures import COLOURS

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

UNDONE, FAILURE = "#C00000", "#000000"
PAUSE = "#F2C14E"
# In inches: of the picture of one run, and of each of several.
WIDTH, HEIGHT, HEIGHT_BESIDE = 11.0, 5.6, 3.8
LABEL_ROWS = 5
LABEL_ROW = 0.055  # the height of a row of labels, as a part of the axes'
# Width of a character of a resize's label and the gap between two labels, as a part of the axes' width.
LABEL_CHARACTER, LABEL_GAP = 0.0078, 0.012
LOG_FROM = 30.0
# Iterations that have a mark around their point: the mark, what it means, which they are.
ODD: tuple[tuple[str, str, Callable[[Iteration], bool]], ...] = (
    ("o", "during a resize", lambda i: i.background and not i.moving),
    ("s", "while constant data moved", lambda i: i.moving),
    ("x", "rank 0 only, the run died", lambda i: i.sampled),
    ("D", "done again", lambda i: i.repeated),
)


def draw(runs: Sequence[Results], path: Path) -> None:
    """Write the picture as PNG: runs below each other, on the same axes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure(runs).savefig(path, format="png", dpi=130)


def figure(runs: Sequence[Results]) -> "Figure":
    """The picture before it becomes a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(
        figsize=(WIDTH, HEIGHT if len(runs) == 1 else HEIGHT_BESIDE * len(runs)), layout="constrained"
    )
    FigureCanvasAgg(made)
    grid = made.subplots(len(runs), sharex=True, sharey=True, squeeze=False)
    seconds = [i.seconds for results in runs for i in _iterations(results)]
    unit = time_unit(max(seconds, default=1.0))
    logarithmic = _is_better_logarithmic([s for s in seconds if s > 0])
    colour = colours([g.ranks for results in runs for g in results.generations])
    lines = [Timeline(results) for results in runs]
    end = max(line.end for line in lines) or 1.0
    for axes, results, line in zip(grid.flat, runs, lines, strict=True):
        axes.set_xlim(0, end * 1.015)
        _run(axes, results, line, colour, unit[0])
        axes.set_ylabel(f"time of an iteration [{unit[1]}]" + (", logarithmic" if logarithmic else ""))
    _scale(grid[0, 0], logarithmic)
    grid[-1, 0].set_xlabel("wall time since start, without calibration [s]")
    _legend(made, runs, colour)
    return made


def colours(ranks: list[int]) -> dict[int, str]:
    """One colour for each number of ranks, always different ones: of more than COLOURS, from a scale."""
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


def _iterations(results: Results) -> Iterator[Iteration]:
    for generation in results.generations:
        yield from generation.iterations


def _run(axes: "Axes", results: Results, line: Timeline, colour: dict[int, str], unit: float) -> None:
    for generation in results.generations:
        _generation(axes, generation, line, colour[generation.ranks], unit)
    rows = _resizes(axes, results, line)
    axes.set_title(_title(results), loc="left", y=1.03 + LABEL_ROW * rows, fontsize=12, fontweight="bold")
    axes.grid(axis="y", color="#DDDDDD", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _generation(axes: "Axes", generation: Generation, line: Timeline, colour: str, unit: float) -> None:
    """A bar as long as each iteration at the height of its time; marks around it for a second look."""
    lasting = generation.iterations
    heights = [i.seconds / unit for i in lasting]
    starts = [line.at(i.start) for i in lasting]
    ends = [line.at(i.end) for i in lasting]
    bars = axes.hlines(heights, starts, ends, colors=colour, lw=1.6, alpha=0.6)
    bars.set_rasterized(True)
    middles = [(start + end) / 2 for start, end in zip(starts, ends, strict=True)]
    axes.plot(middles, heights, ".", color=colour, ms=4 if len(lasting) > 200 else 7)
    for marker, _, is_odd in ODD:
        odd = [n for n, iteration in enumerate(lasting) if is_odd(iteration)]
        axes.plot([middles[n] for n in odd], [heights[n] for n in odd], marker, mfc="none", mec=colour, ms=9)


def _resizes(axes: "Axes", results: Results, line: Timeline) -> int:
    """The rows of labels above the axes that they take."""
    marks = []
    for resize in results.resizes:
        for begin, end in pause_spans(results, resize):
            axes.axvspan(line.at(begin), line.at(end), color=PAUSE, lw=0, alpha=0.8, zorder=1)
        commit, pause = line.at(resize.paused_at), resize.event.pause_seconds
        axes.axvline(commit, color="#8A6D1D", lw=0.9, zorder=1)
        marks.append((commit, f"{resize.event.from_} → {resize.event.to}, {seconds_text(pause)}", "#5C480F"))
    for undone in results.undone:
        axes.axvline(line.at(undone.time), color=UNDONE, lw=1.2, ls="--")
        marks.append((line.at(undone.time), f"{undone.from_} → {undone.to} rolled back", UNDONE))
    for failure in (each.failure for each in results.recoveries if each.failure is not None):
        axes.axvline(line.at(failure.time), color=FAILURE, lw=1.2, ls=":")
        marks.append((line.at(failure.time), died_text(failure), FAILURE))
    return _labels(axes, sorted(marks))


def _labels(axes: "Axes", marks: list[tuple[float, str, str]]) -> int:
    """Write what the vertical marks mean above the axes, in as many rows as they need."""
    width = axes.get_xlim()[1]
    wanted = [(at / width, len(text) * LABEL_CHARACTER + LABEL_GAP) for at, text, _ in marks]
    rows = label_rows(wanted)
    for (at, text, colour), row in zip(marks, rows, strict=True):
        if row is None:
            continue
        place = (at, 1.015 + LABEL_ROW * row)
        axes.text(*place, text, transform=axes.get_xaxis_transform(), ha="center", fontsize=9, color=colour)
    return 1 + max((row for row in rows if row is not None), default=-1)


def _is_better_logarithmic(times: list[float]) -> bool:
    """Where the shortest iterations could not be told from zero."""
    return bool(times) and max(times) > LOG_FROM * min(times)


def _scale(axes: "Axes", logarithmic: bool) -> None:
    """These axes, and those that share theirs."""
    from matplotlib.ticker import LogLocator

    if not logarithmic:
        axes.set_ylim(bottom=0)
        return
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_locator(LogLocator(subs="all"))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")


def _legend(made: "Figure", runs: Sequence[Results], colour: dict[int, str]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    entries: list[tuple[Artist, str]] = [
        (Line2D([], [], ls="", marker=".", color=colour[ranks], ms=11), ranks_text(ranks)) for ranks in colour
    ]
    if any(results.resizes for results in runs):
        entries.append((Patch(color=PAUSE, lw=0, alpha=0.8), "pause"))
    if any(results.undone for results in runs):
        entries.append((Line2D([], [], color=UNDONE, lw=1.2, ls="--"), "resize rolled back"))
    if any(each.failure for results in runs for each in results.recoveries):
        entries.append((Line2D([], [], color=FAILURE, lw=1.2, ls=":"), "failure"))
    iterations = [i for results in runs for i in _iterations(results)]
    for marker, text, is_odd in ODD:
        if any(is_odd(i) for i in iterations):
            entries.append((Line2D([], [], ls="", marker=marker, mfc="none", mec="#555555", ms=9), text))
    if entries:
        handles, labels = zip(*entries, strict=True)
        made.legend(handles, labels, loc="outside right center", frameon=False, ncols=1 + len(labels) // 20)


def _title(results: Results) -> str:
    name = results.header.run.name.replace("$", r"\$")
    if results.end is None or results.total_seconds is None:
        return f"{name}: the run did not finish"
    broken = " DATA NOT INTACT" if results.end.data_intact is False else ""
    return f"{name}: {seconds_text(results.total_seconds)} in all, without calibration{broken}"
