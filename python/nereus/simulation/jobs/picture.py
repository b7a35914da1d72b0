# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a simulation: a column for each policy, ranks above, I/O phases, waits and resizes below.

Ranks of the jobs are stacked: lines of jobs with as many ranks would hide each other. Of many
jobs, as those of a trace: how many cores they have, and how many jobs run and wait for cores.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nereus.pictures import area, line
from nereus.simulation.jobs.results import Event, JobResult, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WAIT = "#C00000"
_WAITS, _IO, _RESIZED = "wait for a turn (above)", "I/O (below)", "resize"
MOST_JOBS = 16  # that are shown by themselves
_COLUMN_INCHES, _HEIGHT_INCHES, _LEGEND_INCHES = 5.5, 6.0, 2.0
_EDGE_POINTS = 0.3


def draw(results: Sequence[Result], path: Path, time: str = "simulated time (s)") -> None:
    """Write the picture as PNG; `time`: what its times are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure(results, time).savefig(path, format="png", dpi=130)


def figure(results: Sequence[Result], time: str = "simulated time (s)") -> "Figure":
    """The picture before it becomes a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width = _LEGEND_INCHES + max(6.0, _COLUMN_INCHES * len(results))
    made = Figure(figsize=(width, _HEIGHT_INCHES), layout="constrained")
    FigureCanvasAgg(made)
    panels = made.subplots(2, len(results), sharex=True, sharey="row", squeeze=False)
    for (above, below), result in zip(zip(*panels, strict=True), results, strict=True):
        above.set_title(result.policy, loc="left", fontweight="bold")
        if len(result.jobs) <= MOST_JOBS:
            _each(above, below, result)
        else:
            _together(above, below, result)
        below.set_xlabel(time)
    panels[0][0].set_ylim(bottom=0)
    few = [result for result in results if len(result.jobs) <= MOST_JOBS]
    if few:
        _legend(made, [job.name for job in few[0].jobs])
    return made


def _each(above: "Axes", below: "Axes", result: Result) -> None:
    names = [job.name for job in result.jobs]
    of_job: dict[str, list[Event]] = {name: [] for name in names}
    for event in result.events:
        of_job[event["job"]].append(event)
    _ranks(above, result, of_job)
    for row, name in enumerate(names):
        _phases(below, row, of_job[name])
    below.set_yticks(range(len(names)), names)
    below.set_ylim(len(names) - 0.5, -0.7)


def _ranks(axes: "Axes", result: Result, of_job: Mapping[str, Sequence[Event]]) -> None:
    """An area for each job, upon those of the jobs before it."""
    steps = [_steps(job, of_job[job.name], result.makespan) for job in result.jobs]
    times = sorted({time for own in steps for time, _ in own})
    floor = [0] * len(times)
    for number, own in enumerate(steps):
        top = [low + ranks for low, ranks in zip(floor, _at(own, times), strict=True)]
        axes.fill_between(times, floor, top, step="post", **area(number))
        floor = top
    axes.set_ylabel("ranks of all jobs, stacked")


def _steps(job: JobResult, events: Iterable[Event], end: float) -> list[tuple[float, int]]:
    """Times from which it has so many ranks, 0 in the end."""
    sizes = [(event["time"], event["ranks"]) for event in events if event["event"] in ("came", "resized")]
    return [*sizes, (end if job.ended is None else job.ended, 0)] if sizes else []


def _at(steps: Sequence[tuple[float, int]], times: Sequence[float]) -> Iterator[int]:
    place, ranks = 0, 0
    for time in times:
        while place < len(steps) and steps[place][0] <= time:
            ranks = steps[place][1]
            place += 1
        yield ranks


def _phases(axes: "Axes", row: int, events: Sequence[Event]) -> None:
    phases = [event for event in events if event["event"] == "phase"]
    waits = [(event["start"], event["wait"]) for event in phases if event["wait"] > 0]
    service = [(event["start"] + event["wait"], event["service"]) for event in phases]
    # With an edge: a phase may be much narrower than a point of the picture.
    edge: dict[str, Any] = {"linewidths": _EDGE_POINTS, "antialiaseds": False}
    axes.broken_barh(waits, (row - 0.3, 0.3), facecolors=_WAIT, edgecolors=_WAIT, **edge)
    colour = area(row)["facecolor"]
    axes.broken_barh(service, (row + 0.02, 0.3), facecolors=colour, edgecolors=colour, **edge)
    resizes = [event["time"] for event in events if event["event"] == "resized"]
    axes.plot(resizes, [row - 0.38] * len(resizes), "v", color="black", ms=4)


def _legend(made: "Figure", jobs: Sequence[str]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    # As they are stacked: the first job at the bottom.
    handles = [Patch(**area(number), label=name) for number, name in enumerate(jobs)][::-1]
    marks = [
        Line2D([], [], ls="", marker="v", color="black", ms=4, label=_RESIZED),
        Patch(color=_WAIT, label=_WAITS),
        Patch(color="#888888", label=_IO),
    ]
    made.legend(handles=[*handles, *marks], loc="outside right upper", frameon=False, fontsize="small")


def _together(above: "Axes", below: "Axes", result: Result) -> None:
    above.step(*_counted(_cores(result.events)), where="post", **line(0))
    above.set_ylabel("cores that jobs have")
    started = [job.started for job in result.jobs if job.started is not None]
    ended = [job.ended for job in result.jobs if job.ended is not None]
    runs = _counted([*((time, 1) for time in started), *((time, -1) for time in ended)])
    waits = _counted([*((job.submitted, 1) for job in result.jobs), *((time, -1) for time in started)])
    below.step(*runs, where="post", **line(0), label="jobs that run")
    below.step(*waits, where="post", **line(1), label="jobs that wait for cores")
    below.set_ylabel("jobs")
    below.legend(loc="upper right", fontsize="small")


def _cores(events: Iterable[Event]) -> Iterable[tuple[float, int]]:
    has: dict[str, int] = {}
    for event in events:
        if event["event"] in ("came", "resized"):
            yield event["time"], event["ranks"] - has.get(event["job"], 0)
            has[event["job"]] = event["ranks"]
        elif event["event"] == "ended":
            yield event["time"], -has.pop(event["job"])


def _counted(changes: Iterable[tuple[float, int]]) -> tuple[list[float], list[int]]:
    """Times, and the sum of all changes up to then and at that time."""
    at: dict[float, int] = {}
    for time, change in changes:
        at[time] = at.get(time, 0) + change
    times = sorted(at)
    return times, list(accumulate(at[time] for time in times))
