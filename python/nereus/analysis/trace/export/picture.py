# SPDX-License-Identifier: BSD-3-Clause
"""A picture of a trace: a row for each process, what it did when, and who has its rank after each resize."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from nereus.analysis.report.units import count_text, seconds_text, time_unit
from nereus.analysis.trace.call_kinds import is_collective, is_of_files
from nereus.analysis.trace.file import Numbers
from nereus.analysis.trace.model import Timeline, Track
from nereus.analysis.trace.states import RESIZE
from nereus.pictures import COLOURS

_KINDS = ("messages", "collectives", "waiting", "files", "other calls")
_COLOURS = dict(zip(_KINDS, (COLOURS[0], COLOURS[1], COLOURS[4], COLOURS[2], COLOURS[7]), strict=True))
_MESSAGES = ("Send", "send", "Recv", "recv", "Put", "Get", "ccumulate", "Fetch_and_op", "Compare_and_swap")
_WAITING = ("Wait", "Test", "Probe", "probe", "Win_")
_MOST_PROCESSES, _MOST_ARROWS = 64, 500
#: Calls of a kind that are nearer to each other than this part of the run are drawn as one.
_PIXEL = 1 / 3000


def write_picture(run: Timeline, path: Path) -> None:
    """OSError where it cannot be written."""
    figure(run).savefig(path, dpi=130)


def figure(run: Timeline) -> Figure:
    """The picture before it becomes a file."""
    shown = run.tracks[:_MOST_PROCESSES]
    last = max(1, run.last)
    made = Figure(figsize=(10, 1.5 + 0.4 * len(shown)), layout="constrained")
    FigureCanvasAgg(made)
    axes = made.add_subplot()
    _draw_generations(axes, run)
    present = {kind for row, track in enumerate(shown) for kind in _draw_calls(axes, row, track, last)}
    resizes = _draw_resizes(axes, run)
    drawn = _draw_messages(axes, run, last)
    _draw_successions(axes, run)
    for decision in run.decisions:
        axes.axvline(decision.time, color=COLOURS[6], linewidth=0.8, linestyle="--")
    unit, name = time_unit(last * 1e-9)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value * 1e-9 / unit:.4g}")
    axes.set(
        xlim=(0, last),
        ylim=(len(shown) - 0.4, -0.6),
        yticks=range(len(shown)),
        yticklabels=[track.label for track in shown],
        xlabel=f"time since the first event [{name}]",
    )
    axes.set_title(_title(run, drawn, last), loc="left", fontweight="bold")
    axes.legend(handles=_legend(present, run, drawn, resizes), loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return made


def _title(run: Timeline, drawn: int, last: int) -> str:
    parts = [f"{run.folder.name}: {seconds_text(last * 1e-9)}", f"{count_text(run.calls)} calls"]
    messages = len(run.messages)
    of = f"{count_text(drawn)} of " if drawn < messages else ""
    parts.append(f"{of}{count_text(messages)} messages")
    if len(run.tracks) > _MOST_PROCESSES:
        parts.append(f"the first {_MOST_PROCESSES} of {len(run.tracks)} processes")
    return ", ".join(parts)


def _legend(present: set[str], run: Timeline, drawn: int, resizes: int) -> list[Patch]:
    patches = [Patch(color=colour, label=kind) for kind, colour in _COLOURS.items() if kind in present]
    if resizes:
        patches.append(Patch(color=COLOURS[5], label="a resize goes on"))
    if drawn:
        patches.append(Patch(color="black", alpha=0.5, label="a message"))
    if run.decisions:
        patches.append(Patch(color=COLOURS[6], label="an event of the daemon"))
    if run.generations:
        patches.append(Patch(facecolor="#eeeeee", edgecolor="#bbbbbb", label="a generation"))
    if any(_between_processes(run)):
        patches.append(Patch(color=COLOURS[3], label="who has the rank next"))
    return patches


def _draw_calls(axes: Axes, row: int, track: Track, last: int) -> set[str]:
    """The kinds that there are."""
    of_name = np.array([_KINDS.index(_kind(name)) for name in track.names] or [0])
    kinds = of_name[track.name]
    found = set()
    for number, kind in enumerate(_KINDS):
        own = kinds == number
        if own.any():
            found.add(kind)
            bars = _joined(track.begin[own], track.end[own], int(last * _PIXEL))
            axes.broken_barh(bars, (row - 0.3, 0.6), color=_COLOURS[kind], linewidth=0)
    return found


def _joined(begin: Numbers, end: Numbers, gap: int) -> list[tuple[int, int]]:
    """First moment and length: of calls with less than the gap between them as one; each is seen."""
    order = np.argsort(begin, kind="stable")
    begin, end = begin[order], np.maximum.accumulate(end[order])
    breaks = np.flatnonzero(begin[1:] > end[:-1] + gap)
    firsts = begin[np.concatenate([[0], breaks + 1])]
    lasts = end[np.concatenate([breaks, [len(end) - 1]])]
    lengths = np.maximum(lasts - firsts, gap // 2)
    return list(zip(firsts.tolist(), lengths.tolist(), strict=True))


def _kind(name: str) -> str:
    if is_of_files(name):
        return "files"
    if is_collective(name):
        return "collectives"
    if any(word in name for word in _WAITING):
        return "waiting"
    return "messages" if any(word in name for word in _MESSAGES) else "other calls"


def _draw_messages(axes: Axes, run: Timeline, last: int) -> int:
    """Those that take longest, which are seen best. How many."""
    between = run.messages[
        (run.messages["source"] != run.messages["destination"])
        & (run.messages["source"] < _MOST_PROCESSES)
        & (run.messages["destination"] < _MOST_PROCESSES)
    ]
    longest = between[np.argsort(between["sent"] - between["received"], kind="stable")[:_MOST_ARROWS]]
    lines = [
        [(sent, source), (received, destination)]
        for source, destination, sent, received in longest[
            ["source", "destination", "sent", "received"]
        ].tolist()
    ]
    axes.add_collection(LineCollection(lines, colors="black", linewidths=0.6, alpha=0.5), autolim=False)
    return len(lines)


def _draw_resizes(axes: Axes, run: Timeline) -> int:
    """Below the calls, as they may last for many. How many states of them."""
    shown = [span for span in run.states if span.activity == RESIZE and span.track < _MOST_PROCESSES]
    for span in shown:
        axes.broken_barh([(span.begin, span.end - span.begin)], (span.track + 0.33, 0.1), color=COLOURS[5])
    return len(shown)


def _draw_generations(axes: Axes, run: Timeline) -> None:
    for span in run.generations:
        if span.track >= _MOST_PROCESSES:
            continue
        place = (span.begin, span.end - span.begin)
        axes.broken_barh([place], (span.track - 0.45, 0.9), facecolor="#eeeeee", edgecolor="#bbbbbb", lw=0.6)
        axes.annotate(
            f"rank {span.rank} of {span.ranks}", (span.begin, span.track - 0.44), fontsize=6, va="top"
        )


def _draw_successions(axes: Axes, run: Timeline) -> None:
    for before, after in _between_processes(run):
        axes.annotate(
            "",
            xy=(after[0], after[1]),
            xytext=(before[0], before[1]),
            arrowprops={"arrowstyle": "->", "color": COLOURS[3], "lw": 1.4},
        )


def _between_processes(run: Timeline) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    for each in run.successions:
        before, after = each.before, each.after
        if before.track != after.track and max(before.track, after.track) < _MOST_PROCESSES:
            yield (min(before.end, after.begin), before.track), (after.begin, after.track)
