# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: jobs that are resized as the named policies say, and not more."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from nereus.policy.decisions import Resize, State
from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve
from nereus.policy.policies import BY_NAME
from nereus.policy.prediction import Prediction
from nereus.policy.turns import AllAtOnce, OneByOne, OneOfEachSet


def job(name: str, start: float, period: float, duration: float = 10.0, ranks: int = 50, **more: Any) -> Job:
    told = {"confidence": 1.0, **{key: more.pop(key) for key in ("confidence",) if key in more}}
    predicted = Prediction(start, period, duration, 0.0, 100, 200, **told)
    between = Curve(0.0, ranks * (period - duration), 0.0)
    return Job(name, ranks, 1000, 100, predicted, between, lambda more: 0.0, **more)


def decided(policy: str, jobs: Sequence[Job], free: int = 1000, **more: Any) -> list[Resize]:
    parameters = Parameters(uncertainty=2.0, settle=more.pop("settle", 0.0))
    found = BY_NAME[policy]().decide(State(0.0, jobs, free, **more), parameters)
    return [each for each in found if isinstance(each, Resize)]


def test_every_policy_name_exists_with_its_turn_order() -> None:
    orders = {name: type(policy().order) for name, policy in BY_NAME.items()}
    assert orders.pop("none") is AllAtOnce
    assert orders.pop("io-sets") is OneOfEachSet
    assert set(orders) >= {"blocking", "phase-shifting", "coupling", "fair", "speedup", "io-based"}
    assert {*orders.values()} == {OneByOne}


@pytest.mark.parametrize("policy", ["none", "blocking", "io-sets"])
def test_baseline_policies_resize_no_job(policy: str) -> None:
    assert decided(policy, [job("a", 100, 110), job("b", 101, 110)]) == []


def test_earliest_conflict_is_shifted_by_a_loan_until_before_the_phase() -> None:
    jobs = [job("a", 100, 110), job("b", 105, 110), job("c", 40, 500), job("d", 45, 500)]
    (found,) = decided("phase-shifting", jobs)
    assert found.job == "c"
    assert found.at == 101
    assert found.until is not None
    assert 101 < found.until < 200
    assert "would meet that of d by 7.0 s" in found.why


def test_conflict_of_a_job_being_resized_waits_and_the_next_is_handled() -> None:
    jobs = [job("a", 100, 110), job("b", 105, 110), job("c", 40, 500, resizing=True), job("d", 45, 500)]
    (found,) = decided("phase-shifting", jobs)
    assert found.job == "a"


def test_separate_or_uncertain_phases_cause_no_shift() -> None:
    apart = [job("a", 100, 110), job("b", 150, 110)]
    assert decided("phase-shifting", apart) == []
    unsure = [job("a", 100, 110), job("b", 105, 110, confidence=0.5)]
    assert decided("phase-shifting", unsure) == []


def test_periods_are_coupled_before_phases_are_shifted() -> None:
    """Use case D: of two jobs in each other's way the one with the longer period becomes faster for good."""
    jobs = [job("a", 100, 72.4, 5.0), job("b", 102, 91.3, 5.0)]
    (found,) = decided("coupling", jobs)
    assert (found.job, found.at, found.until) == ("b", None, None)
    assert found.ranks in (64, 65)
    together = [job("a", 100, 72.4, 5.0), job("b", 102, 72.4, 5.0)]
    (shifted,) = decided("coupling", together)
    assert shifted.until is not None


def test_jobs_without_conflict_are_not_coupled() -> None:
    """As the paper has it: nobody gets ranks for good to avoid what does not happen."""
    assert decided("coupling", [job("a", 100, 72.4, 5.0), job("b", 130, 80.0, 5.0)]) != []
    assert decided("coupling", [job("a", 100, 72.4, 5.0), job("b", 130, 70.0, 5.0)]) == []


def test_job_whose_partner_ended_gets_its_former_ranks() -> None:
    policy, parameters = BY_NAME["coupling"](), Parameters()
    one, other = job("a", 100, 72.4, 5.0), job("b", 130, 80.0, 5.0)
    (found,) = policy.decide(State(0.0, [one, other], 1000), parameters)
    assert isinstance(found, Resize)
    assert (found.job, found.ranks) != ("b", 50)
    coupled = job("b", 130, 72.7, 5.0, ranks=found.ranks)
    assert policy.decide(State(0.0, [one, coupled], 1000), parameters) == []
    (back,) = policy.decide(State(0.0, [coupled], 1000), parameters)
    assert isinstance(back, Resize)
    assert (back.job, back.ranks) == ("b", 50)
    assert "a, to which its period was coupled, has ended" in back.why
    assert policy.decide(State(0.0, [other], 1000), parameters) == []
    assert policy.decide(State(0.0, [coupled], 1000), parameters) == []


def test_coupled_job_resized_by_others_is_left_unchanged() -> None:
    policy, parameters = BY_NAME["coupling"](), Parameters()
    one, other = job("a", 100, 72.4, 5.0), job("b", 130, 80.0, 5.0)
    assert policy.decide(State(0.0, [one, other], 1000), parameters)
    assert policy.decide(State(0.0, [replace(other, ranks=7)], 1000), parameters) == []


def test_defaults_are_the_values_of_the_paper() -> None:
    parameters = Parameters()
    assert (parameters.uncertainty, parameters.overhead) == (2.0, 1.0)
    assert (parameters.window, parameters.least_phases) == (5, 3)


def test_job_with_equal_period_does_not_prevent_coupling_of_another() -> None:
    jobs = [job("a", 100, 72.4, 5.0), job("b", 150, 72.4, 5.0), job("c", 152, 91.3, 5.0)]
    (found,) = decided("coupling", jobs)
    assert found.job == "c"


@pytest.mark.parametrize("policy", ["fair", "speedup", "io-based"])
def test_free_cores_are_shared_when_jobs_have_settled(policy: str) -> None:
    jobs = [job("a", 100, 110), job("b", 105, 110, resizing=True)]
    (found,) = decided(policy, jobs, free=10)
    assert (found.job, found.ranks) == ("a", 60)
    assert decided(policy, jobs, free=0) == []
    assert decided(policy, jobs, free=10, settle=5.0, last_came=-4.0) == []


def test_io_based_policy_prefers_jobs_that_write_less() -> None:
    jobs = [job("writes", 100, 100, 40.0), job("computes", 100, 65, 5.0)]
    more = {each.job: each.ranks for each in decided("io-based", jobs, free=10)}
    assert more.get("computes", 50) > more.get("writes", 50)


def test_combined_policy_avoids_conflicts_before_it_shares_cores_out() -> None:
    jobs = [job("c", 40, 500), job("d", 45, 500)]
    assert decided("combined", jobs) == decided("phase-shifting", jobs) != []


@pytest.mark.parametrize(("free", "shared"), [(40, 26), (12, 0), (0, 0)])
def test_combined_policy_keeps_cores_for_shifts_when_it_shares_cores_out(free: int, shared: int) -> None:
    """A tenth of all cores, which are 140 at 40 free ones."""
    jobs = [job("a", 100, 400), job("b", 250, 400)]
    found = decided("combined", jobs, free)
    assert sum(each.ranks - 50 for each in found) == shared
    assert [each.until for each in found] == [None] * len(found)
    without = decided("io-based", jobs, shared)
    assert [(each.job, each.ranks) for each in found] == [(each.job, each.ranks) for each in without]
