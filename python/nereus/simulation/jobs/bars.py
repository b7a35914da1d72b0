# SPDX-License-Identifier: BSD-3-Clause
"""The picture of policies on one or several numbers of cores: a column for each, in it a bar for each policy.

In a bar the jobs stand above one another: their ranks, how long they wait to write, what they compute, as in
Figs. 17 to 19 of Singh and Carretero, JSS 148 (2019). Of many jobs, as those of a trace, a bar is their sum.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nereus.pictures import COLOURS, area, written_on
from nereus.simulation.jobs.picture import MOST_JOBS
from nereus.simulation.jobs.results import JobResult, Result, Sizes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure

_BAR_INCHES, _LEAST_COLUMN_INCHES, _LEGEND_INCHES, _LEAST_INCHES = 0.62, 1.9, 1.6, 8.0
_PANEL_INCHES, _CHARACTER_INCHES = 2.8, 0.085
_LONG = 20  # characters of a policy's name that takes too much of the width, unless it is upright
_TEXT_POINTS = 7.0
_ROOM = 1.12  # above the highest bar, for what is written there
_MANY = 1e4  # from here numbers have k, M, G


@dataclass(frozen=True)
class _Panel:
    """`part`: what a job has of a bar; `text`: above a bar, of its height and that of the first policy."""

    label: str
    part: Callable[[Result, JobResult], float]
    text: Callable[[float, float], str]
    own_scale: bool = False  # of each column

    def height(self, result: Result) -> float:
        return sum(self.part(result, job) for job in result.jobs)


def draw_bars(results: Sizes, path: Path) -> None:
    """Write the picture as PNG."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure(results).savefig(path, format="png", dpi=130)


def figure(results: Sizes) -> "Figure":
    """The picture before it becomes a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    jobs = _jobs(results)
    shown = list(_panels(results, len(jobs) > MOST_JOBS))
    made = Figure(figsize=_inches(results, len(shown)), layout="constrained")
    FigureCanvasAgg(made)
    rows = made.subplots(len(shown), len(results), sharex="col", squeeze=False)
    for row, panel in zip(rows, shown, strict=True):
        _row(row, panel, list(results.values()), jobs)
    for axes, cores in zip(rows[0], results, strict=True):
        axes.set_title(f"{cores} {'core' if cores == 1 else 'cores'}", loc="left", fontweight="bold")
    made.align_ylabels()
    if len(jobs) <= MOST_JOBS:
        _legend(made, jobs)
    return made


def _jobs(results: Sizes) -> list[str]:
    """As they come where there are most: fewer cores have fewer jobs of a trace."""
    most_first = [result for cores in sorted(results, reverse=True) for result in results[cores]]
    return list(dict.fromkeys(job.name for result in most_first for job in result.jobs))


def _inches(results: Sizes, panels: int) -> tuple[float, float]:
    names = _names(next(iter(results.values())))
    columns = len(results) * max(_LEAST_COLUMN_INCHES, 0.7 + _BAR_INCHES * len(names))
    below = 0.2 + _CHARACTER_INCHES * max(map(len, names))
    return max(_LEAST_INCHES, columns + _LEGEND_INCHES), _PANEL_INCHES * panels + below


def _panels(results: Sizes, many: bool) -> Iterator[_Panel]:
    """Those in which there is something to be seen."""
    ranks = _Panel("ranks in the end", _ranks, _nothing, own_scale=True)
    at_once = all(ranks.height(result) <= cores for cores, each in results.items() for result in each)
    # Jobs that come after others have ended have no end in common.
    yield ranks if at_once and not many else _Panel("cores that jobs have, mean", _cores, _amount)
    whole = [result for each in results.values() for result in each]
    if any(job.phases for result in whole for job in result.jobs):
        yield _Panel("mean wait of an I/O phase,\nsum of the jobs (s)", _wait, _amount)
    if any(result.queued > 0 for result in whole):
        yield _Panel("waits for cores,\nsum of the jobs (s)", _queued, _amount)
    if any(result.flops > 0 for result in whole):
        yield _Panel("useful flop/s\n(%: against the first policy)", _flops, _against)


def _ranks(result: Result, job: JobResult) -> float:
    return job.ranks


def _cores(result: Result, job: JobResult) -> float:
    return job.core_seconds / result.makespan if result.makespan > 0 else 0.0


def _wait(result: Result, job: JobResult) -> float:
    return job.wait / job.phases if job.phases else 0.0


def _queued(result: Result, job: JobResult) -> float:
    return job.queued(result.makespan)


def _flops(result: Result, job: JobResult) -> float:
    return job.flops / result.makespan if result.makespan > 0 else 0.0


def _nothing(height: float, first: float) -> str:
    return ""


def _amount(height: float, first: float) -> str:
    from matplotlib.ticker import EngFormatter

    text: str = EngFormatter(places=1)(height)
    digits = 0 if height >= 100 or height == 0 else 1 if height >= 10 else 2
    return text if height >= _MANY else f"{height:.{digits}f}"


def _against(height: float, first: float) -> str:
    return "" if height == first or first == 0 else f"{100 * (height / first - 1):+.1f} %"


def _row(row: Sequence["Axes"], panel: _Panel, results: Sequence[Sequence[Result]], jobs: list[str]) -> None:
    highest = max(panel.height(result) for each in results for result in each)
    for axes, each in zip(row, results, strict=True):
        top = max(panel.height(result) for result in each) if panel.own_scale else highest
        axes.set_ylim(0, _ROOM * top or 1.0)
        _decorate(axes, each, top)
        if len(jobs) > MOST_JOBS:
            axes.bar(range(len(each)), [panel.height(result) for result in each], color=COLOURS[0])
        else:
            _stacks(axes, panel, each, jobs)
        _texts(axes, panel, each)
    row[0].set_ylabel(panel.label)


def _decorate(axes: "Axes", results: Sequence[Result], top: float) -> None:
    from matplotlib.ticker import EngFormatter

    names = _names(results)
    upright = max(map(len, names)) > _LONG
    slope = {"rotation": 90} if upright else {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(names)), names, **slope)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.grid(axis="y", color="#DDDDDD", lw=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if top >= _MANY:
        axes.yaxis.set_major_formatter(EngFormatter())


def _names(results: Sequence[Result]) -> list[str]:
    """Without the folders of a policy of one's own, unless it is told from another by them."""
    whole = [result.policy.replace("$", r"\$") for result in results]
    short = [name.rpartition("/")[2] for name in whole]
    return short if len(set(short)) == len(set(whole)) else whole


def _stacks(axes: "Axes", panel: _Panel, results: Sequence[Result], jobs: list[str]) -> None:
    below = [0.0] * len(results)
    for number, name in enumerate(jobs):
        parts = [sum(panel.part(each, job) for job in each.jobs if job.name == name) for each in results]
        bars = axes.bar(range(len(results)), parts, bottom=below, **area(number))
        if panel.part is _ranks:
            _number_ranks(axes, bars, parts, number)
        below = [low + part for low, part in zip(below, parts, strict=True)]


def _number_ranks(axes: "Axes", bars: "BarContainer", parts: Sequence[float], number: int) -> None:
    """Where the number has room in its part of the bar."""
    points = 72 * (_PANEL_INCHES - 0.6) / axes.get_ylim()[1]
    texts = [f"{part:.0f}" if part * points > 1.2 * _TEXT_POINTS else "" for part in parts]
    look = written_on(number)
    for text in axes.bar_label(bars, texts, label_type="center", fontsize=_TEXT_POINTS, **look):
        text.set_visible(text.get_text() != "")


def _texts(axes: "Axes", panel: _Panel, results: Sequence[Result]) -> None:
    heights = [panel.height(result) for result in results]
    for at, height in enumerate(heights):
        text = panel.text(height, heights[0])
        axes.annotate(
            text, (at, height), (0, 2), textcoords="offset points", ha="center", fontsize=_TEXT_POINTS
        )


def _legend(made: "Figure", jobs: list[str]) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(**area(number), label=name) for number, name in enumerate(jobs)]
    # As they stand in the bars: the first job at the bottom.
    made.legend(
        handles=handles[::-1], loc="outside right upper", frameon=False, title="jobs", fontsize="small"
    )
