# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: I/O phases that are foreseen to meet."""

from itertools import combinations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nereus.policy.interference import Conflict, conflicts, meet, next_conflicts, phases
from nereus.policy.prediction import Prediction

predictions = st.builds(
    Prediction,
    next_start=st.floats(0, 50),
    period=st.floats(5, 50),
    duration=st.floats(0.1, 4),
    deviation=st.just(0.0),
    stride=st.just(1),
    next_iteration=st.just(1),
    confidence=st.just(1.0),
)

ROUNDING = 1e-9  # phases that end where others begin may meet by a last bit


@settings(deadline=None)
@given(st.lists(predictions, max_size=5), st.floats(0, 3))
def test_each_pair_of_conflicting_phases_is_found_once_in_order(
    several: list[Prediction], uncertainty: float
) -> None:
    by_name = {str(number): found for number, found in enumerate(several)}
    every = [phase for name, found in by_name.items() for phase in phases(name, found, 100.0, uncertainty)]
    meeting = {
        frozenset([one, other])
        for one, other in combinations(every, 2)
        if one.job != other.job and one.meets(other)
    }
    found = list(conflicts(by_name, 100.0, uncertainty))
    assert len(found) == len(meeting)
    assert {frozenset([conflict.first, conflict.second]) for conflict in found} == meeting
    starts = [conflict.second.start for conflict in found]
    assert starts == sorted(starts)
    assert all(conflict.overlap > 0 for conflict in found)


def test_adjacent_phases_do_not_conflict() -> None:
    first = Prediction(0.0, 100.0, 10.0, 0.0, 1, 1, 1.0)
    second = Prediction(10.0, 100.0, 10.0, 0.0, 1, 1, 1.0)
    assert not list(conflicts({"a": first, "b": second}, 1000.0, uncertainty=0.0))
    assert len(list(conflicts({"a": first, "b": second}, 1000.0, uncertainty=2.0))) == 10


@settings(deadline=None)
@given(st.lists(predictions, max_size=5), st.floats(0, 3))
def test_next_conflicts_match_those_of_an_exhaustive_search(
    several: list[Prediction], uncertainty: float
) -> None:
    by_name = {str(number): found for number, found in enumerate(several)}
    found = next_conflicts(by_name, uncertainty)
    every = [each for each in conflicts(by_name, 200.0, uncertainty) if each.second.start < 110.0]
    wanted = [each for each in every if 0 in (each.first.number, each.second.number)]
    first = {(each.first.job, each.second.job) for each in wanted}
    assert {frozenset(jobs) for jobs in first} == {
        frozenset((each.first.job, each.second.job)) for each in found
    }
    assert all(any(same(one, other) for other in wanted) for one in found)
    assert [each.second.start for each in found] == sorted(each.second.start for each in found)


def same(one: Conflict, other: Conflict) -> bool:
    return (one.first, one.second) in ((other.first, other.second), (other.second, other.first))


@settings(deadline=None)
@given(predictions, predictions, st.floats(0, 3), st.integers(1, 9))
def test_jobs_with_conflicting_next_phases_are_recognized(
    one: Prediction, other: Prediction, uncertainty: float, number: int
) -> None:
    spans = [[found.phase(each, uncertainty) for each in range(number)] for found in (one, other)]
    gaps = [min(b[1] - a[0], a[1] - b[0]) for a in spans[0] for b in spans[1]]
    assume(all(abs(gap) > ROUNDING for gap in gaps))
    touch = any(gap > 0 for gap in gaps)
    assert meet(one, other, number, uncertainty) == touch
