# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: hosts beyond the budget, or hours of them that are not counted."""

from math import inf

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nereus.coordinator.budget import LEAVE_SECONDS, Budget

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
STEPS = st.lists(st.tuples(st.floats(0, 5000), st.sampled_from("abc"), st.integers(0, 4)), max_size=30)


@UNHURRIED
@given(steps=STEPS, most=st.integers(1, 6), seconds=st.floats(1, 50_000))
def test_host_seconds_are_the_hosts_of_all_jobs_over_time(
    steps: list[tuple[float, str, int]], most: int, seconds: float
) -> None:
    budget, held, expected, now = Budget(most, seconds), dict.fromkeys("abc", 0), 0.0, 100.0
    budget.advance(now)
    for passed, job, hosts in steps:
        now += passed
        expected += passed * sum(held.values())
        held[job] = hosts
        budget.holds(job, hosts, now)
        assert budget.held == sum(held.values())
        assert budget.host_seconds == pytest.approx(expected)
        assert 0 <= budget.room <= most


@UNHURRIED
@given(steps=STEPS, seconds=st.floats(1, 50_000))
def test_spent_budget_gives_nothing_again(steps: list[tuple[float, str, int]], seconds: float) -> None:
    budget, now, was_spent = Budget(9, seconds), 0.0, False
    for passed, job, hosts in steps:
        now += passed
        budget.holds(job, hosts, now)
        was_spent = was_spent or budget.host_seconds + budget.held * LEAVE_SECONDS >= seconds
        assert budget.is_spent == was_spent
        assert not was_spent or (budget.room, budget.due) == (0, inf)


@UNHURRIED
@given(most=st.integers(1, 50), hosts=st.integers(1, 50), seconds=st.floats(1, 1e6))
def test_hosts_that_keep_to_the_budget_come_back_before_its_time_is_over(
    most: int, hosts: int, seconds: float
) -> None:
    budget = Budget(most, seconds)
    hosts = min(hosts, budget.room)
    if hosts == 0:
        return
    budget.holds("a", hosts, 0.0)
    assert not budget.is_spent
    due = budget.due
    assert due >= LEAVE_SECONDS
    budget.advance(due + 1e-6)
    assert budget.is_spent
    budget.holds("a", 0, due + LEAVE_SECONDS)
    assert budget.host_seconds <= seconds * (1 + 1e-9)


def test_without_hours_only_the_number_of_hosts_is_limited() -> None:
    budget = Budget(2)
    budget.holds("a", 2, 0.0)
    budget.advance(1e12)
    assert (budget.room, budget.is_spent, budget.due) == (2, False, inf)


def test_clock_that_goes_back_takes_no_time_back() -> None:
    budget = Budget(2)
    budget.holds("a", 1, 10.0)
    budget.advance(20.0)
    budget.advance(15.0)
    budget.advance(21.0)
    assert budget.host_seconds == 11.0


def test_hosts_of_jobs_that_ended_are_free() -> None:
    budget = Budget(2)
    budget.holds("a", 2, 0.0)
    budget.ended("a")
    budget.ended("b")
    assert budget.held == 0


@pytest.mark.parametrize(("hosts", "seconds"), [(0, 1.0), (-1, 1.0), (1, 0.0), (1, -1.0), (1, float("nan"))])
def test_budget_of_nothing_is_refused(hosts: int, seconds: float) -> None:
    with pytest.raises(ValueError, match="more than 0"):
        Budget(hosts, seconds)
