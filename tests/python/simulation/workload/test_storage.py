# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: jobs that slow one another down as much as they should, and no more."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_store import User, ends
from test_failures import Cores, some_failures
from test_start_order_properties import CORES, of_all_kinds, submitted

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.failures import Failures
from nereus.simulation.workload.figures import Interval
from nereus.simulation.workload.job import Job, Kind, Outcome
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.resize_cost import ResizeCost
from nereus.simulation.workload.simulation import simulate
from nereus.simulation.workload.storage import Storage

SIZING = [name for name, row in ORDERS.items() if row.sizes]
SHARES = [0.0, 0.1, 0.3, 1.0, 2.0]


def job(io_share: float, seconds: float = 10.0, submit: float = 0.0, limit: float = 1e6) -> Job:
    return replace(Job.rigid("job", submit, 1, seconds, limit), io_share=io_share)


def ended(jobs: Sequence[Job], bandwidth: float = 100.0, most: float = 100.0) -> list[float]:
    outcomes = simulate(jobs, ORDERS["fcfs"].make(1000), storage=Storage(bandwidth, most))
    return [each.ended for each in outcomes]


def test_jobs_that_leave_bandwidth_are_not_slowed_down() -> None:
    assert ended([job(0.4), job(0.4), job(0.2)]) == [10, 10, 10]


def test_job_with_too_much_io_is_slowed_down_alone() -> None:
    assert ended([job(2.0), job(0.0)]) == [20, 10]
    # The most of a job is less than what the store has.
    assert ended([job(2.0)], 1000.0) == [20]


def test_equal_jobs_get_equal_shares() -> None:
    # Two want all: each gets half, until the shorter one is over at 10 s.
    assert ended([job(1.0, 10), job(1.0, 5)]) == [15, 10]


def test_what_small_ones_leave_goes_to_the_others() -> None:
    # 10 of 100 for the first, 45 each for the others, which want 90.
    first, second, third = ended([job(0.1, 30), job(0.9, 10), job(0.9, 20)])
    assert first == 30 and second == pytest.approx(20) and third == pytest.approx(30)


def test_limit_comes_when_it_comes() -> None:
    outcomes = simulate(
        [job(1.0, 10, limit=12.0), job(1.0, 10)], ORDERS["easy"].make(2), storage=Storage(100.0, 100.0)
    )
    assert (outcomes[0].ended, outcomes[0].killed) == (12, True)
    assert outcomes[0].work_seconds == pytest.approx(6) and outcomes[0].core_seconds_lost_to_io == 6
    assert outcomes[1].ended == pytest.approx(16) and not outcomes[1].killed


def test_job_on_more_ranks_asks_for_more_at_a_time() -> None:
    """On four cores in place of two it would take half as long, and its I/O takes what it takes."""
    wide = Job("wide", 0, 2, 10, 1e6, Kind.MALLEABLE, 1, 4, io_share=0.8)
    (found,) = simulate(
        [wide], ORDERS["fcfs"].make(4), STRATEGIES["keep-least"], 1.0, storage=Storage(100.0, 100.0)
    )
    assert (found.ranks, found.resizes) == (4, 1) and found.ended == pytest.approx(8)


def test_resize_takes_longer_too() -> None:
    wide = Job("wide", 0, 2, 10, 1e6, Kind.MALLEABLE, 1, 4, io_share=0.8)
    (found,) = simulate(
        [wide],
        ORDERS["fcfs"].make(4),
        STRATEGIES["keep-least"],
        1.0,
        storage=Storage(100.0, 100.0),
        cost=ResizeCost.constant(3.0),
    )
    # It asks for 1.6 of what there is: all of its 3 + 5 seconds take 1.6 times as long.
    assert found.ended == pytest.approx(8 * 1.6)
    assert found.lost_core_seconds == pytest.approx(12)
    assert found.core_seconds_lost_to_io == pytest.approx(4 * 8 * 0.6)


@given(
    numbers=st.lists(
        st.tuples(st.integers(0, 9), st.integers(1, 9), st.sampled_from([0.1, 0.3, 0.5, 1.0, 1.7, 3.0])),
        min_size=1,
        max_size=20,
    ),
    bandwidth=st.sampled_from([0.5, 1.0, 2.0, 4.0]),
)
@settings(max_examples=400, deadline=None)
def test_jobs_end_when_a_plain_version_of_the_store_ends_them(
    numbers: list[tuple[int, int, float]], bandwidth: float
) -> None:
    numbers = sorted(numbers)
    jobs = [job(share, seconds, submit) for submit, seconds, share in numbers]
    first = numbers[0][0]
    users = [User(submit, seconds, share, min(1.0, share)) for submit, seconds, share in numbers]
    assert first >= 0
    assert ended(jobs, bandwidth, 1.0) == pytest.approx(ends(users, bandwidth), rel=1e-6)


def test_many_jobs_end_when_a_plain_version_of_the_store_ends_them() -> None:
    """Of any demands, under a load of which the store is the bottleneck now and then."""
    random = np.random.default_rng(5)
    submits = np.cumsum(random.exponential(1.0, 400)).tolist()
    seconds, demands = random.exponential(20.0, 400).tolist(), random.exponential(0.05, 400).tolist()
    jobs = [job(*each) for each in zip(demands, seconds, submits, strict=True)]
    users = [User(*each, min(1.0, each[2])) for each in zip(submits, seconds, demands, strict=True)]
    found = ended(jobs, 1.0, 1.0)
    assert found == pytest.approx(ends(users, 1.0), rel=1e-6)
    slowed = [end - each.submit > each.seconds * 1.001 for end, each in zip(found, jobs, strict=True)]
    assert 0.1 < sum(slowed) / len(slowed) < 1


@pytest.mark.parametrize("load", [0.5, 0.8])
def test_jobs_of_io_alone_take_as_long_as_queueing_theory_says(load: float) -> None:
    """M/M/1 with processor sharing: 1 / (1 - load) times as long as alone; 20 seeds."""
    means = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        submits = np.cumsum(random.exponential(10.0 / load, 4000)).tolist()
        jobs = [
            job(1.0, each, submit)
            for each, submit in zip(random.exponential(10.0, 4000).tolist(), submits, strict=True)
        ]
        means.append(float(np.mean([end - each.submit for end, each in zip(ended(jobs), jobs, strict=True)])))
    found = Interval.of(means)
    assert found.low is not None and found.high is not None
    assert found.low <= 10 / (1 - load) <= found.high
    assert found.high - found.low < 10 / (1 - load) / 5


def test_io_strategy_gives_to_jobs_that_do_little_io() -> None:
    """Each core adds as much to a speed-up; on P cores the jobs' shares of I/O are 0.1 P and 0.05 P."""
    jobs = [Job(f"{share}", 0, 2, 100, 1e6, Kind.MALLEABLE, 1, 12, io_share=share) for share in (0.2, 0.1)]
    jobs.append(Job.rigid("last", 10, 2, 10, 1e6))
    cores = Cores(12)
    simulate(jobs, ORDERS["fcfs"].make(12), STRATEGIES["io"], 1.0, recorder=cores, storage=Storage(1e9, 1.0))

    def sizes_at(time: float) -> list[int]:
        ranks = {number: ranks for now, number, ranks in cores.changes if now <= time}
        return [ranks.get(number, 0) for number in range(3)]

    # The fourth core of the first is worth 0.6, as the eighth of the other; these are given first.
    assert sizes_at(0) == [4, 8, 0]
    assert sizes_at(10) == [3, 7, 2]


def test_io_strategy_is_speedup_where_there_is_no_io() -> None:
    jobs = [Job(f"{ranks}", 0, ranks, 100, 1e6, Kind.MALLEABLE, 1, 12) for ranks in (8, 2)]
    by_io, by_speedup = (
        simulate(jobs, ORDERS["fcfs"].make(12), STRATEGIES[name], 0.5) for name in ("io", "speedup")
    )
    assert by_io == by_speedup


def with_io(jobs: Sequence[Job], shares: Sequence[float]) -> list[Job]:
    return [replace(each, io_share=shares[place % len(shares)]) for place, each in enumerate(jobs)]


def check(jobs: Sequence[Job], outcomes: Sequence[Outcome], cores: Cores, costs: bool = False) -> None:
    """All core time is work, I/O, or else known."""
    assert sum(each.core_seconds for each in outcomes) == pytest.approx(cores.core_seconds())
    for own, each in zip(jobs, outcomes, strict=True):
        assert each.ended < 1e9 and each.core_seconds_lost_to_io >= -1e-6
        if not each.failed and not each.killed:
            assert each.work_seconds == own.seconds
        assert (each.lost_core_seconds > 0) <= (each.resizes > 0 and costs)
        if own.io_share == 0:
            assert each.core_seconds_lost_to_io == 0
        if own.kind is Kind.RIGID:
            rest = each.core_seconds_lost_to_failures + each.core_seconds_of_saves
            done = own.ranks * each.work_seconds + rest + each.core_seconds_lost_to_io
            assert each.core_seconds == pytest.approx(done)


@pytest.mark.parametrize("order", ORDERS)
@given(
    jobs=submitted(),
    shares=st.lists(st.sampled_from(SHARES), min_size=1, max_size=4),
    found=st.none() | some_failures(),
)
@settings(max_examples=100, deadline=None)
def test_any_rigid_jobs_end_and_do_their_work(
    order: str, jobs: list[Job], shares: list[float], found: Failures | None
) -> None:
    cores, jobs = Cores(), with_io(jobs, shares)
    outcomes = simulate(
        jobs, ORDERS[order].make(CORES), failures=found, recorder=cores, storage=Storage(100.0, 50.0)
    )
    check(jobs, outcomes, cores)


@pytest.mark.parametrize("order", SIZING)
@pytest.mark.parametrize("strategy", STRATEGIES)
@given(
    jobs=of_all_kinds(),
    shares=st.lists(st.sampled_from(SHARES), min_size=1, max_size=4),
    found=st.none() | some_failures(),
    seconds=st.sampled_from([0.0, 0.25, 4.0]),
)
@settings(max_examples=60, deadline=None)
def test_any_jobs_of_all_kinds_end_and_do_their_work(
    strategy: str,
    order: str,
    jobs: list[Job],
    shares: list[float],
    found: Failures | None,
    seconds: float,
) -> None:
    cores, jobs = Cores(), with_io(jobs, shares)
    outcomes = simulate(
        jobs,
        ORDERS[order].make(CORES),
        STRATEGIES[strategy],
        failures=found,
        recorder=cores,
        cost=ResizeCost.constant(seconds),
        storage=Storage(100.0, 50.0),
    )
    check(jobs, outcomes, cores, costs=seconds > 0)


@given(jobs=of_all_kinds())
@settings(max_examples=60, deadline=None)
def test_store_with_enough_for_all_changes_nothing(jobs: list[Job]) -> None:
    jobs = with_io(jobs, [0.0, 0.1, 0.3])
    plain, sharing = (
        simulate(jobs, ORDERS["easy"].make(CORES), STRATEGIES["keep-least"], storage=storage)
        for storage in (None, Storage(1e9, 10.0))
    )
    for one, other in zip(plain, sharing, strict=True):
        assert other.ended == pytest.approx(one.ended) and other.killed == one.killed
