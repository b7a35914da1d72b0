# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: I/O phases that are moved out of each other's way, with the ranks that this takes.

Numbers of the paper: Singh and Carretero, JSS 148 (2019), section 4.2.1.
"""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.policy.interference import Conflict, Phase, conflicts, phases
from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve
from nereus.policy.phase_shifting import (
    NotPossible,
    Shift,
    reduction,
    relative_speedup,
    select,
    shift,
)
from nereus.policy.prediction import Prediction

SURE = Parameters(uncertainty=0.0)


def prediction(start: float, period: float, duration: float, **other: Any) -> Prediction:
    told = {"deviation": 0.0, "stride": 100, "next_iteration": 200, "confidence": 1.0, **other}
    return Prediction(start, period, duration, **told)


def job(name: str, predicted: Prediction, ranks: int = 10, most: int = 1000, **other: Any) -> Job:
    between = Curve(0.0, ranks * (predicted.period - predicted.duration), 0.0)
    told = {"iteration": 100, "overhead": lambda ranks: 0.0, **other}
    return Job(name, ranks, most, prediction=predicted, between=between, **told)


def won(found: Shift, jobs: list[Job]) -> float:
    """By how much less the job computes, s, and what two resizes take, as a run would have it."""
    (shifted,) = [each for each in jobs if each.name == found.job]
    assert shifted.prediction is not None
    predicted = shifted.prediction
    usual = (predicted.period - predicted.duration) / predicted.stride
    faster = shifted.between.seconds(shifted.ranks + found.ranks) / shifted.between.seconds(shifted.ranks)
    iterations = found.restore_at - found.grow_at
    return iterations * usual * (1 - faster) - 2 * shifted.overhead(found.ranks)


def only_conflict(jobs: list[Job], parameters: Parameters = SURE, until: float = 150.0) -> Conflict:
    predicted = {each.name: each.prediction for each in jobs if each.prediction is not None}
    return next(conflicts(predicted, until, parameters.uncertainty))


def test_reduction_includes_two_resizes_and_the_uncertainty() -> None:
    assert reduction(10, overhead=1, uncertainty=2) == 14
    net = reduction(10, overhead=1, uncertainty=2) - 2 * 1
    assert net == 12


def test_speedup_is_that_of_equation_2() -> None:
    assert relative_speedup(100, 50) == 2
    assert relative_speedup(200, 50) == pytest.approx(1.33, abs=0.004)
    assert relative_speedup(50, 50) is None


def test_later_job_is_moved_before_the_other() -> None:
    """Fig. 7: phases begin at 100 and 80, and the period of the later is shorter."""
    jobs = [job("1", prediction(100, 200, 40)), job("2", prediction(80, 220, 40))]
    found = shift(only_conflict(jobs), jobs, SURE)
    assert isinstance(found, Shift)
    assert found.job == "1"
    assert 60 - 1e-9 <= found.seconds < 61.6, "one iteration at most is too much"


def test_earlier_job_is_moved_by_the_overlap() -> None:
    """Fig. 8: the same with the shorter period at the other one."""
    jobs = [job("1", prediction(100, 220, 40)), job("2", prediction(80, 200, 40))]
    conflict = only_conflict(jobs)
    assert conflict.overlap == 20
    found = shift(conflict, jobs, SURE)
    assert isinstance(found, Shift)
    assert found.job == "2"
    assert 20 - 1e-9 <= found.seconds < 21.6


@pytest.mark.parametrize(
    ("periods", "chosen"), [((200, 220), "a"), ((220, 200), "b"), ((200, 200), "b"), ((200, 900), "b")]
)
def test_similar_periods_select_the_shorter_and_others_the_first(
    periods: tuple[float, float], chosen: str
) -> None:
    a, b = prediction(100, periods[0], 40), prediction(80, periods[1], 40)
    conflict = Conflict(Phase(80, 120, "b"), Phase(100, 140, "a"))
    assert select(conflict, b, a, Parameters()).job == chosen


def test_ranks_give_the_speedup_until_just_before_the_phase() -> None:
    """99 s of computing in as many iterations: one passes before the job can grow, one is left before it
    writes.
    """
    jobs = [job(name, prediction(200, 110, 10), ranks=1000, most=10**6) for name in "12"]
    found = shift(only_conflict(jobs, until=201), jobs, SURE)
    assert isinstance(found, Shift)
    assert (found.grow_at, found.restore_at) == (101, 199)
    speedup = relative_speedup(198 - 100, 10)
    assert speedup is not None
    assert 1000 + found.ranks == pytest.approx(1000 * speedup, abs=1)


def test_rounded_up_ranks_are_returned_earlier() -> None:
    """3 ranks in the place of 2 need 30 of 98 iterations for 10 s."""
    jobs = [job(name, prediction(200, 110, 10), ranks=2) for name in "12"]
    found = shift(only_conflict(jobs, until=201), jobs, SURE)
    assert isinstance(found, Shift)
    assert (found.ranks, found.restore_at - found.grow_at) == (1, 30)
    assert found.seconds == pytest.approx(10.0)


def test_late_ranks_are_returned_equally_later() -> None:
    jobs = [job(name, prediction(200, 110, 10), ranks=2, lag=7) for name in "12"]
    found = shift(only_conflict(jobs, until=201), jobs, SURE)
    assert isinstance(found, Shift)
    assert (found.ranks, found.grow_at, found.restore_at) == (1, 101, 138)
    assert found.seconds == pytest.approx(10.0)


def test_ranks_are_changed_at_checkpoints() -> None:
    jobs = [job(name, prediction(200, 110, 10), checkpoint_every=40) for name in "12"]
    found = shift(only_conflict(jobs, until=201), jobs, SURE)
    assert isinstance(found, Shift)
    assert (found.grow_at, found.restore_at) == (120, 160)


def test_resize_overhead_needs_more_ranks() -> None:
    def ranks(overhead: float) -> int:
        jobs = [
            job(name, prediction(200, 110, 10), 100, overhead=lambda more: overhead * more) for name in "12"
        ]
        found = shift(only_conflict(jobs, until=201), jobs, SURE)
        assert isinstance(found, Shift)
        return found.ranks

    assert ranks(0.0) < ranks(0.05) < ranks(0.2)


def test_shift_avoids_a_third_job_too() -> None:
    """Job 1 would come to lie where job 3 writes."""
    jobs = [
        job("1", prediction(100, 200, 10)),
        job("2", prediction(105, 220, 10)),
        job("3", prediction(86, 900, 11)),
    ]
    found = shift(only_conflict(jobs[:2]), jobs, SURE)
    assert isinstance(found, Shift)
    assert 110 - 86 - 1e-9 <= found.seconds < 110 - 86 + 1.9


def test_only_the_next_phase_of_a_job_is_shifted() -> None:
    """Job A writes thrice before its phase meets that of B, which is the first of the two."""
    jobs = [job("A", prediction(50, 50, 10)), job("B", prediction(195, 220, 10))]
    conflict = only_conflict(jobs, until=300)
    assert (conflict.first.job, conflict.second.number) == ("B", 3)
    found = shift(conflict, jobs, SURE)
    assert isinstance(found, Shift)
    assert found.job == "B"
    alone = [jobs[0], job("B", prediction(195, 220, 10), most=10)]
    impossible = shift(conflict, alone, SURE)
    assert isinstance(impossible, NotPossible)
    assert "earlier one" in impossible.reasons[1]


def test_other_job_is_shifted_when_one_cannot_be() -> None:
    jobs = [job("1", prediction(100, 200, 40), most=10), job("2", prediction(80, 220, 40))]
    found = shift(only_conflict(jobs), jobs, SURE)
    assert isinstance(found, Shift)
    assert found.job == "2"


def test_impossible_shift_reports_reasons() -> None:
    jobs = [
        job("1", prediction(100, 200, 40), most=10),
        job("2", prediction(80, 220, 40, next_iteration=103)),
    ]
    found = shift(only_conflict(jobs), jobs, SURE)
    assert isinstance(found, NotPossible)
    assert "1: no 10 ranks are" in found.reasons[0]
    assert "2: 20.0 s less than" in found.reasons[1]


def test_shift_without_remaining_checkpoint_reports_reason() -> None:
    """No checkpoint is left at which it would have them: what is left to compute is less than nothing."""
    jobs = [
        job("1", prediction(100, 200, 40), most=10),
        job("2", prediction(80, 220, 40, next_iteration=100)),
    ]
    found = shift(only_conflict(jobs), jobs, SURE)
    assert isinstance(found, NotPossible)
    assert found.reasons[1] == "2: no checkpoint is left before its phase at which it would have more ranks"


@pytest.mark.parametrize("unsure", [0, 1])
def test_unsure_predictions_cause_no_shift(unsure: int) -> None:
    sure = [1.0, 1.0]
    sure[unsure] = 0.5
    jobs = [
        job("1", prediction(100, 200, 40, confidence=sure[0])),
        job("2", prediction(80, 220, 40, confidence=sure[1])),
    ]
    found = shift(only_conflict(jobs), jobs, SURE)
    assert found == NotPossible((f"{unsure + 1}: its phases are predicted with a confidence of 0.50 only",))


@settings(deadline=None)
@given(
    starts=st.tuples(*[st.floats(100, 150)] * 3),
    periods=st.tuples(*[st.floats(120, 400)] * 3),
    durations=st.tuples(*[st.floats(1, 30)] * 3),
    uncertainty=st.floats(0, 5),
    ranks=st.integers(1, 300),
)
def test_shifted_phase_meets_no_other(
    starts: tuple[float, float, float],
    periods: tuple[float, float, float],
    durations: tuple[float, float, float],
    uncertainty: float,
    ranks: int,
) -> None:
    parameters = Parameters(uncertainty=uncertainty)
    jobs = [
        job(name, prediction(start, period, duration), ranks, most=10**6, overhead=lambda more: 0.1)
        for name, start, period, duration in zip("123", starts, periods, durations, strict=True)
    ]
    predicted = {each.name: each.prediction for each in jobs if each.prediction is not None}
    every = [phase for name, found in predicted.items() for phase in phases(name, found, 400, uncertainty)]
    for conflict in conflicts(predicted, 151, uncertainty):
        found = shift(conflict, jobs, parameters)
        if isinstance(found, NotPossible):
            continue
        assert found.seconds == pytest.approx(won(found, jobs))
        moved = conflict.first if conflict.first.job == found.job else conflict.second
        begin, end = moved.start - found.seconds + 1e-6, moved.end - found.seconds - 1e-6
        assert not [other for other in every if other.job != found.job and other.meets(Phase(begin, end, ""))]
