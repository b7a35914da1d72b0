# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the right number of ranks for a speed-up."""

from itertools import pairwise
from math import inf, nan

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from nereus.policy.performance import Curve, Falling, Measured, fewest_ranks, fit

parts = st.floats(0, 1e3)
sizes = st.lists(st.integers(1, 500), min_size=3, max_size=8, unique=True)


@settings(deadline=None)  # the first fit loads SciPy
@given(fixed=parts, divided=st.floats(1e-3, 1e3), per_rank=st.floats(0, 1), ranks=sizes)
def test_fit_recovers_a_curve(fixed: float, divided: float, per_rank: float, ranks: list[int]) -> None:
    truth = Curve(fixed, divided, per_rank)
    made = fit(Measured(each, truth.seconds(each)) for each in ranks)
    assert isinstance(made, Curve)
    assert made.error < 1e-6
    assert all(made.seconds(each) == pytest.approx(truth.seconds(each), rel=1e-5) for each in ranks)


@settings(deadline=None)
@given(st.lists(st.builds(Measured, st.integers(1, 300), st.floats(1e-3, 1e4)), min_size=1, max_size=12))
def test_times_are_positive_and_decrease_up_to_the_fastest(measured: list[Measured]) -> None:
    model = fit(measured)
    most = int(min(model.fastest, 400))
    times = [model.seconds(ranks) for ranks in range(1, most + 1)]
    assert all(time > 0 for time in times)
    assert all(later <= earlier * (1 + 1e-9) for earlier, later in pairwise(times))


@pytest.mark.parametrize("ranks", [1, 7, 12])
def test_exact_times_give_a_curve(ranks: int) -> None:
    """Of 12 ranks the solver went in circles."""
    made = fit(Measured(each, 28.302765669945416 / 100 * ranks / each) for each in (1, 4, 16, 64))
    assert isinstance(made, Curve)
    assert made.divided == pytest.approx(28.302765669945416 / 100 * ranks)


def test_without_a_curve_times_are_interpolated_between_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    def in_circles(*arguments: object) -> None:
        raise RuntimeError("Maximum number of iterations reached.")

    monkeypatch.setattr("scipy.optimize.nnls", in_circles)
    model = fit([Measured(1, 8.0), Measured(2, 4.0), Measured(4, 2.0)])
    assert isinstance(model, Falling)
    assert [model.seconds(ranks) for ranks in (1, 2, 4)] == [8.0, 4.0, 2.0]


def test_single_size_promises_no_gain() -> None:
    model = fit([Measured(4, 10.0), Measured(4, 12.0), Measured(4, 30.0)])
    assert (model.seconds(4), model.seconds(400)) == (12.0, 12.0)
    assert model.seconds(2) == 24.0
    assert fewest_ranks(model, 11.9, 1000) is None


def test_two_sizes_give_a_fixed_and_a_divided_part() -> None:
    made = fit([Measured(1, 11.0), Measured(10, 2.0)])
    assert isinstance(made, Curve)
    assert (made.fixed, made.divided, made.per_rank) == pytest.approx((1.0, 10.0, 0.0))
    assert made.error == pytest.approx(0.0, abs=1e-9)


def test_times_that_fit_no_curve_are_interpolated_between_sizes() -> None:
    """A step, as where data come to fit into caches; a time that rises is taken for noise."""
    model = fit([Measured(1, 100), Measured(2, 98), Measured(4, 5), Measured(8, 6)])
    assert isinstance(model, Falling)
    assert [model.seconds(ranks) for ranks in (1, 2, 4, 8, 100)] == [100, 98, 5.5, 5.5, 5.5]
    assert model.fastest == 4
    assert 5.5 < model.seconds(3) < 98
    assert 0.05 < model.error < 0.1


@settings(deadline=None)
@given(
    per_rank=st.floats(0, 0.1),
    ranks=st.integers(1, 200),
    speedup=st.floats(0.5, 20),
    most=st.integers(1, 5000),
)
@example(per_rank=0.1, ranks=99, speedup=1.0, most=200)  # 100 are the fastest
def test_fewest_sufficient_ranks_are_chosen(per_rank: float, ranks: int, speedup: float, most: int) -> None:
    model = Curve(1.0, 1000.0, per_rank)
    wanted = model.seconds(ranks) / speedup
    enough = [each for each in range(1, most + 1) if model.seconds(each) <= wanted]
    assert fewest_ranks(model, wanted, most) == (enough[0] if enough else None)


def test_fastest_integer_may_lie_above_the_minimum_of_the_curve() -> None:
    model = Curve(0.0, 100.0, 0.7)
    assert model.fastest == pytest.approx(11.95, abs=0.01)
    assert model.seconds(12) < 16.75 < model.seconds(11)
    assert fewest_ranks(model, 16.75, 1000) == 12


@pytest.mark.parametrize(("ranks", "seconds"), [(0, 1.0), (1, 0.0), (1, -1.0), (1, nan), (1, inf)])
def test_impossible_measurement_is_refused(ranks: int, seconds: float) -> None:
    with pytest.raises(ValueError, match="ranks >= 1"):
        Measured(ranks, seconds)


def test_no_measurement_gives_no_model() -> None:
    with pytest.raises(ValueError, match="no times"):
        fit([])
