# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: results that can be believed for any jobs, not only for those of an example."""

import random
from collections.abc import Iterator
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_orders import plan_of, rigid_jobs

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.job import Job, Kind, Outcome, Request, Start
from nereus.simulation.workload.orders.order import SizingOrder
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate

CORES = 7
SIZING = [name for name, row in ORDERS.items() if row.sizes]


@st.composite
def submitted(draw: st.DrawFn, exact: bool = False) -> list[Job]:
    """Up to 14 jobs in whole seconds: many things happen at once. `exact`: each takes all of its limit."""
    gaps = draw(st.lists(st.integers(0, 5), min_size=1, max_size=14))
    numbers = []
    for submit in accumulate(gaps):
        ranks, seconds, limit = (draw(st.integers(1, most)) for most in (CORES, 9, 12))
        numbers.append((submit, ranks, limit if exact else seconds, limit))
    return rigid_jobs(numbers)


@st.composite
def of_all_kinds(draw: st.DrawFn) -> list[Job]:
    """Those that are not rigid have sizes about the one that they prefer."""
    made = []
    for job in draw(submitted()):
        kind = draw(st.sampled_from(Kind))
        least, most = draw(st.integers(1, job.ranks)), draw(st.integers(job.ranks, CORES))
        if kind is Kind.RIGID:
            least = most = job.ranks
        elif kind is Kind.MOLDABLE:
            most = job.ranks
        made.append(Job(job.name, job.submit, job.ranks, job.seconds, job.limit, kind, least, most))
    return made


class Watched(SizingOrder):
    """An order whose jobs never have more cores together than there are."""

    def __init__(self, order: SizingOrder) -> None:
        super().__init__(order.free)
        self._order = order
        self._ranks: dict[int, int] = {}

    def submitted(self, job: Request, now: float) -> None:
        self._order.submitted(job, now)

    def first(self) -> Request | None:
        return self._order.first()

    def starting(self, now: float) -> Iterator[Start]:
        for start in self._order.starting(now):
            self._have(start.request, start.ranks)
            yield start

    def ended(self, job: Request, now: float) -> None:
        self._order.ended(job, now)
        del self._ranks[job.number]

    def resized(self, job: Request, ranks: int, end: float, now: float) -> None:
        self._order.resized(job, ranks, end, now)
        self._have(job, ranks)

    def _have(self, job: Request, ranks: int) -> None:
        self._ranks[job.number] = ranks
        assert sum(self._ranks.values()) <= CORES


def most_used(outcomes: list[Outcome]) -> float:
    """Cores in use at one time, where no job was resized."""
    changes = [(each.started, each.ranks) for each in outcomes]
    changes += [(each.ended, -each.ranks) for each in outcomes]
    return max(accumulate(ranks for _, ranks in sorted(changes)))


@pytest.mark.parametrize("order", ORDERS)
@given(jobs=submitted())
@settings(max_examples=60, deadline=None)
def test_jobs_start_when_a_plain_version_of_the_order_starts_them(order: str, jobs: list[Job]) -> None:
    outcomes = simulate(jobs, ORDERS[order].make(CORES))
    assert {number: each.started for number, each in enumerate(outcomes)} == plan_of(
        order, jobs, CORES
    ).started


@pytest.mark.parametrize("order", ORDERS)
def test_long_queue_starts_as_by_the_plain_version(order: str) -> None:
    """More jobs than a queue and a plan have room for at first."""
    chosen = random.Random(1)
    numbers = []
    for number in range(90):
        seconds = chosen.randint(1, 40)
        limit = seconds + chosen.choice([-5, 0, 3, 20])
        numbers.append((number // 3, chosen.randint(1, CORES), seconds, max(1, limit)))
    jobs = rigid_jobs(numbers)
    outcomes = simulate(jobs, ORDERS[order].make(CORES))
    assert [each.started for each in outcomes] == [
        start for _, start in sorted(plan_of(order, jobs, CORES).started.items())
    ]


@pytest.mark.parametrize("order", ["easy", "conservative"])
@pytest.mark.parametrize("exact", [True, False])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_no_job_starts_later_than_its_first_reservation(order: str, exact: bool, data: st.DataObject) -> None:
    jobs = data.draw(submitted(exact))
    outcomes = simulate(jobs, ORDERS[order].make(CORES))
    for number, promised in plan_of(order, jobs, CORES).promised.items():
        assert outcomes[number].started <= promised


@pytest.mark.parametrize("order", ORDERS)
@given(jobs=submitted())
@settings(max_examples=60, deadline=None)
def test_no_core_is_used_twice_and_all_work_is_done(order: str, jobs: list[Job]) -> None:
    outcomes = simulate(jobs, ORDERS[order].make(CORES))
    assert most_used(outcomes) <= CORES
    for job, each in zip(jobs, outcomes, strict=True):
        assert each.started >= job.submit
        assert each.ended == each.started + min(job.seconds, job.limit)
        assert each.killed == (job.limit < job.seconds)
        assert each.core_seconds == job.ranks * min(job.seconds, job.limit)


@pytest.mark.parametrize("order", SIZING)
@pytest.mark.parametrize("strategy", [None, *STRATEGIES])
@given(jobs=of_all_kinds(), parallel=st.sampled_from([0.0, 0.5, 0.99, 1.0]))
@settings(max_examples=60, deadline=None)
def test_resized_jobs_do_all_their_work_within_the_cores(
    order: str, strategy: str | None, jobs: list[Job], parallel: float
) -> None:
    chosen = None if strategy is None else STRATEGIES[strategy]
    inner = ORDERS[order].make(CORES)
    assert isinstance(inner, SizingOrder)
    outcomes = simulate(jobs, Watched(inner), chosen, parallel)
    for job, each in zip(jobs, outcomes, strict=True):
        assert job.least <= each.ranks <= job.most
        assert each.resizes == 0 or job.kind is Kind.MALLEABLE
        assert each.work_seconds == pytest.approx(min(job.seconds, job.limit))
        assert each.core_seconds >= each.work_seconds * job.ranks * parallel * (1 - 1e-9)
    used = sum(each.core_seconds for each in outcomes)
    assert used <= CORES * max(each.ended for each in outcomes) * (1 + 1e-9)
