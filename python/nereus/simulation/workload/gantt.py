# SPDX-License-Identifier: BSD-3-Clause
"""The Gantt chart of one simulation: which cores each job had, and when; resizes, jobs that were killed."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nereus.pictures import COLOURS, area, written_on
from nereus.simulation.workload.axes import new_figure, time_axis
from nereus.simulation.workload.comparison import Case, Comparison
from nereus.simulation.workload.core_places import CorePlaces, Piece
from nereus.simulation.workload.job import Kind, Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: More bars cannot be told apart.
MOST_JOBS = 500
_WIDTH_INCHES, _HEIGHT_INCHES = 13.0, 6.5
_DOTS_PER_INCH = 130
_EDGE = {"edgecolor": "white", "lw": 0.4}
_FIXED: dict[Kind, dict[str, Any]] = {
    Kind.RIGID: {"facecolor": "#B8B8B8", **_EDGE},
    Kind.MOLDABLE: {"facecolor": "#B8B8B8", "hatch": "//", **_EDGE},
}
_KILLED = "#C00000"
_NAME_POINTS = 6.0
_LETTER_INCHES, _LINE_INCHES = 0.062, 0.1  # of names of jobs


def draw_gantt(comparison: Comparison, case: Case, path: Path) -> None:
    """Simulates the case again, and writes the chart; the ending of its name says in which format."""
    gantt(comparison, case).savefig(path, dpi=_DOTS_PER_INCH)


def gantt(comparison: Comparison, case: Case) -> "Figure":
    """The chart before it becomes a file."""
    cores = comparison.workload.cores
    places = CorePlaces(cores)
    outcomes = comparison.outcomes(case, recorder=places)
    length, unit = time_axis(max(each.ended for each in outcomes))
    made = new_figure(_WIDTH_INCHES, _HEIGHT_INCHES)
    axes = made.add_subplot()
    axes.set_xlim(0, max(each.ended for each in outcomes) / length)
    axes.set_ylim(0, cores)
    malleable = [number for number, each in enumerate(outcomes) if each.job.kind is Kind.MALLEABLE]
    colours = {number: colour for colour, number in enumerate(malleable)}
    for piece in places.pieces:
        _bar(axes, piece, outcomes[piece.number], colours.get(piece.number), length)
    _killed(axes, places.pieces, outcomes, length)
    _resizes(axes, places, length)
    axes.set_xlabel(f"time ({unit})")
    axes.set_ylabel("cores, by first fit")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(f"{case.text}: {len(outcomes)} jobs on {cores} cores", loc="left", fontweight="bold")
    _legend(made, outcomes, places)
    return made


def _bar(axes: "Axes", piece: Piece, outcome: Outcome, colour: int | None, length: float) -> None:
    job = outcome.job
    look = _FIXED[job.kind] if colour is None else {"facecolor": COLOURS[colour % len(COLOURS)], **_EDGE}
    begin, width = piece.begin / length, (piece.end - piece.begin) / length
    axes.broken_barh([(begin, width)], (piece.first, piece.cores), **look)
    if _has_room(axes, width, piece.cores, job.name):
        middle = (begin + width / 2, piece.first + piece.cores / 2)
        ink = "black" if colour is None else written_on(colour)["color"]
        axes.text(*middle, job.name, ha="center", va="center", fontsize=_NAME_POINTS, color=ink)


def _has_room(axes: "Axes", width: float, cores: int, name: str) -> bool:
    inches = (
        width / axes.get_xlim()[1] * _WIDTH_INCHES * 0.8,
        cores / axes.get_ylim()[1] * _HEIGHT_INCHES * 0.8,
    )
    return inches[0] >= _LETTER_INCHES * (len(name) + 1) and inches[1] >= _LINE_INCHES


def _killed(axes: "Axes", pieces: Sequence[Piece], outcomes: Sequence[Outcome], length: float) -> None:
    """A line at the end of their last pieces."""
    for piece in pieces:
        outcome = outcomes[piece.number]
        if outcome.killed and piece.end == outcome.ended:
            ends = (piece.first, piece.first + piece.cores)
            axes.plot([piece.end / length] * 2, ends, color=_KILLED, lw=1.6, solid_capstyle="butt")


def _resizes(axes: "Axes", places: CorePlaces, length: float) -> None:
    """A mark where the job has its lowest cores."""
    lowest: dict[tuple[int, float], Piece] = {}
    for piece in places.pieces:
        key = (piece.number, piece.begin)
        if key not in lowest or piece.first < lowest[key].first:
            lowest[key] = piece
    for time, number, before, after in places.resizes:
        found = lowest.get((number, time))
        if found is not None:
            mark = "^" if after > before else "v"
            axes.plot(
                time / length,
                found.first + found.cores / 2,
                mark,
                color="black",
                ms=3.6,
                mec="white",
                mew=0.3,
            )


def _legend(made: "Figure", outcomes: Sequence[Outcome], places: CorePlaces) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    kinds = {each.job.kind for each in outcomes}
    handles: list[Any] = [Patch(**look, label=kind) for kind, look in _FIXED.items() if kind in kinds]
    if Kind.MALLEABLE in kinds:
        handles.append(Patch(**area(0), label="malleable (colours tell jobs apart)"))
    for mark, text in (("^", "gets more cores"), ("v", "gives cores")):
        if any((after > before) == (mark == "^") for _, _, before, after in places.resizes):
            handles.append(Line2D([], [], ls="", marker=mark, color="black", ms=4, label=text))
    if any(each.killed for each in outcomes):
        handles.append(Line2D([], [], color=_KILLED, lw=1.6, label="killed at its limit"))
    made.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
