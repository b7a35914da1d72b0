# SPDX-License-Identifier: BSD-3-Clause
"""The preferred variant of each pair of sizes, by the papers' rules for ties."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nereus.analysis.study.preferred import Cell, Fastest, Rule, fastest, preferred
from nereus.analysis.study.statistics import differences

RULES = list(Rule)


def equal(**medians: float) -> Fastest:
    return Fastest(medians)


def test_single_fastest_variant_is_preferred_regardless_of_other_cells() -> None:
    cells = {(1, 2): equal(a=1.0), (2, 1): equal(b=1.0), (1, 4): equal(b=1.0), (4, 1): equal(b=1.0)}
    for rule in RULES:
        assert preferred(cells, rule)[1, 2] == "a"


def test_tie_is_broken_by_the_nearest_cells() -> None:
    # 2024, section 5.4.3: (1, 2) has (1, 4) next to it; the far cells at 16 and 32 would say b.
    far: dict[Cell, Fastest] = {(16, 32): equal(b=1.0), (32, 16): equal(b=1.0), (8, 32): equal(b=1.0)}
    cells = {(1, 2): equal(b=1.0, a=1.1), (1, 4): equal(a=1.0), **far}
    assert preferred(cells, Rule.NEAREST)[1, 2] == "a"


def test_tie_is_broken_by_all_other_cells() -> None:
    # "Análisis de métodos de redistribución", section IV.D.
    far: dict[Cell, Fastest] = {(16, 32): equal(b=1.0), (32, 16): equal(b=1.0), (8, 32): equal(b=1.0)}
    cells = {(1, 2): equal(a=1.0, b=1.1), (1, 4): equal(a=1.0), **far}
    assert preferred(cells, Rule.ALL)[1, 2] == "b"


def test_farther_cells_decide_when_the_nearest_tie() -> None:
    cells = {
        (1, 2): equal(a=1.0, b=1.1),
        (1, 4): equal(a=1.0),
        (2, 4): equal(b=1.0),
        (1, 8): equal(b=1.0),
    }
    assert preferred(cells, Rule.NEAREST)[1, 2] == "b"


@pytest.mark.parametrize("rule", RULES)
def test_smallest_median_decides_last(rule: Rule) -> None:
    assert preferred({(1, 2): equal(a=1.1, b=1.0)}, rule) == {(1, 2): "b"}


@pytest.mark.parametrize("rule", RULES)
def test_cell_without_test_has_no_preferred_variant(rule: Rule) -> None:
    cells = {(1, 2): Fastest({}, "not enough runs"), (2, 1): equal(a=1.0)}
    assert preferred(cells, rule) == {(1, 2): None, (2, 1): "a"}


def test_significantly_slower_variant_is_not_equal_to_the_fastest() -> None:
    made = {"fast": [1.0, 1.1, 1.2, 1.3, 1.4], "same": [1.05, 1.15, 1.25, 1.35, 1.45]}
    made["slow"] = [5.0, 5.1, 5.2, 5.3, 5.4]
    assert fastest(made, differences(made)).equal == ["fast", "same"]


def test_all_variants_are_equal_when_all_values_are() -> None:
    made = {"b": [1.0] * 3, "a": [1.0] * 3}
    assert fastest(made, differences(made)).equal == ["a", "b"]


def test_too_few_runs_give_no_preference() -> None:
    made = {"a": [1.0, 1.1], "b": [2.0, 2.1]}
    found = fastest(made, differences(made))
    assert (found.equal, found.reason) == ([], "not enough runs")


pairs = st.sampled_from(
    [(before, after) for before in (1, 2, 4, 8) for after in (1, 2, 4, 8) if before != after]
)
ways = st.dictionaries(st.sampled_from("abc"), st.floats(0.1, 9.0), max_size=3).map(lambda m: Fastest(m))
grids = st.dictionaries(pairs, ways, max_size=12)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(grids, st.sampled_from(RULES))
def test_preferred_variant_is_one_of_the_equal_ones(cells: dict[Cell, Fastest], rule: Rule) -> None:
    for cell, way in preferred(cells, rule).items():
        assert way in cells[cell].equal if cells[cell].equal else way is None
