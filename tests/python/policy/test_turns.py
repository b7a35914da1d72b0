# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a store that one job has for itself, and a turn that comes."""

import math
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nereus.policy.turns import AllAtOnce, Grant, OneByOne, OneOfEachSet, Request, Turns

JOBS = st.sampled_from("abcde")


class OneJobWrites(RuleBasedStateMachine):
    """Messages come in any order, twice, late, or never."""

    def __init__(self) -> None:
        super().__init__()
        self.turns = Turns(OneByOne(), lease=10.0)
        self.now = 0.0
        self.asked: dict[str, int] = {}  # phases that each job ever had
        self.sent: list[Request] = []
        self.told: list[Grant] = []
        self.phases: dict[int, int] = {}  # of each epoch
        self.order: list[str] = []

    def note(self, granted: list[Grant]) -> None:
        for grant in granted:
            if grant.epoch not in self.phases:
                assert grant.job == self.order.pop(0), "first come, first served"
                assert grant.epoch > max(self.phases, default=0)
                self.told.append(grant)
                self.phases[grant.epoch] = self.asked[grant.job]

    @rule(job=JOBS)
    def ask_for_the_next_phase(self, job: str) -> None:
        self.asked[job] = self.asked.get(job, 0) + 1
        self.sent.append(Request(job, self.asked[job]))
        if job not in self.order:
            self.order.append(job)
        self.note(self.turns.ask(self.sent[-1], self.now))

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def an_old_request_comes_once_more(self, data: Any) -> None:
        request = data.draw(st.sampled_from(self.sent))
        before = ([grant.epoch for grant in self.turns.writing], self.turns.waiting)
        is_latest = request.number == self.asked.get(request.job)
        if not is_latest:
            assert self.turns.ask(request, self.now) == []
            assert ([grant.epoch for grant in self.turns.writing], self.turns.waiting) == before

    @precondition(lambda self: self.told)
    @rule(data=st.data())
    def done(self, data: Any) -> None:
        grant = data.draw(st.sampled_from(self.told))
        still = [each.epoch for each in self.turns.writing if each != grant and each.job != grant.job]
        self.note(self.turns.done(grant.job, self.phases[grant.epoch], self.now))
        assert {*still} <= {each.epoch for each in self.turns.writing}, "it ends nobody else's turn"

    @precondition(lambda self: self.order)
    @rule(data=st.data())
    def go_on_without_a_turn(self, data: Any) -> None:
        job = data.draw(st.sampled_from(self.order))
        self.order.remove(job)
        self.note(self.turns.done(job, self.asked[job], self.now))

    @precondition(lambda self: self.told)
    @rule(data=st.data())
    def renew(self, data: Any) -> None:
        grant = data.draw(st.sampled_from(self.told))
        writing = {each.epoch for each in self.turns.writing}
        assert self.turns.renew(grant.job, grant.epoch, self.now) == (grant.epoch in writing)

    @rule(job=JOBS)
    def end(self, job: str) -> None:
        self.order = [each for each in self.order if each != job]
        self.sent = [each for each in self.sent if each.job != job]
        self.told = [each for each in self.told if each.job != job]
        self.asked.pop(job, None)
        self.note(self.turns.gone(job, self.now))

    @rule(seconds=st.floats(0, 20))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.note(self.turns.expire(self.now))
        assert all(grant.until > self.now for grant in self.turns.writing), (
            "a turn that is over is taken back"
        )

    @invariant()
    def one_job_writes_and_none_waits_needlessly(self) -> None:
        assert len(self.turns.writing) <= 1
        assert self.turns.writing or not self.turns.waiting
        assert [request.job for request in self.turns.waiting] == self.order


OneJobWrites.TestCase.settings = settings(max_examples=100, deadline=None)
TestOneJobWrites = OneJobWrites.TestCase


def test_lost_grant_is_repeated_with_a_new_lease() -> None:
    turns = Turns(OneByOne(), lease=10)
    assert turns.ask(Request("a", 1), 0) == [Grant("a", 1, 10)]
    turns.ask(Request("b", 1), 1)
    assert turns.ask(Request("a", 1), 9) == [Grant("a", 1, 19)]
    assert turns.expire(15) == []


def test_late_end_of_an_old_turn_does_not_end_a_new_one() -> None:
    """The word that phase 1 is over comes behind the request for phase 2, which says so too."""
    turns = Turns(OneByOne(), lease=10)
    turns.ask(Request("a", 1), 0)
    (new,) = turns.ask(Request("a", 2), 2)
    assert turns.done("a", 1, 3) == []
    assert turns.writing == [new]


def test_repeated_request_gives_no_turn_to_a_finished_phase() -> None:
    turns = Turns(OneByOne(), lease=10)
    turns.ask(Request("a", 1), 0)
    turns.done("a", 1, 1)
    assert turns.ask(Request("a", 1), 2) == []
    assert not turns.writing
    assert not turns.waiting


def test_silent_job_loses_its_turn_and_may_request_again() -> None:
    turns = Turns(OneByOne(), lease=10)
    turns.ask(Request("a", 1), 0)
    turns.ask(Request("b", 1), 1)
    assert turns.expire(9.9) == []
    assert [grant.job for grant in turns.expire(10)] == ["b"]
    assert not turns.renew("a", 1, 11)
    turns.ask(Request("a", 1), 12)
    assert [request.job for request in turns.waiting] == ["a"]


def test_job_that_continued_at_its_grant_does_not_block_others() -> None:
    turns = Turns(OneByOne(), lease=10)
    turns.ask(Request("a", 1), 0)
    turns.ask(Request("b", 1), 1)
    turns.ask(Request("c", 1), 1)
    assert turns.done("b", 1, 2) == [], "it waits no longer"
    assert [grant.job for grant in turns.done("a", 1, 3)] == ["c"]
    assert turns.done("c", 1, 4) == [], "without a word of its grant"
    assert not turns.writing


@pytest.mark.parametrize(("number", "period"), [(0, 1.0), (1, 0.0), (1, -1.0), (1, math.nan), (1, math.inf)])
def test_invalid_request_is_refused(number: int, period: float) -> None:
    with pytest.raises(ValueError, match="numbers from 1"):
        Request("a", number, period)


def test_restart_does_not_grant_a_turn_twice() -> None:
    before = Turns(OneByOne(), lease=10)
    (held,) = before.ask(Request("a", 1), 0)
    after = Turns(OneByOne(), lease=10, last_epoch=before.last_epoch)
    after.resume([(Request("a", 1), held)])
    assert after.ask(Request("b", 1), 1) == []
    (given,) = after.done("a", 1, 2)
    assert (given.job, given.epoch) == ("b", 2)


def test_all_at_once_grants_everyone_immediately() -> None:
    turns = Turns(AllAtOnce(), lease=10)
    assert [turns.ask(Request(job, 1), 0)[0].job for job in "abc"] == ["a", "b", "c"]


class AdmitsNobody:
    def admits(self, request: Request, writing: Iterable[Request]) -> bool:
        return False


def test_order_that_admits_nobody_does_not_block_forever() -> None:
    turns = Turns(AdmitsNobody(), lease=10)
    assert [grant.job for job in "abc" for grant in turns.ask(Request(job, 1), 0)] == ["a"]
    assert [grant.job for grant in turns.done("a", 1, 1)] == ["b"]
    assert [grant.job for grant in turns.expire(11)] == ["c"]


@pytest.mark.parametrize(
    ("periods", "writing"),
    [((100.0, 120.0), ["a"]), ((100.0, 10.0), ["a", "b"]), ((None, None), ["a"]), ((None, 10.0), ["a", "b"])],
)
def test_jobs_of_different_sets_write_together(
    periods: tuple[float | None, float | None], writing: list[str]
) -> None:
    turns = Turns(OneOfEachSet(), lease=10)
    for job, period in zip("ab", periods, strict=True):
        turns.ask(Request(job, 1, period), 0)
    assert [grant.job for grant in turns.writing] == writing


def test_waiting_jobs_write_when_the_order_changes_to_all_at_once() -> None:
    turns = Turns(OneByOne(), lease=10.0)
    assert [grant.job for grant in turns.ask(Request("a", 1), 0.0)] == ["a"]
    assert turns.ask(Request("b", 1), 0.0) == turns.ask(Request("c", 1), 0.0) == []
    assert [grant.job for grant in turns.change_order(AllAtOnce(), 1.0)] == ["b", "c"]
    assert (len(turns.writing), turns.waiting) == (3, [])


def test_writing_jobs_go_on_when_the_order_changes_to_one_by_one() -> None:
    turns = Turns(AllAtOnce(), lease=10.0)
    held = [turns.ask(Request(job, 1), 0.0)[0] for job in "ab"]
    assert turns.change_order(OneByOne(), 1.0) == []
    assert turns.writing == held
    assert turns.ask(Request("c", 1), 1.0) == turns.done("a", 1, 2.0) == []
    assert [grant.job for grant in turns.done("b", 1, 3.0)] == ["c"]
