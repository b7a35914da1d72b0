# SPDX-License-Identifier: BSD-3-Clause
"""Tests of hypotheses have the right answer, or say why they have none."""

from math import exp, isclose

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nereus.analysis.study.statistics import differences, normality, spread

APART = {"a": [1.0, 2.0, 3.0], "b": [4.0, 5.0, 6.0], "c": [7.0, 8.0, 9.0]}

values = st.lists(st.floats(1e-6, 1e6), max_size=8)
groups = st.dictionaries(st.sampled_from("abcdef"), values, max_size=6)


def test_kruskal_wallis_matches_hand_calculation() -> None:
    # Rank sums 6, 15, 24: H = 12 / (9 * 10) * (36 + 225 + 576) / 3 - 3 * 10 = 7.2; chi-square of 2 degrees.
    found = differences(APART)
    assert found.verdict.p is not None
    assert isclose(found.verdict.p, exp(-7.2 / 2))
    assert found.verdict.rejected
    assert found.runs == 9


def test_conover_distinguishes_variants_with_holm_correction() -> None:
    # t of neighbours: 3 / sqrt(S2 * (N - 1 - H) / (N - k) * 2 / 3) with S2 = 7.5, N = 9, k = 3: 3.674 with
    # 6 degrees of freedom, p = 0.0104; of the outer ones 7.348, p = 0.000325;
    # Holm takes them times 3 and times 2.
    found = differences(APART)
    assert found.pairs[frozenset("ac")] == pytest.approx(3 * 0.000325, rel=0.01)
    assert found.pairs[frozenset("ab")] == pytest.approx(2 * 0.0104, rel=0.01)
    assert found.tells_apart("a", "b")


def test_variants_are_not_compared_in_pairs_without_significance() -> None:
    found = differences({"a": [1.0, 4.0, 5.0], "b": [2.0, 3.0, 6.0]})
    assert not found.verdict.rejected
    assert found.pairs == {}
    assert not found.tells_apart("a", "b")


@pytest.mark.parametrize("made", [{}, {"a": [1.0, 2.0, 3.0]}, {"a": [1.0, 2.0], "b": [3.0, 4.0]}])
def test_too_few_runs_have_no_p_value(made: dict[str, list[float]]) -> None:
    found = differences(made)
    assert (found.verdict.p, found.verdict.reason) == (None, "not enough runs")


def test_variant_with_too_few_runs_is_left_out() -> None:
    found = differences({**APART, "d": [0.1, 0.2]})
    assert found.runs == 9
    assert not any("d" in pair for pair in found.pairs)


def test_equal_values_are_reported_as_equal() -> None:
    found = differences({"a": [1.0] * 3, "b": [1.0] * 3})
    assert (found.verdict.p, found.verdict.reason) == (None, "all values are equal")
    assert normality([2.0] * 5).reason == "all values are equal"


def test_variants_without_scatter_are_still_distinguished() -> None:
    found = differences({"a": [1.0] * 5, "b": [2.0] * 5, "c": [2.0] * 5})
    assert found.verdict.rejected
    assert found.tells_apart("a", "b")
    assert not found.tells_apart("b", "c")


def test_outlier_rejects_normality() -> None:
    assert not normality([1.0, 1.1, 0.9, 1.05, 0.95]).rejected
    assert normality([1.0, 1.0001, 0.9999, 1.0002, 9.0]).rejected
    assert normality([1.0, 2.0]).reason == "not enough runs"


def test_single_run_has_no_deviation() -> None:
    found = spread([2.0])
    assert found is not None and found.document()["deviation"] is None
    assert spread([]) is None


def test_deviation_is_that_of_the_sample() -> None:
    found = spread([1.0, 2.0, 6.0])
    assert found is not None
    assert found.document() == pytest.approx(
        {"median": 2.0, "mean": 3.0, "deviation": 7**0.5, "min": 1.0, "max": 6.0, "runs": 3}
    )


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(groups)
def test_verdict_has_a_p_value_or_a_reason(made: dict[str, list[float]]) -> None:
    found = differences(made)
    assert (found.verdict.p is None) == bool(found.verdict.reason)
    assert all(0 <= p <= 1 for p in found.pairs.values())
    assert not found.pairs or found.verdict.rejected
    for sample in made.values():
        verdict = normality(sample)
        assert (verdict.p is None) == bool(verdict.reason)


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(groups)
def test_order_of_runs_and_variants_does_not_matter(made: dict[str, list[float]]) -> None:
    turned = {name: made[name][::-1] for name in reversed(made)}
    one, other = differences(made), differences(turned)
    assert one.verdict.reason == other.verdict.reason
    assert one.verdict.p == pytest.approx(other.verdict.p)
    assert dict(one.pairs) == pytest.approx(dict(other.pairs))
