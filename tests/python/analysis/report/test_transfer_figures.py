# SPDX-License-Identifier: BSD-3-Clause
"""Ways to move data are compared as the papers compare them."""

from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from nereus.analysis.report.transfer_figures import (
    Course,
    Time,
    common_iteration,
    preferred,
    progress_seconds,
    quotient_reach,
    ratio,
    same_iteration_seconds,
)
from nereus.analysis.report.transfer_picture import draw_transfers

BLOCKING = Course(seconds=1.0, iterations=1, iteration_seconds=0.01, background=False)
SHORT = Course(seconds=1.2, iterations=41, iteration_seconds=0.01, background=True)
LONG = Course(seconds=2.0, iterations=150, iteration_seconds=0.01, background=True)
ALL = [BLOCKING, SHORT, LONG]


def test_methods_are_compared_at_fewest_background_iterations() -> None:
    assert common_iteration(ALL) == 41
    assert common_iteration([BLOCKING]) == 0


def test_blocking_transfer_has_to_catch_up_with_iterations() -> None:
    assert progress_seconds(BLOCKING, 41) == pytest.approx(1.0 + 40 * 0.01)


def test_background_transfer_progress_ends_with_the_transfer() -> None:
    assert progress_seconds(SHORT, 41) == 1.2
    assert progress_seconds(LONG, 41) == 2.0


def test_iterations_of_a_long_transfer_count_in_second_comparison() -> None:
    times = [same_iteration_seconds(course, 150) for course in ALL]
    assert times == [pytest.approx(2.49), pytest.approx(2.29), 2.0]


def test_ratio_with_missing_value_is_none() -> None:
    assert ratio(3.0, 2.0) == 1.5
    assert [ratio(None, 2.0), ratio(3.0, None), ratio(3.0, 0.0)] == [None, None, None]


def test_tie_is_broken_by_the_method_that_is_best_more_often() -> None:
    cells = {
        (2, 4): {"a": Time(1.00, 0.05), "b": Time(1.04, 0.05), "c": Time(3.0, 0.1)},
        (4, 2): {"a": Time(2.0, 0.1), "b": Time(1.0, 0.1)},
        (2, 8): {"a": Time(1.0, 0.0), "b": Time(1.1, 0.0)},
        (8, 2): {},
    }
    assert preferred(cells) == {(2, 4): "a", (4, 2): "b", (2, 8): "a"}
    del cells[(2, 8)]
    assert preferred(cells) == {(2, 4): "b", (4, 2): "b"}


def row(before: int, after: int, method: str, strategy: str, seconds: float, **more: Any) -> dict[str, Any]:
    figures = dict.fromkeys(("alpha", "omega", "iterations", "pause_seconds", "progress_seconds"))
    head: dict[str, Any] = {
        "process_method": "merge",
        "process_strategies": ["auto"],
        "method": method,
        "strategy": strategy,
    }
    head |= {"from": before, "to": after}
    keys = ("omega", "iterations", "pause_seconds", "over_seconds", "transfer_seconds")
    deviations = {f"{key}_deviation": 0.01 for key in keys}
    return {**head, **figures, "transfer_seconds": seconds, **deviations, **more}


def test_picture_is_written_for_each_known_figure(tmp_path: Path) -> None:
    rows = [
        row(2, 4, "p2p", "blocking", 0.2),
        row(2, 4, "p2p", "thread", 0.3, alpha=1.5, omega=1.2),
        row(4, 2, "col", "blocking", 0.1),
    ]
    written = draw_transfers(rows, tmp_path / "pictures")
    assert [path.name for path in written] == ["times.png", "alpha.png", "omega.png", "preferred.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in written)


def drawn(rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, Figure]:
    """The pictures before they became files."""
    made: dict[str, Figure] = {}
    monkeypatch.setattr(Figure, "savefig", lambda self, path, **_: made.update({path.stem: self}))
    draw_transfers(rows, folder)
    return made


ROWS = [
    row(2, 4, "p2p", "blocking", 0.2),
    row(2, 4, "p2p", "thread", 0.3, alpha=1.5, omega=1.2, progress_seconds=0.5),
    row(4, 2, "col", "blocking", 0.1, pause_seconds=0.2),
]


def test_way_has_one_colour_in_all_pictures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looks: dict[str, set[tuple[Any, ...]]] = {}
    for made in drawn(ROWS, monkeypatch, tmp_path).values():
        (legend,) = made.legends
        for text, patch in zip(legend.get_texts(), legend.get_patches(), strict=True):
            name = text.get_text().split(": ")[-1]
            looks.setdefault(name, set()).add((patch.get_facecolor(), patch.get_hatch()))
    assert [len(found) for found in looks.values()] == [1, 1, 1]
    assert len(set.union(*looks.values())) == 3


def test_whiskers_reach_as_far_as_the_distances_from_medians(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = drawn(ROWS, monkeypatch, tmp_path)
    expected = {
        "times": [(0.19, 0.21), (0.29, 0.31), (0.09, 0.11)],
        "alpha": [(0.29 / 0.21, 0.31 / 0.19)],
        "omega": [(1.19, 1.21)],
        "pause": [(0.19, 0.21)],
        "progress": [(0.49, 0.51)],
    }
    for name, reaches in expected.items():
        lines = [
            collection.get_segments()[0][:, 1]  # type: ignore[attr-defined]
            for axes in made[name].axes
            for collection in axes.collections
        ]
        assert [tuple(line) for line in lines] == [pytest.approx(reach) for reach in reaches]
        assert "whiskers reach as far as the" in made[name].get_supxlabel()
    units = {name: figure.get_supylabel()[-3:] for name, figure in made.items() if name != "preferred"}
    assert [name for name, unit in units.items() if unit == "[s]"] == ["times", "pause", "progress"]


def test_quotient_of_a_median_that_may_be_0_is_not_told_upwards() -> None:
    assert quotient_reach(Time(1.0, 0.5), Time(0.5, 0.5)) == (0.5, 2.0)


def test_without_figures_no_picture_is_written(tmp_path: Path) -> None:
    assert draw_transfers([], tmp_path) == []
