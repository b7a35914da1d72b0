# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: jobs in the picture over time that are told apart, also with equal ranks."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

from nereus.policy.loading import load
from nereus.simulation.jobs import Result, load_trace, simulate
from nereus.simulation.jobs.picture import figure


def areas(axes: Axes) -> list[PolyCollection]:
    return [each for each in axes.collections if isinstance(each, PolyCollection)]


def corners(area: PolyCollection) -> list[tuple[float, float]]:
    return [(x, y) for path in area.get_paths() for x, y in np.asarray(path.vertices).tolist()]


def heights(area: PolyCollection) -> list[float]:
    return [y for _, y in corners(area)]


def core_seconds(area: PolyCollection) -> float:
    """What lies between its lines, by the shoelace formula."""
    points = corners(area)
    turns = zip(points, [*points[1:], points[0]], strict=True)
    return abs(sum(x * then_y - then_x * y for (x, y), (then_x, then_y) in turns)) / 2


def test_jobs_with_equal_ranks_do_not_hide_each_other(paper: Callable[..., Result]) -> None:
    result = paper("table-2.toml", "fair", 36)
    drawn = figure([result])
    above = drawn.axes[0]
    assert [core_seconds(area) for area in areas(above)] == pytest.approx(
        [job.core_seconds for job in result.jobs]
    )
    tops = [max(heights(area)) for area in areas(above)]
    assert tops == sorted(set(tops)) and tops[-1] == 36
    colours = {str(area.get_facecolor()) for area in areas(above)}
    assert len(colours) == len(result.jobs)
    named = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert named[: len(result.jobs)] == [job.name for job in result.jobs][::-1]


def test_waits_lie_above_the_phases_that_they_delay(paper: Callable[..., Result]) -> None:
    result = paper("table-2.toml", "fair", 36)
    below = figure([result]).axes[1]
    for row in range(len(result.jobs)):
        waits, service = areas(below)[2 * row : 2 * row + 2]
        # The axis goes down.
        assert row - 0.5 < max(heights(waits)) < min(heights(service)) < row + 0.5


def test_lines_of_many_jobs_differ_without_colours(
    tmp_path: Path, trace: Callable[[int, int, int], str]
) -> None:
    file = tmp_path / "day.swf"
    file.write_text(trace(60, 64, 3))
    drawn = figure([simulate(load_trace(file, 64), "fair", load("fair"))])
    below = drawn.axes[1]
    assert len(below.lines) == 2
    assert len({str(line.get_linestyle()) for line in below.lines}) == 2
    assert drawn.legends == []
