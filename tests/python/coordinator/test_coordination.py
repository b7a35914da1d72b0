# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: jobs that get their turns, whatever goes wrong on the way."""

from collections.abc import Sequence
from math import inf, nan
from typing import Any

import pytest
from a_coordinator import Says, about, commands, coordinator, phase, with_jobs

from nereus.coordinator.coordination import Coordinator, Effect, Note
from nereus.coordinator.known_jobs import About, Command
from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Measured
from nereus.policy.policies import Blocking, Fair, PhaseShifting, Uncoordinated
from nereus.policy.prediction import IoPhase
from nereus.policy.turns import Grant, Request


def granted(effects: Sequence[Effect]) -> list[str]:
    return [each.job for each in effects if isinstance(each, Grant)]


def test_dead_job_with_or_awaiting_its_turn_does_not_block_others() -> None:
    jobs = with_jobs("a", "b", "c")
    assert [granted(jobs.asks_to_write(name, 1, 10, 1.0)) for name in "abc"] == [["a"], [], []]
    assert granted(jobs.ended("b", 2.0)) == []
    assert granted(jobs.ended("a", 3.0)) == ["c"]


def test_silent_job_loses_its_turn_and_then_its_cores() -> None:
    jobs = with_jobs("a", "b", lease=10.0, silence=30.0)
    jobs.asks_to_write("a", 1, 10, 1.0)
    jobs.asks_to_write("b", 1, 10, 2.0)
    assert jobs.due == 11.0
    assert granted(jobs.look(11.0)) == ["b"]
    jobs.heard("b", 30.0)
    ended = jobs.look(31.0)
    assert [type(each) for each in ended] == [Note]
    assert (list(jobs.jobs), jobs.free) == (["b"], 6)


def test_silent_job_is_found_at_the_due_time() -> None:
    jobs = with_jobs("a", silence=30.0)
    jobs.heard("a", 1.0)
    looks = 0
    while jobs.jobs:
        assert jobs.due is not None
        looks += 1
        assert looks <= 2, "once for when it might have been, and once for when it was"
        jobs.look(jobs.due)
    assert jobs.due is None


def test_turn_is_renewed_only_by_messages_that_name_it() -> None:
    """Else the others would wait for the end of a job of which the word was lost that it has written."""
    jobs = with_jobs("a", "b", lease=10.0)
    jobs.asks_to_write("a", 1, 10, 0.0)
    jobs.asks_to_write("b", 1, 10, 0.0)
    assert jobs.writes_still("a", 1, 9.0)
    assert not jobs.writes_still("a", 7, 9.0)
    assert (jobs.look(10.0), jobs.due) == ([], 19.0)
    jobs.heard("a", 18.0)
    assert granted(jobs.look(19.0)) == ["b"]


def test_request_and_grant_may_be_lost_or_duplicated() -> None:
    jobs = with_jobs("a", "b")
    first = jobs.asks_to_write("a", 1, 10, 1.0)
    again = jobs.asks_to_write("a", 1, 10, 1.25)
    assert [each.epoch for each in [*first, *again] if isinstance(each, Grant)] == [1, 1]
    jobs.asks_to_write("b", 1, 10, 2.0)
    assert granted(jobs.wrote("a", 1, 1, phase(1, 10), 3.0)) == ["b"]
    assert jobs.wrote("a", 1, 1, phase(1, 10), 4.0) == [], "the same word again"
    assert jobs.asks_to_write("a", 1, 10, 5.0) == [], "a late request for a phase that is over"
    assert not jobs.jobs["a"].writes
    assert len(jobs.jobs["a"].phases) == 1


def test_phase_counts_although_reported_after_the_next_request() -> None:
    jobs = with_jobs("a")
    jobs.asks_to_write("a", 1, 10, 1.0)
    (grant,) = jobs.asks_to_write("a", 2, 20, 11.0)
    assert isinstance(grant, Grant)
    jobs.wrote("a", 1, 1, phase(1, 10), 12.0)
    assert [each.iteration for each in jobs.jobs["a"].phases] == [10]
    assert [each.epoch for each in jobs.turns.writing] == [grant.epoch] == [2], "that of the second phase"
    assert jobs.jobs["a"].writes


def test_writing_without_a_turn_is_reported() -> None:
    jobs = with_jobs("a", "b", "c")
    jobs.asks_to_write("a", 1, 10, 1.0)
    jobs.asks_to_write("b", 1, 10, 1.0)
    jobs.asks_to_write("c", 1, 10, 1.0)
    assert jobs.wrote("b", 1, 0, phase(3, 10), 4.0) == [Note("b", "its I/O phase 1 ended without a turn")]
    assert granted(jobs.wrote("a", 1, 1, phase(1, 10), 5.0)) == ["c"]


@pytest.mark.parametrize(
    ("decided", "why"),
    [
        (Resize("a", 0, ""), "1 to 5 ranks are allowed"),
        (Resize("a", 6, ""), "1 to 5 ranks are allowed"),
        (Resize("a", 5, ""), "3 cores: 1 to 2 are free"),
        (Resize("a", 3, "", at=20, until=20), "before it begins"),
    ],
)
def test_invalid_decision_is_dropped_and_noted_once(decided: Resize, why: str) -> None:
    class Always(Policy):
        def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
            return [decided, Resize("nobody", 3, "")]

    jobs = coordinator(Always(), cores=4)
    dropped = jobs.came(about("a", most=5), 0.0)[-1]
    assert isinstance(dropped, Note)
    assert dropped.text.endswith(why)
    assert jobs.ended("nobody", 1.0) == []
    assert not jobs.jobs["a"].commands


def test_policy_is_asked_after_events_and_when_jobs_have_settled() -> None:
    policy = Says()
    jobs = coordinator(policy, settle=5.0, silence=inf)
    jobs.came(about("a"), 0.1)
    asked = policy.asked
    for _ in range(3):
        jobs.heard("a", 1.0, 10)
        jobs.look(1.0)
    assert policy.asked == asked
    due = jobs.due
    assert due == 5.1
    jobs.look(due)
    assert policy.asked == asked + 1
    assert jobs.due is None


def test_cores_are_shared_only_after_jobs_have_settled() -> None:
    jobs = with_jobs("a", policy=Fair(), settle=0.3)
    assert commands(jobs.came(about("b"), 0.1)) == []
    assert jobs.due is not None
    shared = commands(jobs.look(jobs.due))
    assert [(each.job, each.ranks) for each in shared] == [("a", 4), ("b", 4)]


def in_each_others_way(profiled: tuple[int, ...], said: list[Effect], phases: int = 3) -> Coordinator:
    """Both compute 90 s and write for 10; b asks when a has written for 4 s and so waits for 6, once."""
    profile = [Measured(ranks, 1.8 / ranks) for ranks in profiled]
    jobs = coordinator(PhaseShifting(), cores=32, silence=inf)
    for name in "ab":
        jobs.came(about(name, profile=profile), 0.0)
    for number in range(1, phases + 1):
        for name, start, wait in (("a", 100.0, 0.0), ("b", 104.0 if number == 1 else 110.0, 6.0)):
            began = start + 100.0 * (number - 1)
            waited = wait if number == 1 else 0.0
            jobs.asks_to_write(name, number, 100 * number, began)
            epoch = jobs.turns.last_epoch
            told = phase(began, 100 * number, waited, 10.0)
            effects = jobs.wrote(name, number, epoch, told, told.end)
            assert (not commands(effects)) or (name, number) == ("b", 3)
            said += effects
    return jobs


def test_conflicting_equal_periods_are_separated_by_a_temporary_loan() -> None:
    """Use case C: behind one delay the phases touch, and with the uncertainty they would meet again."""
    jobs = in_each_others_way((1, 2, 4), [])
    (grow, back) = jobs.jobs["a"].commands.values()
    assert grow.ranks > 2
    assert back.ranks == 2
    assert grow.at is not None
    assert back.at is not None
    assert 300 < grow.at < back.at < 400
    foretold = {name: jobs.prediction(name) for name in "ab"}
    assert foretold["a"] is not None
    assert foretold["b"] is not None
    assert foretold["a"].phase(0, 2.0)[1] <= foretold["b"].next_start
    assert foretold["a"].period == pytest.approx(100.0)


def test_reason_for_an_unavoided_conflict_is_reported_once() -> None:
    said: list[Effect] = []
    in_each_others_way((2,), said, phases=6)
    assert not commands(said)
    (why,) = [each.text for each in said if isinstance(each, Note)]
    assert why.startswith("its next I/O phase will meet that of b by")
    assert "how fast it is on other numbers of ranks than 2 is not known" in why


def test_irregular_job_causes_no_shift() -> None:
    jobs = with_jobs("a", "b", policy=PhaseShifting(), silence=inf)
    for number, (start, iteration) in enumerate([(10, 3), (17, 90), (60, 91), (61.5, 400), (200, 410)], 1):
        for name in "ab":
            assert commands(jobs.wrote(name, number, 0, phase(start, iteration), start + 1.0)) == []


def test_restart_grants_no_turn_twice_and_loses_no_core() -> None:
    jobs = Coordinator(Blocking(), {"h1": 10}, last_epoch=7)
    told = [Command(5, "a", 2, 20, "returns lent cores", loan=1), Command(3, "b", 4, None, "")]
    times = [IoPhase(10.0 * number, 0.0, 1.0, 5 * number, 4) for number in range(4)]
    jobs.resume([(Request("a", 3), Grant("a", 7, 10.0))], told, {"a": (times, [Measured(4, 2.0)])})
    jobs.came(about("b"), 1.0)
    assert jobs.asks_to_write("b", 1, 10, 2.0) == [], "a has its turn, and is not there yet"
    jobs.came(about("a", 4), 3.0)
    assert jobs.free == 2, "4 of a, 2 of b, and 2 that b was promised"
    assert jobs.prediction("a") is not None
    assert granted(jobs.wrote("a", 3, 7, phase(1, 20), 4.0)) == ["b"]
    back = commands(jobs.wants("c", 4, 5.0))
    assert [(each.number, each.job, each.ranks) for each in back] == [(6, "a", 2)]
    assert jobs.turns.last_epoch == 8


def test_three_simultaneous_jobs_write_in_order_of_their_requests() -> None:
    jobs = with_jobs("a", "b", "c")
    order = [job for name in "cab" for job in granted(jobs.asks_to_write(name, 1, 10, 1.0))]
    for epoch in (1, 2):
        order += granted(jobs.wrote(order[-1], 1, epoch, phase(1, 10), 2.0))
    assert order == ["c", "a", "b"]


def test_invalid_values_of_a_job_have_no_effect_on_others() -> None:
    jobs = with_jobs("a", "b", policy=Uncoordinated())
    for seconds in (nan, inf, -1.0, 0.0):
        jobs.measured("a", 2, seconds, 1.0)
        jobs.wrote("a", 1, 0, IoPhase(seconds, seconds, seconds, 5, 0), 1.0)
        jobs.resized("a", 0, {"h1": 3}, 5, 1.0, overhead=seconds)
    jobs.measured("a", 0, 1.0, 1.0)
    jobs.asks_to_write("a", 0, -5, 1.0)
    jobs.wrote("a", -1, 0, phase(1, 1), 1.0)
    jobs.resized("a", 99, {}, 6, 1.0)
    jobs.resized("a", 99, {"h1": -2, "h2": 4}, 6, 1.0)
    jobs.refused("a", 99, "", 1.0)
    jobs.heard("a", -5.0, -7)
    for said in (jobs.ended("x", 1.0), jobs.asks_to_write("x", 1, 1, 1.0), jobs.refused("x", 1, "", 1.0)):
        assert said == []
    assert jobs.resized("x", 1, {"h1": 1}, 1, 1.0) == jobs.measured("x", 1, 1.0, 1.0) == []
    assert (jobs.jobs["a"].ranks, jobs.free) == (3, 3)
    assert jobs.jobs["a"].job(2.0, 3, Parameters()).ranks == 3


@pytest.mark.parametrize(
    "wrong", [{"places": {}}, {"places": {"h1": -1, "h2": 5}}, {"most": 0}, {"checkpoint_every": 0}]
)
def test_invalid_job_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="from 1 are allowed"):
        About(**{"name": "a", "places": {"h1": 1}, "most": 4, **wrong})
