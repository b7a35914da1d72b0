# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a store that one job has for itself, and a turn that comes."""

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
        self.told: list[Grant] = []
        self.order: list[str] = []

    def note(self, granted: list[Grant]) -> None:
        for grant in granted:
            if grant not in self.told:
                assert grant.job == self.order.pop(0), "first come, first served"
                assert grant.epoch > max((each.epoch for each in self.told), default=0)
                self.told.append(grant)

    @rule(job=JOBS)
    def ask(self, job: str) -> None:
        has_turn = any(grant.job == job for grant in self.turns.writing)
        if job not in self.order and not has_turn:
            self.order.append(job)
        self.note(self.turns.ask(Request(job, self.now), self.now))

    @precondition(lambda self: self.told)
    @rule(data=st.data())
    def done(self, data: Any) -> None:
        grant = data.draw(st.sampled_from(self.told))
        self.note(self.turns.done(grant.job, grant.epoch, self.now))

    @precondition(lambda self: self.told)
    @rule(data=st.data())
    def renew(self, data: Any) -> None:
        grant = data.draw(st.sampled_from(self.told))
        writing = {each.epoch for each in self.turns.writing}
        assert self.turns.renew(grant.job, grant.epoch, self.now) == (grant.epoch in writing)
        self.told = [*self.told, *[each for each in self.turns.writing if each not in self.told]]

    @rule(job=JOBS)
    def end(self, job: str) -> None:
        self.order = [each for each in self.order if each != job]
        self.note(self.turns.gone(job, self.now))

    @rule(seconds=st.floats(0, 20))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.note(self.turns.expire(self.now))

    @invariant()
    def one_writes_and_nobody_waits_for_nothing(self) -> None:
        assert len(self.turns.writing) <= 1
        assert self.turns.writing or not self.turns.waiting
        assert [request.job for request in self.turns.waiting] == self.order


OneJobWrites.TestCase.settings = settings(max_examples=100, deadline=None)
TestOneJobWrites = OneJobWrites.TestCase


def test_a_grant_that_was_lost_is_told_again() -> None:
    turns = Turns(OneByOne(), lease=10)
    first = turns.ask(Request("a", 0), 0)
    assert turns.ask(Request("a", 1), 1) == first == [Grant("a", 1, 10)]


def test_a_late_word_of_an_old_turn_ends_no_new_one() -> None:
    turns = Turns(OneByOne(), lease=10)
    (old,) = turns.ask(Request("a", 0), 0)
    turns.done("a", old.epoch, 1)
    (new,) = turns.ask(Request("a", 2), 2)
    assert turns.done("a", old.epoch, 3) == []
    assert turns.writing == [new]


def test_a_job_that_is_silent_loses_its_turn_to_the_next() -> None:
    turns = Turns(OneByOne(), lease=10)
    turns.ask(Request("a", 0), 0)
    turns.ask(Request("b", 1), 1)
    assert turns.expire(9.9) == []
    assert [grant.job for grant in turns.expire(10)] == ["b"]
    assert not turns.renew("a", 1, 11)


def test_behind_a_restart_a_turn_is_not_given_twice() -> None:
    before = Turns(OneByOne(), lease=10)
    (held,) = before.ask(Request("a", 0), 0)
    after = Turns(OneByOne(), lease=10, last_epoch=before.last_epoch)
    after.resume([(Request("a", 0), held)])
    assert after.ask(Request("b", 1), 1) == []
    (given,) = after.done("a", held.epoch, 2)
    assert (given.job, given.epoch) == ("b", 2)


def test_all_at_once_holds_nobody_up() -> None:
    turns = Turns(AllAtOnce(), lease=10)
    assert [turns.ask(Request(job, 0), 0)[0].job for job in "abc"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("periods", "writing"),
    [((100.0, 120.0), ["a"]), ((100.0, 10.0), ["a", "b"]), ((None, None), ["a"]), ((None, 10.0), ["a", "b"])],
)
def test_jobs_of_different_sets_write_together(
    periods: tuple[float | None, float | None], writing: list[str]
) -> None:
    turns = Turns(OneOfEachSet(), lease=10)
    for job, period in zip("ab", periods, strict=True):
        turns.ask(Request(job, 0, period), 0)
    assert [grant.job for grant in turns.writing] == writing
