# SPDX-License-Identifier: BSD-3-Clause
"""Of pictures of workloads: the unit of an axis of times, and where a picture is made."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_UNITS = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))
_SOME = 2  # of a unit at least, or else a smaller one is read better


def time_axis(longest: float) -> tuple[float, str]:
    """The length in seconds, and the sign of the unit."""
    return next((each for each in _UNITS if longest >= _SOME * each[0]), (1.0, "s"))


def new_figure(width: float, height: float) -> "Figure":
    """In inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(made)
    return made
