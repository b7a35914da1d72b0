# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: cores that jobs get, lend and give back, whatever goes wrong on the way."""

from collections.abc import Sequence

import pytest
from a_coordinator import Says, about, commands, coordinator, phase, with_jobs

from nereus.coordinator.coordination import Cancel, Coordinator, Note, Start
from nereus.coordinator.resources import ResourceError
from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.policies import Fair

LEND = Resize("a", 4, "to be faster", at=10, until=20)


def lent(cores: int = 8) -> Coordinator:
    """A job of 2 ranks that is told to have 2 more from iteration 10 to 20; commands 1 and 2."""
    made = with_jobs("a", policy=Says(LEND), cores=cores)
    assert made.free == cores - 4
    return made


def test_jobs_start_first_come_first_served_as_cores_become_free() -> None:
    jobs = coordinator()
    assert jobs.wants("a", 6, 0.0) == [Start("a", {"h1": 6})]
    assert jobs.wants("b", 4, 1.0) == []
    assert jobs.wants("c", 1, 1.0) == [], "c would have room, and comes behind b"
    assert jobs.wants("b", 4, 2.0) == [], "the same word again"
    assert jobs.waiting_for_cores == ("b", "c")
    assert jobs.ended("a", 3.0) == [Start("b", {"h1": 4}), Start("c", {"h1": 1})]
    jobs.came(about("b", 4), 4.0)
    assert jobs.free == 3
    with pytest.raises(ResourceError, match="9 cores: 1 to 8 are there"):
        jobs.wants("d", 9, 4.0)


def test_loan_is_sent_with_its_return_and_freed_when_returned() -> None:
    jobs = lent()
    (grow, back) = jobs.jobs["a"].commands.values()
    assert [(each.number, each.ranks, each.at) for each in (grow, back)] == [(1, 4, 10), (2, 2, 20)]
    jobs.resized("a", 1, {"h1": 4}, 10, 10.0)
    assert (jobs.free, list(jobs.jobs["a"].commands)) == (4, [2])
    jobs.resized("a", 2, {"h1": 2}, 20, 20.0)
    assert (jobs.free, list(jobs.jobs["a"].commands)) == (6, [])


def test_cores_are_counted_where_the_job_reports_them() -> None:
    jobs = Coordinator(Says(LEND), {"h1": 2, "h2": 4, "h3": 4})
    jobs.came(about("a"), 0.0)
    assert jobs.places("a") == {"h1": 2, "h2": 2}
    jobs.resized("a", 1, {"h1": 2, "h3": 2}, 10, 10.0)
    assert (jobs.places("a"), jobs.free) == ({"h1": 2, "h3": 2}, 6)
    jobs.resized("a", 2, {"h1": 1, "h3": 1}, 20, 20.0)
    assert (jobs.places("a"), jobs.free) == ({"h1": 1, "h3": 1}, 8)


def test_late_or_duplicate_resize_report_does_not_restore_an_old_size() -> None:
    jobs = lent()
    jobs.resized("a", 1, {"h1": 4}, 10, 10.0)
    jobs.resized("a", 2, {"h1": 2}, 20, 20.0)
    assert jobs.resized("a", 1, {"h1": 4}, 10, 21.0) == []
    assert jobs.resized("a", 0, {"h1": 6}, 15, 21.0) == []
    assert jobs.came(about("a", 4, iteration=12), 21.0) == []
    assert jobs.came(about("a", 4, iteration=20), 21.0) == [], "said just before it gave them back"
    assert (jobs.jobs["a"].ranks, jobs.free) == (2, 6)


def test_lost_report_is_covered_by_the_next() -> None:
    """The job carries commands out one after the other: it has done the first, too."""
    jobs = lent()
    jobs.resized("a", 2, {"h1": 2}, 20, 20.0)
    assert (list(jobs.jobs["a"].commands), jobs.free) == ([], 6)
    assert jobs.resized("a", 1, {"h1": 4}, 10, 21.0) == []


def test_command_is_done_although_a_later_message_reported_the_size_first() -> None:
    """Else it would count as under way for ever, and nothing more be decided for the job."""
    jobs = lent()
    jobs.came(about("a", 4, iteration=11), 11.0)
    jobs.resized("a", 1, {"h1": 4}, 10, 12.0)
    assert list(jobs.jobs["a"].commands) == [2]
    assert jobs.free == 4


def test_returning_job_is_taken_as_it_is_now() -> None:
    jobs = with_jobs("a")
    assert jobs.came(about("a"), 1.0) == []
    assert isinstance(jobs.came(about("a", 5, iteration=30), 2.0)[0], Note)
    assert (jobs.jobs["a"].ranks, jobs.free) == (5, 3)


def test_refused_loan_is_not_lent_and_not_requested_again_at_once() -> None:
    class Always(Policy):
        def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
            return [LEND]

    jobs = with_jobs("a", policy=Always(), cool_down_seconds=60.0)
    effects = jobs.refused("a", 1, "no room", 5.0)
    assert [type(each) for each in effects] == [Note, Cancel]
    assert jobs.free == 6
    assert jobs.refused("a", 1, "no room", 6.0) == [], "the same word again"
    assert commands(jobs.wrote("a", 1, 0, phase(6, 5), 7.0)) == []
    jobs.heard("a", 64.0)
    jobs.look(64.0)
    assert jobs.due == 65.0
    assert [each.number for each in commands(jobs.look(65.0))] == [3, 4]


def test_job_is_left_alone_for_a_known_period_after_a_refusal() -> None:
    policy = Says()
    jobs = with_jobs("a", policy=policy)
    for number in range(1, 5):
        jobs.wrote("a", number, 0, phase(20.0 * number, 10 * number), 20.0 * number + 1)
    policy.decided = [Resize("a", 4, "to be faster")]
    jobs.wrote("a", 5, 0, phase(100.0, 50), 101.0)
    jobs.refused("a", 1, "no room", 103.0)
    assert jobs.jobs["a"].left_alone_until == pytest.approx(123.0)


def test_unreturned_loan_is_requested_again_and_counted_until_then() -> None:
    jobs = lent()
    jobs.resized("a", 1, {"h1": 4}, 10, 10.0)
    jobs.refused("a", 2, "cannot shrink now", 20.0)
    assert jobs.free == 4
    jobs.heard("a", 79.0)
    (again,) = commands(jobs.look(80.0))
    assert (again.number, again.ranks, again.at) == (3, 2, None)
    jobs.resized("a", 3, {"h1": 2}, 25, 81.0)
    assert jobs.free == 6


def test_loan_is_owed_although_its_start_is_reported_after_the_refused_return() -> None:
    jobs = lent()
    jobs.refused("a", 2, "cannot shrink now", 20.0)
    assert jobs.free == 4
    jobs.resized("a", 1, {"h1": 4}, 10, 21.0)
    assert jobs.free == 4
    jobs.heard("a", 79.0)
    assert [each.ranks for each in commands(jobs.look(80.0))] == [2]


def test_voluntarily_returned_cores_are_not_requested_again() -> None:
    jobs = lent()
    jobs.resized("a", 1, {"h1": 4}, 10, 10.0)
    jobs.refused("a", 2, "cannot shrink now", 20.0)
    jobs.resized("a", 0, {"h1": 1}, 22, 30.0)
    assert jobs.free == 7
    jobs.heard("a", 79.0)
    assert commands(jobs.look(80.0)) == []


def test_job_that_ends_during_a_loan_frees_all_its_cores() -> None:
    jobs = lent()
    jobs.resized("a", 1, {"h1": 4}, 10, 10.0)
    jobs.ended("a", 12.0)
    assert jobs.free == 8


def test_new_job_recalls_a_loan_once() -> None:
    jobs = lent(cores=4)
    jobs.resized("a", 1, {"h1": 4}, 10, 10.0)
    effects = jobs.wants("b", 2, 11.0)
    assert [each.number for each in effects if isinstance(each, Cancel)] == [2]
    (back,) = commands(effects)
    assert (back.ranks, back.at) == (2, None)
    assert jobs.wants("b", 2, 12.0) == [*jobs.look(12.0)] == []
    assert Start("b", {"h1": 2}) in jobs.resized("a", 3, {"h1": 2}, 12, 13.0)


@pytest.mark.parametrize("grown", [False, True])
def test_loan_cancelled_before_it_began_is_free_whatever_the_job_did(grown: bool) -> None:
    """The job may have grown just before it heard that it should not."""
    jobs = lent(cores=4)
    effects = jobs.wants("b", 2, 5.0)
    assert [each.number for each in effects if isinstance(each, Cancel)] == [1, 2]
    if grown:
        assert commands(jobs.resized("a", 1, {"h1": 4}, 10, 6.0)) == []
        assert jobs.free == 0
    assert Start("b", {"h1": 2}) in jobs.resized("a", 3, {"h1": 2}, 11, 7.0)
    jobs.came(about("b"), 8.0)
    assert (jobs.free, jobs.places("a"), jobs.places("b")) == (0, {"h1": 2}, {"h1": 2})


def test_return_done_just_before_an_earlier_recall_counts_once() -> None:
    jobs = lent(cores=4)
    jobs.resized("a", 1, {"h1": 4}, 10, 10.0)
    jobs.wants("b", 2, 19.0)
    assert Start("b", {"h1": 2}) in jobs.resized("a", 2, {"h1": 2}, 20, 20.0)
    jobs.resized("a", 3, {"h1": 2}, 21, 21.0)
    assert (jobs.free, jobs.places("a")) == (0, {"h1": 2})


def test_end_of_the_borrowing_job_lets_the_next_start() -> None:
    jobs = lent(cores=4)
    jobs.resized("a", 1, {"h1": 4}, 10, 10.0)
    jobs.wants("b", 2, 11.0)
    assert Start("b", {"h1": 2}) in jobs.ended("a", 12.0)


def test_after_loans_cores_beyond_the_start_are_recalled() -> None:
    jobs = with_jobs("a", policy=Fair(), cores=8)
    jobs.resized("a", 1, {"h1": 8}, 5, 5.0)
    (back,) = commands(jobs.wants("b", 3, 6.0))
    assert (back.ranks, back.at, back.loan) == (5, None, None)
    assert jobs.look(7.0) == []
    effects = jobs.refused("a", back.number, "not now", 8.0)
    assert commands(effects) == [], "not again at once"
    jobs.heard("a", 60.0)
    (again,) = commands(jobs.look(68.0))
    assert again.ranks == 5
    assert Start("b", {"h1": 3}) in jobs.resized("a", again.number, {"h1": 5}, 9, 70.0)


def test_another_job_is_asked_when_one_refuses_to_give_back() -> None:
    policy = Says(Resize("a", 4, ""))
    jobs = with_jobs("a", "b", policy=policy, cores=8)
    jobs.resized("a", 1, {"h1": 4}, 1, 1.0)
    policy.decided = [Resize("b", 4, "")]
    jobs.wrote("b", 1, 0, phase(1, 1), 2.0)
    jobs.resized("b", 2, {"h1": 4}, 2, 3.0)
    (first,) = commands(jobs.wants("c", 2, 4.0))
    (second,) = commands(jobs.refused(first.job, first.number, "no", 5.0))
    assert {first.job, second.job} == {"a", "b"}


def test_overbooked_cores_of_an_unreserved_job_are_not_freed_twice() -> None:
    jobs = with_jobs("a", cores=4)
    jobs.came(about("b", 5), 1.0)
    assert jobs.free == 0
    jobs.ended("b", 2.0)
    assert jobs.free == 2
    (note,) = jobs.came(about("c", 3, host="elsewhere"), 3.0)
    assert note == Note("c", "came with 3 ranks, on hosts that this daemon does not manage: elsewhere")
    assert jobs.free == 2
