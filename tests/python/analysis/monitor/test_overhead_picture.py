# SPDX-License-Identifier: BSD-3-Clause
"""Maps of the overhead by size and processes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nereus.analysis.monitor.overhead_picture import draw_overheads, figure

LEVEL = 0.05


def row(
    call: str, size: int, ranks: int, percent: float, p: float | None, share: float | None = None
) -> dict[str, Any]:
    return {
        "mpi": "mpich",
        "sensor": "wrappers",
        "call": call,
        "bytes": size,
        "ranks": ranks,
        "overhead_percent": percent,
        "p_value": p,
        "communication_percent": share,
    }


ROWS = [row("send", size, ranks, 1.5, 0.01) for size in (0, 4096) for ranks in (2, 4)]
HALO = [row("halo", 64, 2, 3.0, 0.2, 80.0), row("halo", 4096, 2, 0.1, None, 3.0)]


def texts(rows: list[dict[str, Any]]) -> list[list[str]]:
    """What stands in each panel."""
    return [[text.get_text() for text in axes.texts] for axes in figure(rows, LEVEL).axes]


def test_map_has_a_cell_for_each_size_and_number_of_processes() -> None:
    made = figure(ROWS, LEVEL)
    square = made.axes[0].images[0].get_array()
    assert square is not None and square.shape == (2, 2)
    assert texts(ROWS)[0] == ["1.5"] * 4


def test_difference_that_no_test_sees_is_in_brackets() -> None:
    assert texts([row("send", 0, 2, -0.3, 0.4), row("put", 0, 2, 2.0, None)])[:2] == [["(-0.3)"], ["(2.0)"]]


def test_steps_of_an_application_are_drawn_by_their_share_of_communication() -> None:
    made = figure([*ROWS, *HALO], LEVEL)
    (line,) = [each for each in made.axes[1].lines if each.get_marker() == "o"]
    assert np.array_equal(line.get_xdata(), [3.0, 80.0])
    assert made.axes[1].get_xlabel().startswith("communication")


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_picture_is_written_in_the_format_of_its_name(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"map.{ending}"
    draw_overheads([*ROWS, *HALO], LEVEL, file)
    assert file.read_bytes()[:5] in (b"\x89PNG\r", b"%PDF-", b"<?xml")
