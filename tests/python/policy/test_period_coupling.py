# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: jobs whose I/O phases keep their distance."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve
from nereus.policy.period_coupling import Coupling, couple
from nereus.policy.prediction import Prediction


def job(name: str, period: float, duration: float = 10.0, ranks: int = 50, most: int = 1000) -> Job:
    predicted = Prediction(100.0, period, duration, 0.0, 100, 200, 1.0)
    between = Curve(0.0, ranks * (period - duration), 0.0)
    return Job(name, ranks, most, 100, predicted, between, lambda more: 0.0)


@settings(deadline=None)
@given(
    short=st.floats(20, 300),
    long=st.floats(20, 3000),
    durations=st.tuples(st.floats(1, 10), st.floats(1, 10)),
    ranks=st.integers(1, 1000),
)
def test_longer_period_becomes_a_multiple_of_the_shorter(
    short: float, long: float, durations: tuple[float, float], ranks: int
) -> None:
    assume(short < long)
    jobs = [job("short", short, durations[0], ranks), job("long", long, durations[1], ranks, most=10**6)]
    found = couple(jobs[0], jobs[1], Parameters())
    assert found == couple(jobs[1], jobs[0], Parameters()), "whichever is named first"
    if isinstance(found, str):
        assert "already" in found or "alone" in found or "are wanted" in found
        return
    assert found.job == "long"
    assert found.ranks != 0
    assert found.period == pytest.approx(durations[1] + jobs[1].between.seconds(ranks + found.ranks))
    assert abs(found.period - round(found.period / short) * short) <= 0.02 * short * (1 + 1e-9)
    assert long - short * 1.03 < found.period <= long * 1.05 + 0.03 * short


def test_slight_slowdown_is_preferred_to_twice_as_many_ranks() -> None:
    found = couple(job("a", 220.0), job("b", 425.0), Parameters())
    assert isinstance(found, Coupling)
    assert found.period == pytest.approx(440, abs=4.4)
    assert found.ranks == -2
    faster = couple(job("a", 220.0), job("b", 400.0), Parameters())
    assert isinstance(faster, Coupling)
    assert faster.period == pytest.approx(220, abs=4.4)
    assert faster.ranks in (42, 43)


def test_period_unreachable_with_few_ranks_is_left_unchanged() -> None:
    """2 ranks with a period of 150 s come to 80 s with 4 and 103 s with 3; 100 are wanted."""
    found = couple(job("a", 100.0), job("b", 150.0, ranks=2), Parameters())
    assert isinstance(found, str)
    assert "103.3 s with 3 ranks, 100.0 s are wanted" in found


def test_large_multiple_is_matched_within_the_uncertainty() -> None:
    found = couple(job("a", 100.0), job("b", 1019.0, ranks=500), Parameters())
    assert isinstance(found, Coupling)
    assert found.period == pytest.approx(1000, abs=2)


def test_jobs_with_unpredictable_io_are_not_coupled() -> None:
    unsure = Prediction(100.0, 150.0, 10.0, 0.0, 100, 200, 0.5)
    nothing = Job("c", 50, 60, 100, None, Curve(0, 1, 0), lambda more: 0.0)
    for other in (Job("b", 50, 60, 100, unsure, Curve(0, 1, 0), lambda more: 0.0), nothing):
        found = couple(job("a", 100.0), other, Parameters())
        assert isinstance(found, str)
        assert f"{other.name}: when it writes" in found


@pytest.mark.parametrize("longer", [220.0, 223.0, 440.0, 436.0])
def test_matching_periods_are_left_unchanged(longer: float) -> None:
    found = couple(job("a", 220.0), job("b", longer), Parameters())
    assert isinstance(found, str)
    assert "already" in found


def test_same_program_gets_as_many_ranks_as_the_other_job() -> None:
    """As in use case D (section 5.1), where it was 57 to 59 instead of 64 on a real machine."""
    both = Curve(0.0, 64 * 67.4, 0.0)
    jobs = [
        Job(
            name,
            ranks,
            200,
            100,
            Prediction(0, both.seconds(ranks) + 5, 5, 0, 100, 200, 1),
            both,
            lambda more: 0.0,
        )
        for name, ranks in (("1", 64), ("2", 50))
    ]
    found = couple(jobs[0], jobs[1], Parameters())
    assert isinstance(found, Coupling)
    assert (found.job, found.ranks) == ("2", 14)
    assert found.period == pytest.approx(72.4)


def test_unreachable_period_is_reported() -> None:
    found = couple(job("a", 100.0), job("b", 150.0, most=60), Parameters())
    assert isinstance(found, str)
    assert "b reaches 126.7 s with 60 ranks, 100.0 s are wanted" in found
