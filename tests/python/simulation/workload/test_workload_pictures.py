# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: pictures that show what was simulated, and say so where they cannot."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nereus.simulation.workload.changes import change, changes_of, lines_of
from nereus.simulation.workload.comparison import Comparison, Row, Variant
from nereus.simulation.workload.core_places import CorePlaces, Piece
from nereus.simulation.workload.figures import Figures, Interval
from nereus.simulation.workload.gantt import gantt
from nereus.simulation.workload.loading import load_workload
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.picture import figure

Nereus = Callable[..., tuple[int, str, str]]
WORKLOAD = """
cores = 16
order = ["fcfs", "easy"]
malleable = [0, 50]
seeds = 2
[generated]
jobs = 30
every = 20.0
seconds = 300.0
most_ranks = 8
"""


def row(order: str, strategy: str, percent: float, seed: int, wait: float) -> Row:
    return Row(Variant(order, strategy, percent), seed, Figures(100.0, wait, wait, 1.0, 0.5, 0, 0, 0.5, 0.0))


ROWS = [
    row("fcfs", "none", 0, 1, 10.0),
    row("fcfs", "none", 0, 2, 40.0),
    row("fcfs", "keep-least", 50, 1, 5.0),
    row("fcfs", "keep-least", 50, 2, 30.0),
    row("fcfs", "keep-preferred", 50, 1, 10.0),
    row("fcfs", "keep-preferred", 50, 2, 40.0),
    row("easy", "none", 0, 1, 0.0),
]


def test_rows_without_malleable_jobs_begin_the_line_of_each_strategy() -> None:
    lines = {line.name: list(line.points) for line in lines_of(ROWS)}
    assert lines == {"fcfs, keep-least": [0, 50], "fcfs, keep-preferred": [0, 50], "easy": [0]}


def test_change_is_that_of_the_same_seed() -> None:
    least, _, easy = lines_of(ROWS)
    found = dict(change(least, lambda row: row.figures.mean_wait_seconds))
    assert found[0] == Interval(0.0, 0.0, 0.0)
    # A half, and a quarter less.
    assert found[50].mean == pytest.approx(-37.5)
    assert not dict(change(easy, lambda row: row.figures.mean_wait_seconds))  # of 0 there is no share


def test_changes_are_told_of_variants_with_malleable_jobs() -> None:
    found = changes_of(ROWS)
    least, _, _ = lines_of(ROWS)
    waits = dict(change(least, lambda row: row.figures.mean_wait_seconds))
    for variant, measures in found.items():
        assert variant.malleable_percent > 0
        assert measures["makespan_seconds"].mean == 0
        if variant.order == "fcfs" and variant.strategy == "keep-least":
            assert measures["mean_wait_seconds"] == waits[variant.malleable_percent]
    assert any(variant.strategy == "keep-least" for variant in found)
    assert not changes_of([each for each in ROWS if each.variant.malleable_percent > 0])


def test_each_panel_has_a_line_for_each_order_and_strategy() -> None:
    drawn = figure(ROWS, "title")
    assert [axes.get_ylabel() for axes in drawn.axes] == [
        *("turnaround (s)", "wait (s)", "makespan (s)", "utilisation (%)"),
        *(f"change of {name} (%)" for name in ("turnaround", "wait", "makespan", "utilisation")),
    ]
    wait = drawn.axes[1]
    assert [np.asarray(line.get_ydata()).tolist() for line in wait.lines] == [
        [25.0, 17.5],
        [25.0, 25.0],
        [0.0],
    ]
    assert len(wait.collections) == 2  # intervals of the two lines that have several seeds
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == [
        "fcfs, keep-least",
        "fcfs, keep-preferred",
        "easy",
    ]


def test_one_percentage_alone_has_no_changes_and_points_beside_each_other() -> None:
    drawn = figure([row(order, "none", 0, seed, 5.0) for order in ("fcfs", "easy") for seed in (1, 2)], "t")
    assert len(drawn.axes) == 4
    places = {float(np.asarray(line.get_xdata())[0]) for line in drawn.axes[0].lines}
    assert len(places) >= 2


def test_long_times_are_in_hours() -> None:
    assert figure([row("fcfs", "none", 0, 1, 20_000.0)], "t").axes[0].get_ylabel() == "turnaround (h)"


def overlap(one: Piece, other: Piece) -> bool:
    in_time = one.begin < other.end and other.begin < one.end
    return in_time and one.first < other.first + other.cores and other.first < one.first + one.cores


@given(
    st.integers(0, 10**6),
    st.sampled_from(["fcfs", "easy"]),
    st.sampled_from(["keep-least", "keep-preferred"]),
)
def test_no_core_is_shown_twice_and_each_job_has_its_core_time(seed: int, order: str, strategy: str) -> None:
    generated = {"jobs": 25, "every": 20.0, "seconds": 300.0, "most_ranks": 8, "limit_factor": 2.0}
    keys = {"cores": 12, "order": [order], "strategy": [strategy], "malleable": [60], "seed": seed}
    comparison = Comparison(Workload.model_validate({**keys, "moldable": 20, "generated": generated}))
    places = CorePlaces(12)
    outcomes = comparison.outcomes(comparison.cases[0], recorder=places)
    assert not any(overlap(one, other) for one, other in combinations(places.pieces, 2))
    assert all(piece.first >= 0 and piece.first + piece.cores <= 12 for piece in places.pieces)
    for number, outcome in enumerate(outcomes):
        own = [piece for piece in places.pieces if piece.number == number]
        assert sum(p.cores * (p.end - p.begin) for p in own) == pytest.approx(outcome.core_seconds)
        assert (min(p.begin for p in own), max(p.end for p in own)) == (outcome.started, outcome.ended)
    assert len(places.resizes) == sum(each.resizes for each in outcomes)


def test_job_starts_in_the_first_gap_and_grows_upwards() -> None:
    places = CorePlaces(10)
    places(0.0, 0, 2)
    places(0.0, 1, 3)
    places(0.0, 2, 2)
    places(1.0, 1, 0)  # cores 2 to 4 are free, and 7 to 9
    places(1.0, 3, 2)
    places(2.0, 0, 3)  # the core above it has job 3
    places(3.0, 2, 4)
    for number in (0, 2, 3):
        places(4.0, number, 0)
    assert {(p.number, p.first, p.cores, p.begin, p.end) for p in places.pieces} == {
        (0, 0, 2, 0.0, 2.0),
        (1, 2, 3, 0.0, 1.0),
        (2, 5, 2, 0.0, 3.0),
        (3, 2, 2, 1.0, 4.0),
        (0, 0, 2, 2.0, 4.0),
        (0, 4, 1, 2.0, 4.0),
        (2, 5, 4, 3.0, 4.0),
    }
    assert places.resizes == [(2.0, 0, 2, 3), (3.0, 2, 2, 4)]


def test_gantt_chart_has_a_bar_for_each_piece(tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(WORKLOAD)
    chosen = {"order": ["easy"], "malleable": [50.0], "seeds": 1}
    comparison = Comparison(load_workload(file, chosen))
    (case,) = comparison.cases
    places = CorePlaces(16)
    outcomes = comparison.outcomes(case, recorder=places)
    drawn = gantt(comparison, case)
    (axes,) = drawn.axes
    assert len(axes.collections) == len(places.pieces)
    assert axes.get_title(loc="left") == "easy, keep-preferred, 50 % malleable, seed 42: 30 jobs on 16 cores"
    assert axes.get_xlim()[1] == pytest.approx(max(each.ended for each in outcomes) / 60)
    names = {text.get_text() for text in axes.texts}
    assert names and names <= {each.job.name for each in outcomes}


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_command_writes_both_pictures(nereus: Nereus, tmp_path: Path, ending: str) -> None:
    file, picture, chart = tmp_path / "w.toml", tmp_path / f"p.{ending}", tmp_path / f"g.{ending}"
    file.write_text(WORKLOAD)
    one = ("--order", "easy", "--malleable", "50", "--seeds", "1")
    code, _, err = nereus(
        "simulate", "workload", file, *one, "--picture", picture, "--gantt", chart, "--json"
    )
    assert (code, err) == (0, f"written: {picture}\nwritten: {chart}\n")
    begin = b"\x89PNG" if ending == "png" else b"<?xml"
    assert picture.read_bytes().startswith(begin) and chart.read_bytes().startswith(begin)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--seeds", "1"),
            "--gantt shows one simulation: allowed are one order, strategy, percentage and seed; "
            "these are 4 simulations",
        ),
        (
            ("--order", "easy", "--malleable", "50"),
            "--gantt shows one simulation: allowed are one order, strategy, percentage and seed; "
            "these are 2 simulations",
        ),
    ],
)
def test_gantt_chart_of_several_simulations_is_refused(
    nereus: Nereus, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    file = tmp_path / "w.toml"
    file.write_text(WORKLOAD)
    code, out, err = nereus("simulate", "workload", file, *words, "--gantt", tmp_path / "g.png")
    assert (code, out, err) == (2, "", f"nereus: {said}\n")


def test_gantt_chart_of_too_many_jobs_is_refused(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(WORKLOAD.replace("jobs = 30", "jobs = 501"))
    one = ("--order", "easy", "--malleable", "50", "--seeds", "1")
    code, out, err = nereus("simulate", "workload", file, *one, "--gantt", tmp_path / "g.png")
    assert (code, out, err) == (2, "", "nereus: --gantt: of 501 jobs: at most 500 can be told apart\n")


@pytest.mark.parametrize("option", ["--picture", "--gantt"])
def test_picture_that_cannot_be_written_is_said_first(nereus: Nereus, tmp_path: Path, option: str) -> None:
    file = tmp_path / "p.bmp"
    code, out, err = nereus("simulate", "workload", "no-such-file.toml", option, file)
    assert (code, out) == (2, "")
    assert err == (
        f"nereus: {option} = {file}: allowed is a .png, .pdf or .svg file in a folder that exists\n"
    )
