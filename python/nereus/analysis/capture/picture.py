# SPDX-License-Identifier: BSD-3-Clause
"""A time line of one iteration: a row for each rank, with what it did when."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from nereus.analysis.capture.captured import Captured
from nereus.analysis.capture.iterations import Repeated
from nereus.analysis.capture.trace import Trace
from nereus.analysis.report.units import seconds_text, time_unit
from nereus.analysis.trace.call_kinds import is_collective, is_of_files
from nereus.pictures import COLOURS

_COLOURS = dict(zip(("compute", "messages", "collectives", "files"), COLOURS, strict=False))
_INCHES_OF_RANK = 0.35
_MOST_RANKS = 64


def draw(traces: Sequence[Trace], captured: Captured, file: Path) -> None:
    """Write the iteration whose time is the median, on the first ranks."""
    figure(traces, captured).savefig(file, dpi=130)


def figure(traces: Sequence[Trace], captured: Captured) -> Figure:
    """The picture before it becomes a file."""
    longest = max((phase.repeated for phase in captured.phases), key=lambda one: one.times * one.seconds)
    begin, end = _median_iteration(longest)
    shown = traces[:_MOST_RANKS]
    made = Figure(figsize=(10, 1.2 + _INCHES_OF_RANK * len(shown)), layout="constrained")
    FigureCanvasAgg(made)
    axes = made.add_subplot()
    present: set[str] = set()
    for trace in shown:
        for kind, bars in _bars(trace, begin, end).items():
            axes.broken_barh(bars, (trace.facts.rank - 0.4, 0.8), color=_COLOURS[kind])
            present |= {kind} if bars else set()
    unit, name = time_unit(end - begin)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / unit:.4g}")
    axes.set(
        xlim=(0, end - begin),
        yticks=range(len(shown)),
        ylabel="rank",
        xlabel=f"time since the iteration began [{name}]",
    )
    title = (
        f"{captured.experiment.name}: {seconds_text(end - begin)}, the median of {longest.times} iterations"
    )
    axes.set_title(title, loc="left", fontweight="bold")
    axes.invert_yaxis()
    axes.legend(
        handles=[Patch(color=colour, label=kind) for kind, colour in _COLOURS.items() if kind in present],
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
    )
    return made


def _median_iteration(repeated: Repeated) -> tuple[float, float]:
    order = np.argsort(repeated.iteration_seconds)
    median = int(order[len(order) // 2])
    return float(repeated.begins[median]), float(repeated.ends[median])


def _bars(trace: Trace, begin: float, end: float) -> dict[str, list[tuple[float, float]]]:
    """First second and length of what a rank did between two times."""
    bars: dict[str, list[tuple[float, float]]] = {kind: [] for kind in _COLOURS}
    for kind, first, last in _spans(trace, begin, end):
        if last > first:
            bars[kind].append((first - begin, last - first))
    return bars


def _spans(trace: Trace, begin: float, end: float) -> Iterator[tuple[str, float, float]]:
    at = begin
    first = int(np.searchsorted(trace.end, begin, side="right"))
    for place in range(first, trace.size):
        call_begin, call_end = float(trace.begin[place]), float(trace.end[place])
        if call_begin >= end:
            break
        yield "compute", at, call_begin
        yield _kind(trace.calls(place).call), max(call_begin, begin), min(call_end, end)
        at = call_end
    yield "compute", at, end


def _kind(call: str) -> str:
    if is_of_files(call):
        return "files"
    return "collectives" if is_collective(call) else "messages"
