# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a record: who sent how much to whom, in how large messages, and when."""

from collections.abc import Iterable
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from nereus.analysis.monitor.flows import Flows
from nereus.analysis.monitor.model import Recording
from nereus.analysis.monitor.table import KINDS
from nereus.analysis.monitor.totals import COLLECTIVES_ONCE
from nereus.analysis.report.units import bytes_text
from nereus.pictures import area, line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

SIZE_INCHES = (13.0, 8.0)
NUMBERS = {kind: number for number, kind in enumerate(KINDS)}
_MOST_LABELS = 8  # of sizes, which have up to six characters
_TITLE_POINTS, _TITLE_LETTERS = 9, 50  # a line of a title is as wide as a matrix
_WIDE = 100  # greatest over least, from which a scale is logarithmic
_MATRICES = (("bytes", "bytes"), ("messages", "messages"), ("mean", "bytes of a message"))


def draw(recording: Recording, flows: Flows, path: Path) -> None:
    """Write the picture as PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure(recording, flows).savefig(path, format="png", dpi=130)


def figure(recording: Recording, flows: Flows) -> "Figure":
    """The picture before it becomes a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=SIZE_INCHES, layout="constrained")
    FigureCanvasAgg(made)
    grid = made.add_gridspec(2, 6)
    for column, (what, label) in enumerate(_MATRICES):
        _heat(made, made.add_subplot(grid[0, 2 * column : 2 * column + 2]), _matrix(flows, what), label)
    _histogram(made.add_subplot(grid[1, :3]), flows)
    _time_line(made.add_subplot(grid[1, 3:]), recording)
    made.suptitle(
        f"{recording.path.name}: {len(flows.places)} processes", x=0.012, ha="left", fontweight="bold"
    )
    return made


def _matrix(flows: Flows, what: str) -> "NDArray[np.float64]":
    messages = flows.matrix("messages").astype(float)
    if what == "messages":
        return messages
    moved = flows.matrix("bytes").astype(float)
    if what == "bytes":
        return moved
    mean: NDArray[np.float64] = np.divide(moved, messages, out=np.zeros_like(moved), where=messages > 0)
    return mean


def _heat(figure: "Figure", axes: "Axes", square: "NDArray[np.float64]", label: str) -> None:
    """Empty where nothing was sent. The scale begins at 0, or is logarithmic and says where it begins."""
    if square.size == 0:  # a record without a process
        _title(axes, label)
        return
    shown = np.ma.masked_less_equal(square, 0)
    image = axes.imshow(shown, cmap="viridis", norm=_norm(shown), interpolation="nearest")
    axes.set(xlabel="to", ylabel="from")
    _title(axes, label)
    axes.locator_params(integer=True)
    if shown.count():
        bar = figure.colorbar(image, ax=axes, shrink=0.7)
        in_bytes = label.startswith("bytes")
        bar.set_label(_scale_text(label, shown, in_bytes), fontsize=_TITLE_POINTS)
        if in_bytes:
            _in_bytes(bar.ax.yaxis)


def _is_wide(shown: "np.ma.MaskedArray[Any, Any]") -> bool:
    return bool(shown.count() > 0 and shown.max() > _WIDE * shown.min())


def _norm(shown: "np.ma.MaskedArray[Any, Any]") -> "Normalize":
    from matplotlib.colors import LogNorm, Normalize

    return LogNorm() if _is_wide(shown) else Normalize(vmin=0, vmax=shown.max() if shown.count() else 1)


def _scale_text(label: str, shown: "np.ma.MaskedArray[Any, Any]", in_bytes: bool) -> str:
    if not _is_wide(shown):
        return label
    least = max(1, round(float(shown.min())))  # means of sizes may be less
    return f"{label}, logarithmic, from {bytes_text(least) if in_bytes else least}"


def _title(axes: "Axes", label: str) -> None:
    """Of a total over kinds, which says what that counts."""
    axes.set_title(fill(f"{label}{COLLECTIVES_ONCE}", _TITLE_LETTERS), fontsize=_TITLE_POINTS)


def _in_bytes(axis: "Axis") -> None:
    """Labels as people read bytes: 64.0 MiB, not 6.7 above which 1e7 stands."""
    from matplotlib.ticker import LogLocator, MultipleLocator, NullLocator

    if axis.get_scale() == "log":
        axis.set_major_locator(LogLocator(base=2, numticks=_MOST_LABELS))
    else:
        least, most = axis.get_view_interval()
        step = max(1, int(most - least) // _MOST_LABELS)
        axis.set_major_locator(MultipleLocator(2 ** step.bit_length()))
    axis.set_major_formatter(lambda value, _: bytes_text(round(value)))
    axis.set_minor_locator(NullLocator())


def _histogram(axes: "Axes", flows: Flows) -> None:
    sums = flows.counted_sizes.groupby(["kind", "bin"], as_index=False)["messages"].sum()
    bottom: dict[int, int] = {}
    for kind in KINDS:
        rows = sums[sums["kind"] == kind]
        if rows.empty:
            continue
        bins, messages = rows["bin"].tolist(), rows["messages"].tolist()
        axes.bar(
            bins, messages, bottom=[bottom.get(b, 0) for b in bins], label=KINDS[kind], **area(NUMBERS[kind])
        )
        for size, number in zip(bins, messages, strict=True):
            bottom[size] = bottom.get(size, 0) + number
    ticks = _ticks(bottom)
    axes.set_xticks(ticks, [_size_text(tick) for tick in ticks])
    axes.set(xlabel="size of a message, from", ylabel="messages")
    _title(axes, "sizes")
    if bottom:
        axes.legend(fontsize=8)


def _ticks(bins: Iterable[int]) -> list[int]:
    """Bins whose labels stand side by side, from the first to the last."""
    ordered = sorted(bins)
    if not ordered:
        return []
    return list(range(ordered[0], ordered[-1] + 1, 1 + (ordered[-1] - ordered[0]) // _MOST_LABELS))


def _size_text(size: int) -> str:
    """The least number of bytes in a bin."""
    if size == 0:
        return "0 B"
    power = size - 1
    unit = power // 10
    return f"{2 ** (power % 10)} {['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'][unit]}B"


def _time_line(axes: "Axes", recording: Recording) -> None:
    by_kind = bytes_over_time(recording)
    length = min((world.facts.window_seconds for world in recording.worlds if world.facts), default=1.0)
    for kind, over_time in by_kind.items():
        # A window in which nothing was sent has no line in the file, and 0 here.
        quiet = {round(at + length, 6): 0 for at in over_time}
        seconds, values = zip(*sorted({**quiet, **over_time}.items()), strict=True)
        axes.step(seconds, values, where="post", label=KINDS[kind], **line(NUMBERS[kind]))
    axes.set(xlabel="s since the first process began", ylabel=f"sent in a window of {length:g} s")
    axes.set_title("over time, each kind by itself", fontsize=_TITLE_POINTS)
    axes.set_ylim(bottom=0)
    _in_bytes(axes.yaxis)
    if by_kind:
        axes.legend(fontsize=8)


def bytes_over_time(recording: Recording) -> dict[str, dict[float, int]]:
    """Bytes of each kind by the begin of their window, seconds from the begin of the first world."""
    begins = [world.facts.started_unix for world in recording.worlds if world.facts]
    sums: dict[str, dict[float, int]] = {}
    for world, process in recording.processes:
        if world.facts is None:
            continue
        offset, length = world.facts.started_unix - min(begins), world.facts.window_seconds
        for window in process.windows:
            if window.kind in KINDS:
                over_time = sums.setdefault(window.kind, {})
                at = round(offset + window.window * length, 6)
                over_time[at] = over_time.get(at, 0) + sum(
                    row[5] * _copies(process, row) for row in window.rows
                )
    return sums


def _copies(process: Any, row: tuple[int, str, int, int, int, int]) -> int:
    """To how many processes a message of the row goes."""
    communicator, reach = process.communicators.get(row[0]), row[1]
    if reach == "peer":
        return 1
    if communicator is None or reach == "nobody":
        return 0
    members = sum(number for _, _, number, _ in communicator.members)
    if communicator.two_sides:
        return int(members)
    return int(members - 1 if reach == "all" else members - 1 - communicator.own_rank)
