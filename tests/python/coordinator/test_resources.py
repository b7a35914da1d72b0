# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: cores that belong to one job at a time, near its others, and that come back."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nereus.coordinator.resources import Loan, ResourceError, Resources, TakeBack

CORES = {"h1": 4, "h2": 4, "h3": 8}
JOBS = st.sampled_from("abc")
NUMBERS = st.integers(1, 8)


class CoresAreNeitherLostNorSharedOut(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.resources = Resources(CORES)
        self.held: dict[str, Counter[str]] = {}
        self.began: dict[str, int] = {}

    @rule(job=JOBS, ranks=NUMBERS)
    def start(self, job: str, ranks: int) -> None:
        if job not in self.held and ranks <= sum(self.resources.free.values()):
            self.held[job] = Counter(self.resources.start(job, ranks))
            self.began[job] = ranks
        else:
            with pytest.raises(ResourceError):
                self.resources.start(job, ranks)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), ranks=NUMBERS, lends=st.booleans())
    def grow(self, data: Any, ranks: int, lends: bool) -> None:
        job = data.draw(st.sampled_from(sorted(self.held)))
        if ranks > sum(self.resources.free.values()):
            with pytest.raises(ResourceError, match="are free"):
                self.resources.grow(job, ranks)
        elif lends:
            self.held[job].update(self.resources.lend(job, ranks, 100).places)
        else:
            self.held[job].update(self.resources.grow(job, ranks))

    @precondition(lambda self: self.resources.loans)
    @rule(data=st.data())
    def give_a_loan_back_twice(self, data: Any) -> None:
        loan = data.draw(st.sampled_from(self.resources.loans))
        self.held[loan.job].subtract(loan.places)
        self.resources.returned(loan.number)
        self.resources.returned(loan.number)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), cores=st.integers(1, 8))
    def shrink(self, data: Any, cores: int) -> None:
        job = data.draw(st.sampled_from(sorted(self.held)))
        host = data.draw(st.sampled_from(sorted(CORES)))
        lent = sum(loan.places.get(host, 0) for loan in self.resources.loans if loan.job == job)
        if cores <= self.held[job][host] - lent:
            self.resources.shrunk(job, {host: cores})
            self.held[job][host] -= cores
        else:
            with pytest.raises(ResourceError, match="gives back"):
                self.resources.shrunk(job, {host: cores})

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def end(self, data: Any) -> None:
        job = data.draw(st.sampled_from(sorted(self.held)))
        del self.held[job]
        self.resources.ended(job)

    @rule(ranks=st.integers(1, 16))
    def make_room(self, ranks: int) -> None:
        may_come = sum(self.resources.free.values()) + sum(
            max(lent, held.total() - self.began[job])
            for job, held in self.held.items()
            for lent in [sum(sum(loan.places.values()) for loan in self.resources.loans if loan.job == job)]
        )
        if may_come < ranks:
            with pytest.raises(ResourceError, match="more than there are"):
                self.resources.taking_back(ranks)
            return
        asked = self.resources.taking_back(ranks)
        for each in asked:
            self.held[each.job].subtract(each.places)
            if each.loan is not None:
                self.resources.returned(each.loan)
            else:
                self.resources.shrunk(each.job, each.places)
        assert sum(self.resources.free.values()) >= ranks

    @invariant()
    def books_agree(self) -> None:
        used = sum(self.held.values(), Counter[str]())
        assert self.resources.free == {host: cores - used[host] for host, cores in CORES.items()}
        assert all(free >= 0 for free in self.resources.free.values())
        assert {job: self.resources.held(job) for job in self.held} == {
            job: dict(+held) for job, held in self.held.items()
        }
        assert all(loan.job in self.held for loan in self.resources.loans)


CoresAreNeitherLostNorSharedOut.TestCase.settings = settings(max_examples=100, deadline=None)
TestCoresAreNeitherLostNorSharedOut = CoresAreNeitherLostNorSharedOut.TestCase


def test_job_grows_on_its_hosts_and_then_on_the_fullest() -> None:
    resources = Resources({"h1": 4, "h2": 4, "h3": 4})
    assert resources.start("a", 2) == {"h1": 2}
    assert resources.start("b", 2) == {"h1": 2}
    assert resources.start("c", 1) == {"h2": 1}
    assert resources.grow("a", 4) == {"h2": 3, "h3": 1}
    assert resources.held("a") == {"h1": 2, "h2": 3, "h3": 1}


def test_new_job_recalls_loans_first_and_then_cores_beyond_the_start() -> None:
    resources = Resources({"h1": 8, "h2": 8})
    resources.start("a", 4)
    loan = resources.lend("a", 4, until_iteration=50)
    resources.start("b", 4)
    resources.grow("b", 4)
    assert resources.taking_back(2) == [TakeBack("a", loan.places, loan.number)]
    assert resources.taking_back(6) == [TakeBack("a", {"h1": 4}, loan.number), TakeBack("b", {"h2": 2})]
    with pytest.raises(ResourceError, match="1 more than there are"):
        resources.taking_back(9)


def test_cores_are_recalled_from_hosts_with_fewest_and_empty_hosts_stay_empty() -> None:
    resources = Resources({"h1": 2, "h2": 4})
    resources.start("a", 3)
    resources.grow("a", 3)
    assert resources.taking_back(1) == [TakeBack("a", {"h1": 1})]
    resources = Resources({"h1": 4, "h2": 8})
    resources.start("a", 6)
    assert resources.held("a") == {"h1": 4, "h2": 2}
    resources.ended("a")
    resources.start("b", 5)
    resources.shrunk("b", {"h1": 4})
    assert resources.start("c", 2) == {"h2": 2}, "h1 has fewer cores, and is empty"


def test_loan_is_free_only_after_the_job_returned_it() -> None:
    resources = Resources({"h1": 4})
    resources.start("a", 2)
    loan = resources.lend("a", 2, until_iteration=50)
    assert resources.loans == [Loan(1, "a", {"h1": 2}, 50)]
    with pytest.raises(ResourceError, match="1 to 0 are free"):
        resources.start("b", 1)
    resources.returned(loan.number)
    assert resources.start("b", 2) == {"h1": 2}


def test_job_may_shrink_below_its_start_and_keeps_its_loan() -> None:
    resources = Resources({"h1": 8})
    resources.start("a", 4)
    resources.lend("a", 2, until_iteration=50)
    with pytest.raises(ResourceError, match="gives back 5 cores of h1, and has 4 there"):
        resources.shrunk("a", {"h1": 5})
    resources.shrunk("a", {"h1": 3})
    assert resources.held("a") == {"h1": 3}


@pytest.mark.parametrize("call", ["grow", "lend", "shrunk"])
def test_unknown_job_gets_nothing(call: str) -> None:
    resources = Resources({"h1": 8})
    arguments = {"grow": ("x", 1), "lend": ("x", 1, 10), "shrunk": ("x", {"h1": 1})}[call]
    with pytest.raises(ResourceError, match="x: has not started"):
        getattr(resources, call)(*arguments)


def test_reported_places_of_a_job_include_its_loan() -> None:
    """It grew on another host than was meant."""
    resources = Resources({"h1": 4, "h2": 4})
    resources.start("a", 2)
    loan = resources.lend("a", 2, until_iteration=50)
    resources.settle("a", {"h1": 2, "h2": 2})
    assert resources.free == {"h1": 2, "h2": 2}
    assert sum(resources.taking_back(6)[0].places.values()) == 2
    resources.returned(loan.number)
    assert resources.free_cores == 6


def test_promised_cores_stay_reserved_until_the_job_has_grown() -> None:
    resources = Resources({"h1": 8})
    resources.start("a", 2)
    resources.grow("a", 3)
    resources.settle("a", {"h1": 2}, promised=5)
    assert resources.free_cores == 3
    resources.settle("a", {"h1": 2})
    assert resources.free_cores == 6


def test_loan_without_cores_is_dropped() -> None:
    resources = Resources({"h1": 8})
    resources.start("a", 2)
    first = resources.lend("a", 2, until_iteration=50)
    second = resources.lend("a", 2, until_iteration=50)
    resources.settle("a", {"h2": 1})
    assert [loan.number for loan in resources.loans] == [first.number]
    assert resources.free_cores == 8
    for loan in (first, second):
        resources.returned(loan.number)
    assert resources.free_cores == 8


def test_oversubscribed_hosts_count_as_full_only() -> None:
    resources = Resources({"h1": 4, "h2": 4})
    resources.settle("a", {"h1": 6})
    resources.settle("b", {"h1": 2, "elsewhere": 9})
    assert resources.free == {"h1": 0, "h2": 4}
    resources.ended("a")
    assert resources.free_cores == 6
    resources.ended("b")
    assert resources.free_cores == 8


def test_jobs_that_refused_are_spared_when_cores_are_recalled() -> None:
    resources = Resources({"h1": 8})
    for job in "ab":
        resources.start(job, 2)
        resources.grow(job, 2)
    assert [each.job for each in resources.taking_back(2, spared={"a"})] == ["b"]
    with pytest.raises(ResourceError, match="1 more than there are"):
        resources.taking_back(3, spared={"a"})


def test_loan_from_before_a_restart_is_still_a_loan() -> None:
    resources = Resources({"h1": 8})
    resources.settle("a", {"h1": 6})
    loan = resources.lent_before("a", 4, until_iteration=50)
    assert [each.loan for each in resources.taking_back(4)] == [loan.number]
    resources.returned(loan.number)
    assert resources.held("a") == {"h1": 2}
