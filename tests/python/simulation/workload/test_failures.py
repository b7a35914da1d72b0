# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: jobs that fail lose what they should, and no more; each ends, within the cores."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import exp, expm1

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_start_order_properties import CORES, of_all_kinds, submitted

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload import failing
from nereus.simulation.workload.failures import INTERVALS, Draws, Failures, Recovery, Saves, daly, young
from nereus.simulation.workload.job import Job, Kind, Outcome
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.orders.rules import Reservation, Rules
from nereus.simulation.workload.resize_cost import ResizeCost
from nereus.simulation.workload.simulation import simulate

#: Jobs that are not rigid have one size under the others.
SIZES = {name: row.sizes for name, row in ORDERS.items()}


class Cores:
    """A recorder: how many each job has, never more together than there are."""

    def __init__(self, cores: int = CORES) -> None:
        self.changes: list[tuple[float, int, int]] = []
        self._cores, self._of_job = cores, dict[int, int]()

    def __call__(self, now: float, number: int, ranks: int) -> None:
        self.changes.append((now, number, ranks))
        self._of_job[number] = ranks
        assert sum(self._of_job.values()) <= self._cores and ranks >= 0

    def core_seconds(self) -> float:
        """Of all jobs, from these changes alone."""
        total, before, used = 0.0, 0.0, dict[int, int]()
        for now, number, ranks in self.changes:
            total += (now - before) * sum(used.values())
            before, used[number] = now, ranks
        return total


class Planned(Draws):
    """Failures at these seconds after each start or change of ranks, the last for ever."""

    plan: Iterator[float]

    def seconds(self, cores: int) -> float:
        return next(self.plan, 1e9)

    def lost(self, cores: int) -> int:
        return self._failures.cores_per_node


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> type[Planned]:
    monkeypatch.setattr(failing, "Draws", Planned)
    return Planned


def failures(recovery: str, every: float | str = 4.0, **more: float) -> Failures:
    saves = Saves(every, more.pop("save_cost", 1.0)) if Recovery(recovery).saves else None
    return Failures(1e6, Recovery(recovery), 1, saves=saves, **more)  # type: ignore[arg-type]


def on_four_cores(jobs: Sequence[Job], found: Failures, order: str = "easy") -> list[Outcome]:
    return simulate(
        jobs, ORDERS[order].make(4), STRATEGIES["keep-least"], parallel_fraction=1.0, failures=found
    )


def rigid(ranks: int = 2, seconds: float = 10.0, limit: float = 1000.0, submit: float = 0.0) -> Job:
    return Job.rigid("rigid", submit, ranks, seconds, limit)


def test_job_without_recovery_ends_when_its_node_fails(planned: type[Planned]) -> None:
    planned.plan = iter([7.0])
    (failed,) = on_four_cores([rigid()], failures("none"))
    assert (failed.ended, failed.failed, failed.killed, failed.failures) == (7, True, False, 1)
    assert (failed.work_seconds, failed.lost_work_seconds, failed.core_seconds_lost_to_failures) == (0, 7, 14)


def test_resubmitted_job_waits_again_and_loses_all(planned: type[Planned]) -> None:
    planned.plan = iter([7.0])
    first, second = on_four_cores([rigid(4), rigid(4, 5.0, submit=1.0)], failures("resubmit"))
    # Its cores go to the one that waits, from 7 s to 12 s.
    assert (second.started, first.started, first.ended, first.failed) == (7, 0, 22, False)
    assert (first.waited_again_seconds, first.wait, first.ran) == (5, 5, 17)
    assert (first.work_seconds, first.lost_work_seconds, first.core_seconds) == (10, 7, 4 * 17)


def test_restarted_job_goes_on_from_its_last_save(planned: type[Planned]) -> None:
    # Work to 4 s, a save to 5 s, work to 9 s, a save that 9.5 s interrupts.
    planned.plan = iter([9.5])
    (job,) = on_four_cores([rigid()], failures("restart", recovery_cost=3.0))
    # Recovery to 12.5 s, then six seconds of work with a save after four.
    assert (job.ended, job.lost_work_seconds, job.work_seconds) == (12.5 + 7, 4, 10)
    assert (job.core_seconds_of_saves, job.core_seconds_lost_to_failures) == (2 * 2.5, 2 * (4 + 3))


def test_failure_in_a_recovery_begins_it_anew(planned: type[Planned]) -> None:
    planned.plan = iter([6.0, 2.0])
    (job,) = on_four_cores([rigid()], failures("restart", recovery_cost=3.0))
    assert (job.ended, job.failures) == (6 + 2 + 3 + 7, 2)
    assert job.core_seconds_lost_to_failures == 2 * (1 + 2 + 3)


def test_no_save_is_made_at_the_end() -> None:
    (job,) = on_four_cores([rigid(seconds=8.0)], failures("restart"))
    assert (job.ended, job.core_seconds_of_saves) == (9, 2)


def test_saves_and_recoveries_count_to_the_limit_which_begins_anew_at_each_start(
    planned: type[Planned],
) -> None:
    planned.plan = iter([6.0])
    (job,) = on_four_cores([rigid(limit=9.5)], failures("restart", recovery_cost=3.0))
    # From 6 s on: recovery to 9 s, work to 13 s, a save to 14 s, and the limit at 15.5 s.
    assert (job.ended, job.killed, job.work_seconds) == (15.5, True, 4 + 4 + 1.5)


def malleable(ranks: int, least: int, most: int, limit: float = 1000.0) -> Job:
    return Job("malleable", 0, ranks, 10, limit, Kind.MALLEABLE, least, most)


def test_malleable_job_shrinks_and_goes_on_at_once(planned: type[Planned]) -> None:
    planned.plan = iter([6.0])
    found = failures("shrink", recovery_cost=3.0, repair=100.0)
    (job,) = on_four_cores([malleable(4, 1, 4)], found)
    # Four of ten seconds are saved; on three cores the other six take eight, with a save after four.
    assert (job.ended, job.ranks, job.resizes, job.failures) == (6 + 3 + 8 + 1, 3, 1, 1)
    assert (job.core_seconds_lost_to_failures, job.lost_core_seconds) == (4 * 1 + 3 * 3, 0)
    assert job.waited_again_seconds == 0


def test_repaired_node_is_there_for_jobs_that_grow(planned: type[Planned]) -> None:
    planned.plan = iter([6.0])
    (job,) = on_four_cores([malleable(4, 1, 4)], failures("shrink", repair=3.0))
    # Three cores from 6 s to 9 s do 9/4 s of the work, the rest takes 15/4 s, with a save after one second.
    assert (job.ranks, job.resizes) == (4, 2)
    assert job.ended == pytest.approx(9 + 15 / 4 + 1)


def test_job_at_its_least_restarts_where_it_cannot_shrink(planned: type[Planned]) -> None:
    planned.plan = iter([6.0])
    (job,) = on_four_cores([malleable(4, 4, 4)], failures("shrink", repair=100.0))
    assert (job.ranks, job.waited_again_seconds, job.resizes) == (4, 100, 0)


def test_broken_node_is_no_bodys_until_it_is_repaired(planned: type[Planned]) -> None:
    for order in ORDERS:
        planned.plan = iter([7.0])
        jobs = [rigid(4), rigid(3, 5.0, submit=1.0), rigid(4, 5.0, submit=2.0)]
        first, second, third = on_four_cores(jobs, failures("resubmit", repair=20.0), order)
        assert (second.started, third.started, first.ended) == (7, 27, 42), order


def test_job_that_fails_too_often_fails_for_good(planned: type[Planned]) -> None:
    planned.plan = iter([5.0] * 9)
    (job,) = on_four_cores([rigid()], failures("resubmit", most_restarts=3))
    assert (job.ended, job.failed, job.failures) == (20, True, 4)


@pytest.mark.parametrize(("every", "recovery_cost"), [("young", 120.0), ("daly", 0.0), (300.0, 60.0)])
def test_long_job_takes_as_long_as_dalys_formula_says(every: float | str, recovery_cost: float) -> None:
    """Some ten thousand failures, of any of eight nodes."""
    mtbf, cost, work = 5000.0, 60.0, 4e7
    saves = Saves(every, cost)
    found = Failures(8 * mtbf, Recovery.RESTART, 7, 4, saves, recovery_cost, most_restarts=10**6)
    (job,) = simulate([rigid(32, work, 1e12)], ORDERS["easy"].make(32), failures=found)
    interval = saves.interval(mtbf)
    expected = mtbf * exp(recovery_cost / mtbf) * expm1((interval + cost) / mtbf) * work / interval
    assert job.ended == pytest.approx(expected, rel=0.02)


def test_intervals_are_those_of_young_and_daly() -> None:
    assert young(5000.0, 60.0) == pytest.approx((2 * 60 * 5000) ** 0.5)
    # 774.6 * (1 + 0.07746/3 + 0.006/9) - 60.
    assert daly(5000.0, 60.0) == pytest.approx(735.1, abs=0.05)
    assert daly(30.0, 60.0) == 30.0

    def seconds(interval: float) -> float:
        return expm1((interval + 60) / 5000) / interval

    assert min((seconds(daly(5000.0, 60.0) * factor), factor) for factor in (0.9, 1.0, 1.1))[1] == 1.0


def test_failures_are_those_of_the_nodes_that_a_job_has() -> None:
    """Of 20 cores on nodes of 16: two nodes, one of which has four of them."""
    draws = Draws(Failures(1000.0, Recovery.RESUBMIT, 3, 16))
    times = [draws.seconds(20) for _ in range(20_000)]
    assert sum(times) / len(times) == pytest.approx(500, rel=0.02)
    lost = [draws.lost(20) for _ in range(20_000)]
    assert set(lost) == {4, 16} and lost.count(4) / len(lost) == pytest.approx(0.5, rel=0.03)
    assert {draws.lost(32) for _ in range(99)} == {16}


def test_share_of_nodes_out_of_service_is_that_of_repairs() -> None:
    """A machine without breaks: mtbf / (mtbf + repair) of its 400 nodes are there."""
    found = Failures(1000.0, Recovery.RESUBMIT, 5, repair=250.0, most_restarts=10**6)
    jobs = [Job.rigid(f"{number}", 0, 1, 50.0, 50.0) for number in range(80_000)]
    outcomes = simulate(jobs, ORDERS["fcfs"].make(400), failures=found)
    half = 0.5 * max(each.ended for each in outcomes)
    there = sum(each.core_seconds for each in outcomes if each.ended < half) / (400 * half)
    assert there == pytest.approx(0.8, rel=0.03)


@st.composite
def some_failures(draw: st.DrawFn) -> Failures:
    recovery = draw(st.sampled_from(Recovery))
    saves = None
    if recovery.saves:
        intervals: list[float | str] = [0.5, 2.0, *INTERVALS]
        saves = Saves(draw(st.sampled_from(intervals)), draw(st.sampled_from([0.25, 1.0])))
    mtbf, repair = draw(st.sampled_from([(3.0, 0.0), (20.0, 0.0), (20.0, 2.0), (100.0, 0.0), (100.0, 9.0)]))
    return Failures(
        mtbf,
        recovery,
        draw(st.integers(0, 99)),
        draw(st.integers(1, 3)),
        saves,
        draw(st.sampled_from([0.0, 0.5])) if recovery.saves else 0.0,
        repair,
        draw(st.integers(0, 20)),
    )


def check(jobs: Sequence[Job], outcomes: Sequence[Outcome], found: Failures) -> None:
    """What is true of all: each ended once, and all core time was work, lost, saves, or resizes."""
    for job, each in zip(jobs, outcomes, strict=True):
        assert each.ended < 1e9 and not (each.failed and each.killed)
        assert each.failures <= found.most_restarts + 1 and each.failed <= (each.failures > 0)
        if not each.failed and not each.killed:
            assert each.work_seconds == job.seconds
        assert each.wait >= 0 and each.turnaround == pytest.approx(each.wait + each.ran)
        assert (each.lost_work_seconds > 0) <= (each.failures > 0)
        if job.kind is Kind.RIGID:
            done = job.ranks * each.work_seconds
            rest = each.core_seconds_lost_to_failures + each.core_seconds_of_saves
            assert each.core_seconds == pytest.approx(done + rest)
            if not found.recovery_cost:
                lost = job.ranks * each.lost_work_seconds
                assert each.core_seconds_lost_to_failures == pytest.approx(lost)


@pytest.mark.parametrize("order", ORDERS)
@given(jobs=submitted(), found=some_failures())
@settings(max_examples=150, deadline=None)
def test_any_rigid_jobs_end_and_do_their_work(order: str, jobs: list[Job], found: Failures) -> None:
    cores = Cores()
    outcomes = simulate(jobs, ORDERS[order].make(CORES), failures=found, recorder=cores)
    check(jobs, outcomes, found)
    assert sum(each.core_seconds for each in outcomes) == pytest.approx(cores.core_seconds())


@pytest.mark.parametrize("order", [name for name, sizes in SIZES.items() if sizes])
@pytest.mark.parametrize("strategy", STRATEGIES)
@given(jobs=of_all_kinds(), found=some_failures(), seconds=st.sampled_from([0.0, 0.25, 4.0]))
@settings(max_examples=80, deadline=None)
def test_any_jobs_of_all_kinds_end_and_do_their_work(
    strategy: str, order: str, jobs: list[Job], found: Failures, seconds: float
) -> None:
    cores = Cores()
    outcomes = simulate(
        jobs,
        ORDERS[order].make(CORES),
        STRATEGIES[strategy],
        parallel_fraction=0.0,
        failures=found,
        recorder=cores,
        cost=ResizeCost.constant(seconds),
    )
    check(jobs, outcomes, found)
    assert sum(each.core_seconds for each in outcomes) == pytest.approx(cores.core_seconds())
    for each in outcomes:  # run times do not depend on ranks here
        known = each.core_seconds_of_saves + each.core_seconds_lost_to_failures + each.lost_core_seconds
        assert each.core_seconds >= known * (1 - 1e-9)


@pytest.mark.parametrize("order", [name for name, row in ORDERS.items() if row.needs_limits])
@given(jobs=of_all_kinds(), found=some_failures(), cores=st.integers(1, CORES))
@settings(max_examples=80, deadline=None)
def test_no_job_has_reserved_cores(order: str, jobs: list[Job], found: Failures, cores: int) -> None:
    """Nodes may be out of service meanwhile: jobs have no more than the others."""
    if not SIZES[order]:
        jobs = [Job.rigid(each.name, each.submit, each.ranks, each.seconds, each.limit) for each in jobs]
    rules = Rules(reservations=(Reservation(6.0, 15.0, cores),))
    recorder = Cores()
    outcomes = simulate(
        jobs, ORDERS[order].make(CORES, rules), STRATEGIES["keep-least"], failures=found, recorder=recorder
    )
    check(jobs, outcomes, found)
    used = dict[int, int]()
    for (now, number, ranks), following in zip(recorder.changes, recorder.changes[1:], strict=False):
        used[number] = ranks
        if following[0] > now and now < 15.0 - 1e-6 and following[0] > 6.0 + 1e-6:
            assert sum(used.values()) <= CORES - cores


@given(jobs=of_all_kinds())
@settings(max_examples=60, deadline=None)
def test_nodes_that_never_fail_change_nothing(jobs: list[Job]) -> None:
    never = Failures(1e15, Recovery.RESUBMIT, 1, repair=10.0)
    plain, disturbed_ones = (
        simulate(jobs, ORDERS["easy"].make(CORES), STRATEGIES["keep-least"], failures=found)
        for found in (None, never)
    )
    for one, other in zip(plain, disturbed_ones, strict=True):
        assert other.ended == pytest.approx(one.ended) and other.killed == one.killed


@pytest.mark.parametrize("order", ORDERS)
def test_jobs_that_never_find_enough_nodes_in_service_are_an_error(order: str) -> None:
    found = Failures(3.0, Recovery.RESUBMIT, 1, repair=30.0)
    with pytest.raises(failing.NodesError, match="allowed are shorter repairs"):
        simulate([rigid(40)], ORDERS[order].make(40), failures=found)


def test_same_seed_has_the_same_failures() -> None:
    jobs = [Job.rigid(f"{number}", number, 2, 20, 20) for number in range(40)]
    ends = [
        list(
            accumulate(
                each.ended
                for each in simulate(
                    jobs, ORDERS["easy"].make(8), failures=Failures(100.0, Recovery.RESUBMIT, seed)
                )
            )
        )
        for seed in (1, 1, 2)
    ]
    assert ends[0] == ends[1] != ends[2]
