# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a strategy that does what its name and its paper say, and one of one's own."""

import ast
import inspect
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.policy.strategies import STRATEGIES, Strategy, strategy
from nereus.policy.strategies.malleable_job import MalleableJob
from nereus.simulation.workload.job import Job, Kind, Outcome, Request, Start
from nereus.simulation.workload.orders.order import SizingOrder
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate
from nereus.simulation.workload.speedup import Measured

CORES = 12
SIZING = [name for name, row in ORDERS.items() if row.sizes]


def malleable(submit: float, least: int, ranks: int, most: int, seconds: float = 100) -> Job:
    return Job(f"{submit}", submit, ranks, seconds, 10 * seconds, Kind.MALLEABLE, least, most)


def as_seen(job: Job) -> MalleableJob:
    return MalleableJob(job.name, job.least, job.ranks, job.most, lambda ranks: 1.0)


class Sizes(SizingOrder):
    """An order that notes the ranks of each job after each change, and what the first waiting job lacks."""

    def __init__(self, order: SizingOrder, jobs: Sequence[Job]) -> None:
        super().__init__(order.free)
        self.changes: list[tuple[float, int, int]] = []  # when, which job, how many
        self.ranks: dict[int, int] = {}
        self._order, self._jobs, self._now = order, jobs, 0.0

    def submitted(self, job: Request, now: float) -> None:
        self._look(now)
        self._order.submitted(job, now)

    def first(self) -> Request | None:
        return self._order.first()

    def starting(self, now: float) -> Iterator[Start]:
        for start in self._order.starting(now):
            self._note(start.request, start.ranks, now)
            yield start

    def ended(self, job: Request, now: float) -> None:
        self._look(now)
        self._order.ended(job, now)
        del self.ranks[job.number]

    def resized(self, job: Request, ranks: int, end: float, now: float) -> None:
        self._order.resized(job, ranks, end, now)
        self._note(job, ranks, now)

    def _note(self, job: Request, ranks: int, now: float) -> None:
        self.ranks[job.number] = ranks
        self.changes.append((now, job.number, ranks))
        assert self._jobs[job.number].least <= ranks <= self._jobs[job.number].most
        assert sum(self.ranks.values()) <= CORES

    def _look(self, now: float) -> None:
        """At what has been so since the last event, before the next one changes it."""
        if now > self._now and (first := self.first()) is not None:
            free = CORES - sum(self.ranks.values())
            assert first.least > free + self.to_give(), "a job waits for which there would be cores"
        self._now = now

    def to_give(self) -> int:
        return 0


class Giving(Sizes):
    """One under a strategy."""

    def __init__(self, order: SizingOrder, jobs: Sequence[Job], chosen: Strategy) -> None:
        super().__init__(order, jobs)
        self._chosen = chosen

    def to_give(self) -> int:
        jobs = ((self._jobs[number], ranks) for number, ranks in self.ranks.items())
        return sum(
            max(0, ranks - self._chosen.kept(as_seen(job)))
            for job, ranks in jobs
            if job.kind is Kind.MALLEABLE
        )


def simulated(
    jobs: Sequence[Job], chosen: Strategy, order: str = "fcfs", parallel: float = 1.0
) -> tuple[list[Outcome], Giving]:
    inner = ORDERS[order].make(CORES)
    assert isinstance(inner, SizingOrder)
    watched = Giving(inner, jobs, chosen)
    return simulate(jobs, watched, chosen, parallel), watched


def sizes_at(jobs: Sequence[Job], name: str, time: float, parallel: float = 1.0) -> list[int]:
    """Ranks of the jobs in turn, after what happens at that time."""
    _, watched = simulated(jobs, STRATEGIES[name], parallel=parallel)
    ranks = {number: ranks for at, number, ranks in watched.changes if at <= time}
    return [ranks.get(number, 0) for number in range(len(jobs))]


@st.composite
def any_jobs(draw: st.DrawFn) -> list[Job]:
    made, submit = [], 0
    for number in range(draw(st.integers(1, 14))):
        submit += draw(st.integers(0, 5))
        ranks, seconds, limit = (draw(st.integers(1, most)) for most in (CORES, 9, 12))
        kind = draw(st.sampled_from(Kind))
        least = ranks if kind is Kind.RIGID else draw(st.integers(1, ranks))
        most = draw(st.integers(ranks, CORES)) if kind is Kind.MALLEABLE else ranks
        made.append(Job(f"{number}", submit, ranks, seconds, limit, kind, least, most))
    return made


@pytest.mark.parametrize("order", SIZING)
@pytest.mark.parametrize("name", STRATEGIES)
@given(jobs=any_jobs(), parallel=st.sampled_from([0.0, 0.5, 0.99, 1.0]))
@settings(max_examples=60, deadline=None)
def test_sizes_stay_within_what_jobs_can_and_no_job_waits_for_cores_that_others_would_give(
    name: str, order: str, jobs: list[Job], parallel: float
) -> None:
    outcomes, _ = simulated(jobs, STRATEGIES[name], order, parallel)
    for job, each in zip(jobs, outcomes, strict=True):
        assert STRATEGIES[name].kept(as_seen(job)) in range(job.least, job.most + 1)
        assert each.work_seconds == pytest.approx(min(job.seconds, job.limit))


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        # Each starts on three ranks, six cores are idle: the first job takes them all.
        ("keep-preferred", [9, 3]),
        ("keep-least", [9, 3]),
        # It has two above its least, the second one.
        ("common-pool", [3, 9]),
        # Of spans of 8 and 10: 4/8 and 5/10.
        ("average", [5, 7]),
        ("fair", [6, 6]),
    ],
)
def test_idle_cores_go_where_the_strategy_says(name: str, sizes: list[int]) -> None:
    assert sizes_at([malleable(0, 1, 3, 9), malleable(0, 2, 3, 12)], name, 0) == sizes


def test_common_pool_gives_to_the_job_with_the_fewest_above_its_least() -> None:
    jobs = [malleable(0, 1, 4, 12), malleable(0, 4, 4, 6)]
    assert sizes_at(jobs, "keep-least", 0) == [8, 4]
    assert sizes_at(jobs, "common-pool", 0) == [6, 6]


def test_fair_gives_to_the_smallest_and_takes_from_the_largest() -> None:
    jobs = [malleable(0, 1, 6, 12), malleable(0, 1, 2, 12), Job.rigid("c", 10, 5, 10)]
    assert sizes_at(jobs, "fair", 0) == [6, 6, 0]
    assert sizes_at(jobs, "fair", 10) == [4, 3, 5]
    # When the third is over, its five cores make both as large as they were.
    assert sizes_at(jobs, "fair", 20) == [6, 6, 5]


def test_average_has_jobs_at_one_share_of_their_span() -> None:
    jobs = [malleable(0, 1, 1, 9), malleable(0, 3, 3, 7), Job.rigid("c", 10, 6, 10)]
    # Spans of 8 and 4, 8 idle cores: shares of 6/8 and 2/4 come next to one another.
    assert sizes_at(jobs, "average", 0) == [7, 5, 0]
    # Six are given, in turn by shares of 6/8, 5/8, 2/4 of the second, 4/8, 3/8, 1/4 of the second.
    assert sizes_at(jobs, "average", 10) == [3, 3, 6]


def test_speedup_gives_to_the_job_that_gains_most_and_takes_from_the_one_that_loses_least() -> None:
    """f = 0.5: on P ranks the first job, which prefers 8, is 9 P / (P + 8) times as fast as on one; the
    second, which prefers 2, is 3 P / (P + 2) times as fast.
    """
    jobs = [malleable(0, 1, 8, 12), malleable(0, 1, 2, 12), Job.rigid("c", 10, 1, 10)]
    # The third rank of the second adds 0.3, the fourth 0.2, the ninth of the first 0.26, the tenth 0.24.
    assert sizes_at(jobs, "speedup", 0, parallel=0.5) == [9, 3, 0]
    assert sizes_at(jobs, "speedup", 10, parallel=0.5) == [8, 3, 1]
    assert sizes_at(jobs, "keep-least", 0, parallel=0.5) == [10, 2, 0]
    assert sizes_at(jobs, "keep-least", 10, parallel=0.5) == [10, 1, 1]


@pytest.mark.parametrize(("name", "sizes"), [("speedup", [2, 14]), ("throughput", [8, 8])])
def test_throughput_gets_a_job_over_a_step_of_a_measured_curve_that_speedup_does_not_see(
    name: str, sizes: list[int]
) -> None:
    """From 2 to 8 ranks the first gains 3.3, 0.02 by the first of them; the second 0.05 to 0.09 by each."""
    curve = Measured((1, 2, 4, 8, 16), (100.0, 60.0, 59.0, 20.0, 18.0))
    ranks = [0, 0]

    def record(now: float, number: int, has: int) -> None:
        ranks[number] = has if now == 0 else ranks[number]

    jobs = [malleable(0, 2, 2, 8), malleable(0, 8, 8, 16)]
    simulate(jobs, ORDERS["fcfs"].make(16), STRATEGIES[name], speedup=curve, recorder=record)
    assert ranks == sizes


def test_throughput_leaves_cores_idle_that_bring_nothing() -> None:
    jobs = [malleable(0, 1, 3, 9), malleable(0, 2, 3, 12)]
    assert sizes_at(jobs, "throughput", 0, parallel=0.0) == [3, 3]
    assert sum(sizes_at(jobs, "throughput", 0, parallel=0.5)) == CORES


def test_among_equals_the_first_that_started_gets_and_the_last_gives() -> None:
    """Also those that have been resized before."""
    jobs = [
        malleable(0, 1, 4, 6),
        malleable(1, 1, 4, 6),
        Job.rigid("c", 2, 6, 5),
        Job.rigid("d", 8, 4, 5),
    ]
    assert sizes_at(jobs, "keep-least", 1) == [6, 6, 0, 0]
    assert sizes_at(jobs, "keep-least", 2) == [5, 1, 6, 0]
    assert sizes_at(jobs, "keep-least", 7) == [6, 6, 6, 0]
    assert sizes_at(jobs, "keep-least", 8) == [6, 2, 6, 4]


class Whole(Strategy):
    """Of one's own: jobs with short names first, and nobody gives anything."""

    def kept(self, job: MalleableJob) -> int:
        return job.most

    def worth(self, job: MalleableJob, ranks: int, step: int) -> float:
        return -len(job.name)


def test_strategy_of_ones_own_is_a_small_class() -> None:
    jobs = [malleable(10, 1, 2, 8), malleable(2, 1, 2, 8)]
    jobs.sort(key=lambda job: job.submit)
    outcomes, watched = simulated(jobs, Whole())
    assert [each.started for each in outcomes] == [2, 10] and watched.changes[1] == (2, 0, 8)


def test_interface_of_strategies_has_30_lines_at_most() -> None:
    text = inspect.getsource(strategy)
    assert len(text.splitlines()) <= 30
    (made,) = (node for node in ast.parse(text).body if isinstance(node, ast.ClassDef))
    assert [node.name for node in made.body if isinstance(node, ast.FunctionDef)] == [
        "kept",
        "worth",
        "falls",
    ]
