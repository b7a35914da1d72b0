# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: times of jobs on other ranks as their speed-up says."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_start_order_properties import CORES, SIZING, Watched, of_all_kinds

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.job import Job, Kind
from nereus.simulation.workload.orders.order import SizingOrder
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.resize_cost import ResizeCost
from nereus.simulation.workload.simulation import simulate
from nereus.simulation.workload.speedup import Amdahl, Downey, Measured, Speedup, downey_speedup

Nereus = Callable[..., tuple[int, str, str]]
MEASURED = Measured((2, 4, 8), (80.0, 50.0, 60.0))
ALL: list[Speedup] = [
    Amdahl(0.9),
    Downey(5.0, 0.5),
    Downey(1.5, 2.0, is_of_ranks=True),
    MEASURED,
]
PARALLELISM = st.floats(1, 1e4)
VARIANCE = st.floats(0, 10)
JOB = '[[jobs]]\nname = "a"\nranks = 2\nseconds = 12\nkind = "malleable"\nmost = 4\n'


@given(parallelism=PARALLELISM, variance=VARIANCE, ranks=st.integers(1, 30_000))
def test_speedup_of_downey_rises_up_to_the_ranks_and_the_parallelism(
    parallelism: float, variance: float, ranks: int
) -> None:
    here, next_one = (downey_speedup(each, parallelism, variance) for each in (ranks, ranks + 1))
    assert here <= next_one * (1 + 1e-12)
    assert 0 < here <= min(ranks, parallelism) * (1 + 1e-12)
    assert downey_speedup(1, parallelism, variance) == pytest.approx(1)


@given(parallelism=PARALLELISM, variance=VARIANCE)
def test_speedup_of_downey_has_no_jumps_where_its_pieces_meet(parallelism: float, variance: float) -> None:
    borders = (parallelism, 2 * parallelism - 1, parallelism + parallelism * variance - variance)
    for border in borders:
        below, above = (
            downey_speedup(max(1.0, border * factor), parallelism, variance)
            for factor in (1 - 1e-9, 1 + 1e-9)
        )
        assert below == pytest.approx(above, rel=1e-6)
    at_one, beyond = (downey_speedup(parallelism * 1.5, parallelism, each) for each in (1.0, 1 + 1e-9))
    assert at_one == pytest.approx(beyond, rel=1e-6)


def test_speedup_of_downey_is_that_of_a_case_worked_out_by_hand() -> None:
    """Parallelism 8: half its variance, none, and four times as much."""
    assert downey_speedup(4, 8, 0.5) == pytest.approx(8 * 4 / (8 + 0.25 * 3))
    assert downey_speedup(12, 8, 0.5) == pytest.approx(8 * 12 / (0.5 * 7.5 + 12 * 0.75))
    assert downey_speedup(15, 8, 0.5) == 8
    assert [downey_speedup(ranks, 8, 0) for ranks in (1, 5, 8, 20)] == [1, 5, 8, 8]
    assert downey_speedup(10, 8, 4) == pytest.approx(10 * 8 * 5 / (4 * 17 + 8))
    assert downey_speedup(36, 8, 4) == 8


def test_measured_speedup_goes_through_its_points() -> None:
    assert [MEASURED.seconds_on(ranks) for ranks in (1, 2, 4, 8, 100)] == [160, 80, 50, 60, 60]
    assert MEASURED.seconds_on(6) == pytest.approx(50 * 1.2 ** (0.5849625 / 1), rel=1e-6)
    halves = Measured((1, 16), (16.0, 1.0))
    assert halves.seconds_on(4) == pytest.approx(4)
    assert MEASURED.time_factor(4, 2) == 0.625


@pytest.mark.parametrize("speedup", ALL)
@given(asked=st.integers(1, 1000))
def test_job_takes_exactly_its_time_on_the_ranks_asked_for(speedup: Speedup, asked: int) -> None:
    assert speedup.time_factor(asked, asked) == 1


def test_parallelism_may_be_a_multiple_of_the_ranks_asked_for() -> None:
    for asked in (2, 64):
        factor = Downey(2.0, 0.0, is_of_ranks=True).time_factor(4 * asked, asked)
        assert factor == pytest.approx(0.5)
    assert Downey(0.1, 0.0, is_of_ranks=True).time_factor(8, 2) == 1


@pytest.mark.parametrize("order", SIZING)
@pytest.mark.parametrize("speedup", ALL)
@given(jobs=of_all_kinds(), cost=st.sampled_from([None, ResizeCost.constant(0.5)]))
@settings(max_examples=40, deadline=None)
def test_resized_jobs_do_all_their_work_whatever_their_speedup(
    order: str, speedup: Speedup, jobs: list[Job], cost: ResizeCost | None
) -> None:
    inner = ORDERS[order].make(CORES)
    assert isinstance(inner, SizingOrder)
    outcomes = simulate(jobs, Watched(inner), STRATEGIES["keep-least"], cost=cost, speedup=speedup)
    for job, each in zip(jobs, outcomes, strict=True):
        assert each.killed or each.work_seconds == job.seconds
        assert each.killed == (each.work_seconds < job.seconds)
        factors = [speedup.time_factor(ranks, job.ranks) for ranks in range(job.least, job.most + 1)]
        assert each.ended - each.started <= job.limit * max(factors) * (1 + 1e-9)
        if each.resizes == 0:
            assert each.ended - each.started == pytest.approx(
                min(job.seconds, job.limit) * speedup.time_factor(each.ranks, job.ranks)
            )


def test_malleable_job_takes_as_long_as_was_measured() -> None:
    job = Job("a", 0, 2, 80, 1000, Kind.MALLEABLE, 1, 4)
    (grown,) = simulate([job], ORDERS["fcfs"].make(4), STRATEGIES["keep-least"], speedup=MEASURED)
    assert (grown.ended, grown.ranks) == (50, 4)


@pytest.mark.parametrize(
    ("table", "seconds"),
    [
        ("", 12 * (0.01 + 0.99 / 2)),
        ("[speedup]\n", 12 * (0.01 + 0.99 / 2)),
        ('[speedup]\nmodel = "downey"\nparallelism = 3\nvariance = 0\n', 8),
        ('[speedup]\nmodel = "downey"\nparallelism_factor = 1\nvariance = 0\n', 12),
        ('[speedup]\nmodel = "measured"\npoints = [[2, 40], [4, 10.0]]\n', 3),
    ],
)
def test_workload_says_what_speedups_are(nereus: Nereus, tmp_path: Path, table: str, seconds: float) -> None:
    file = tmp_path / "w.toml"
    file.write_text("cores = 4\n" + JOB + table)
    code, out, _ = nereus("simulate", "workload", file, "--json", "--quiet")
    (row,) = json.loads(out)["rows"]
    assert (code, row["makespan_seconds"]) == (0, pytest.approx(seconds))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('model = "gustafson"', '9: speedup.model = "gustafson": one of amdahl, downey, measured'),
        ("points = [[1, 2]]", "9: speedup.points = [[1, 2]]: goes with the model measured"),
        ('model = "downey"\nvariance = 1', "8: speedup.parallelism: one of parallelism and"),
        ('model = "downey"\nparallelism = 4', "8: speedup.variance: is missing: a number from 0"),
        ('model = "downey"\nparallelism = 0.5', "10: speedup.parallelism = 0.5: ranks from 1"),
        ('model = "measured"', "8: speedup.points: is missing: a list of [ranks, seconds]"),
        ('model = "measured"\npoints = [[2, 4], [1, 8]]', "10: speedup.points = "),
        ('model = "measured"\npoints = [[2, 0]]', "10: speedup.points = [[2, 0]]: [ranks, seconds]: whole"),
        (
            'model = "measured"\npoints = [[2.5, 1]]',
            "10: speedup.points = [[2.5, 1]]: [ranks, seconds]: whole",
        ),
        ('model = "measured"\npoints = [[2]]', "10: speedup.points"),
    ],
)
def test_wrong_speedup_is_reported(nereus: Nereus, tmp_path: Path, keys: str, said: str) -> None:
    file = tmp_path / "w.toml"
    file.write_text("cores = 4\n" + JOB + f"[speedup]\n{keys}\n")
    code, out, err = nereus("simulate", "workload", file)
    assert (code, out) == (2, "")
    assert err.startswith(f"nereus: {file}:{said}") and err.count("\n") == 1


def test_parallel_fraction_goes_with_amdahl(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text("cores = 4\n" + JOB + '[speedup]\nmodel = "measured"\npoints = [[1, 2]]\n')
    code, _, err = nereus("simulate", "workload", file, "--parallel-fraction", "0.5")
    assert code == 2 and err.startswith(f'nereus: {file}:9: speedup.model = "measured": amdahl: parallel')
