# SPDX-License-Identifier: BSD-3-Clause
"""The picture of a simulation: a column for each policy, ranks above, I/O phases, waits and resizes below.

Of many jobs, as those of a trace: how many cores they have, and how many jobs run and wait for cores.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from nereus.simulation.jobs.results import Event, JobResult, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Told apart by people with any colour vision (Okabe and Ito 2008).
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#6A3D9A", "#4D4D4D"]
_WAIT = "#C00000"
MOST_JOBS = 16  # that have a line of their own
_COLUMN_INCHES, _HEIGHT_INCHES = 5.5, 6.0


def draw(results: Sequence[Result], path: Path, time: str = "simulated time (s)") -> None:
    """Write the picture as PNG; `time`: what its times are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure(results, time).savefig(path, format="png", dpi=130)


def figure(results: Sequence[Result], time: str = "simulated time (s)") -> "Figure":
    """The picture before it becomes a file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(max(8.0, _COLUMN_INCHES * len(results)), _HEIGHT_INCHES), layout="constrained")
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
    return made


def _each(above: "Axes", below: "Axes", result: Result) -> None:
    names = [job.name for job in result.jobs]
    of_job: dict[str, list[Event]] = {name: [] for name in names}
    for event in result.events:
        of_job[event["job"]].append(event)
    for row, job in enumerate(result.jobs):
        colour = COLOURS[row % len(COLOURS)]
        _ranks(above, job, of_job[job.name], result.makespan, colour)
        _phases(below, row, of_job[job.name], colour)
    above.set_ylabel("ranks")
    above.legend(loc="lower right", fontsize="small")
    below.set_yticks(range(len(names)), names)
    below.set_ylim(len(names) - 0.5, -1.0)  # above the first row there is room for the legend
    below.plot([], [], color=_WAIT, lw=6, label="waits for its turn")
    below.plot([], [], "|", color="black", ms=10, label="resized")
    below.legend(loc="upper right", fontsize="small", ncols=2)


def _ranks(axes: "Axes", job: JobResult, events: Iterable[Event], end: float, colour: str) -> None:
    sizes = [(event["time"], event["ranks"]) for event in events if event["event"] in ("came", "resized")]
    if sizes:
        times, ranks = zip(*sizes, (end if job.ended is None else job.ended, sizes[-1][1]), strict=True)
        axes.step(times, ranks, where="post", color=colour, label=job.name)


def _phases(axes: "Axes", row: int, events: Sequence[Event], colour: str) -> None:
    phases = [event for event in events if event["event"] == "phase"]
    waits = [(event["start"], event["wait"]) for event in phases if event["wait"] > 0]
    service = [(event["start"] + event["wait"], event["service"]) for event in phases]
    # With an edge: a phase may be much narrower than a point of the picture.
    axes.broken_barh(waits, (row - 0.3, 0.6), facecolors=_WAIT, edgecolors=_WAIT, linewidths=0.8)
    axes.broken_barh(service, (row - 0.3, 0.6), facecolors=colour, edgecolors=colour, linewidths=0.8)
    resizes = [event["time"] for event in events if event["event"] == "resized"]
    axes.plot(resizes, [row] * len(resizes), "|", color="black", ms=18)


def _together(above: "Axes", below: "Axes", result: Result) -> None:
    above.step(*_counted(_cores(result.events)), where="post", color=COLOURS[0])
    above.set_ylabel("cores that jobs have")
    started = [job.started for job in result.jobs if job.started is not None]
    ended = [job.ended for job in result.jobs if job.ended is not None]
    runs = _counted([*((time, 1) for time in started), *((time, -1) for time in ended)])
    waits = _counted([*((job.submitted, 1) for job in result.jobs), *((time, -1) for time in started)])
    below.step(*runs, where="post", color=COLOURS[2], label="jobs that run")
    below.step(*waits, where="post", color=COLOURS[1], label="jobs that wait for cores")
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
