# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: predictions of I/O that hold, and none where nothing can be foretold."""

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.policy.parameters import Parameters
from nereus.policy.prediction import IoPhase, Prediction, predict


def steady(
    number: int, period: float, service: float = 1.0, waits: Sequence[float] = (), ranks: int = 4
) -> list[IoPhase]:
    """Every 100 iterations; a wait moves all that follows."""
    made, start = [], 0.0
    for index in range(number):
        wait = waits[index] if index < len(waits) else 0.0
        made.append(IoPhase(start, wait, service, 100 * (index + 1), ranks))
        start += wait + period
    return made


@settings(deadline=None)
@given(st.floats(2, 1e4), st.lists(st.floats(0, 50), max_size=8), st.integers(3, 9))
def test_waiting_for_the_turn_is_excluded_from_the_period(
    period: float, waits: list[float], number: int
) -> None:
    phases = steady(number, period, waits=waits)
    found = predict(phases)
    assert found is not None
    assert found.period == pytest.approx(period)
    assert found.next_start == pytest.approx(phases[-1].start + phases[-1].wait + period)
    assert (found.duration, found.stride, found.next_iteration) == (1.0, 100, 100 * (number + 1))
    assert found.confidence == pytest.approx(1.0)


def test_resized_job_is_observed_anew() -> None:
    before, after = steady(5, 100.0, ranks=4), steady(5, 60.0, ranks=8)
    assert predict(before[:4] + after[:2]) is None
    found = predict(before[:4] + after[:3])
    assert found is not None
    assert found.period == 60.0


def test_time_gained_by_a_shift_does_not_shorten_the_period() -> None:
    """One period of 80 s, in which the job had more ranks; it has its own again where it writes."""
    starts = (0.0, 100.0, 200.0, 300.0, 380.0)
    phases = [IoPhase(start, 0, 1, 100 * k, 4, resized=start == 380.0) for k, start in enumerate(starts)]
    found = predict(phases)
    assert found is not None
    assert (found.period, found.next_start, found.confidence) == (100.0, 480.0, 1.0)


def test_nonconsecutive_phases_give_no_period() -> None:
    phases = [IoPhase(100.0 * k, 0, 1, 100 * k, 8 if k == 3 else 4) for k in range(6)]
    assert predict(phases) is None
    assert predict([*phases, IoPhase(600.0, 0, 1, 600, 4)]) is not None


def test_job_that_is_always_resized_has_no_prediction() -> None:
    assert predict([IoPhase(100.0 * k, 0, 1, 100 * k, 4, resized=True) for k in range(6)]) is None


def test_no_phase_is_predicted_within_the_previous_one() -> None:
    """The last one took very long."""
    phases = [
        IoPhase(start, 0, service, 100 * k, 4)
        for k, (start, service) in enumerate(((0, 9), (10, 9), (20, 30)))
    ]
    found = predict(phases)
    assert found is not None
    assert found.next_start == 51
    assert found.period > found.duration == 16


@pytest.mark.parametrize(("period", "stride"), [(0.0, 10), (10.0, 0), (math.nan, 10)])
def test_phases_without_time_or_iterations_between_give_no_prediction(period: float, stride: int) -> None:
    assert predict([IoPhase(period * k, 0, 1, stride * k, 4) for k in range(6)]) is None


def test_old_phases_are_forgotten() -> None:
    slow, fast = steady(4, 100.0), steady(6, 50.0)
    shifted = [IoPhase(phase.start + 400, 0, 1, phase.iteration + 400, 4) for phase in fast]
    found = predict([*slow, *shifted])
    assert found is not None
    assert found.period == 50.0


def test_confidence_decreases_with_irregularity() -> None:
    noise = random.Random(1)

    def confidence(spread: float) -> float:
        phases = [IoPhase(100 * k + noise.uniform(-spread, spread), 0, 1, 100 * (k + 1), 4) for k in range(6)]
        found = predict(phases)
        assert found is not None
        return found.confidence

    sure, hardly, not_at_all = confidence(0.1), confidence(10), confidence(45)
    assert sure > 0.99 > hardly > not_at_all
    assert not_at_all < Parameters().least_confidence


def test_irregular_iterations_give_low_confidence() -> None:
    phases = [IoPhase(100.0 * k, 0, 1, iteration, 4) for k, iteration in enumerate((10, 20, 45, 50, 81, 90))]
    found = predict(phases)
    assert found is not None
    assert found.confidence < Parameters().least_confidence


def test_ninth_phase_is_eight_periods_after_the_next() -> None:
    prediction = Prediction(100.0, 50.0, 8.49, 0.0, 100, 300, 1.0)
    assert prediction.phase(0, uncertainty=2.0) == pytest.approx((100.0, 110.49))  # paper, section 5.1
    assert prediction.phase(8) == (500.0, 508.49)


def test_more_ranks_shorten_only_the_time_without_io() -> None:
    prediction = Prediction(100.0, 50.0, 10.0, 0.0, 100, 300, 1.0)  # the last one ended at 60
    faster = prediction.scaled(0.5)
    assert (faster.period, faster.duration, faster.next_start) == (30.0, 10.0, 80.0)
