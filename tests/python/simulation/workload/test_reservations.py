# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a maintenance that finds no job on its cores, and queues that drain before it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_orders import Numbers, plan_of, rigid_jobs

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.job import Job, Kind, Outcome, Request
from nereus.simulation.workload.orders.easy import Easy
from nereus.simulation.workload.orders.priority import Priority
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.orders.rules import Reservation, Rules, Weights
from nereus.simulation.workload.resize_cost import ResizeCost
from nereus.simulation.workload.simulation import simulate

Nereus = Callable[..., tuple[int, str, str]]
CORES = 4
ORDERS_WITH_LIMITS = [name for name, row in ORDERS.items() if row.needs_limits]
FILE = """cores = 4
order = ["easy"]
[[reservations]]
begin = 5
end = 20
cores = 4
[[jobs]]
name = "long"
ranks = 1
seconds = 2
limit = 6
"""


@st.composite
def reserved(draw: st.DrawFn) -> tuple[Reservation, ...]:
    """Up to four, one after the other or beside each other, never more cores than there are."""
    parts = []
    for _ in range(draw(st.integers(1, 2))):
        begins = accumulate(draw(st.lists(st.integers(0, 12), min_size=2, max_size=4)))
        parts += [
            Reservation(begin, end, draw(st.integers(1, CORES // 2)))
            for begin, end in pairwise(begins)
            if begin < end
        ]
    return tuple(parts)


@st.composite
def submitted(draw: st.DrawFn) -> list[Job]:
    numbers: list[Numbers] = []
    for submit in accumulate(draw(st.lists(st.integers(0, 4), min_size=1, max_size=12))):
        ranks, seconds, limit = (draw(st.integers(1, most)) for most in (CORES, 9, 12))
        numbers.append((submit, ranks, seconds, limit))
    return [replace(job, priority=draw(st.integers(0, 2)) / 2) for job in rigid_jobs(numbers)]


@st.composite
def of_all_kinds(draw: st.DrawFn) -> list[Job]:
    made = []
    for job in draw(submitted()):
        kind = draw(st.sampled_from(Kind))
        least = job.ranks if kind is Kind.RIGID else draw(st.integers(1, job.ranks))
        most = draw(st.integers(job.ranks, CORES)) if kind is Kind.MALLEABLE else job.ranks
        made.append(replace(job, kind=kind, least=least, most=most))
    return made


class _Recorded:
    """When each job had how many cores."""

    def __init__(self, cores: int, rules: Rules) -> None:
        super().__init__(cores, rules)  # type: ignore[call-arg]
        self.had: list[tuple[float, int, int]] = []

    def ended(self, job: Request, now: float) -> None:
        self.had.append((now, job.number, 0))
        super().ended(job, now)  # type: ignore[misc]

    def _run(self, job: Request, ranks: int, end: float, now: float) -> None:
        self.had.append((now, job.number, ranks))
        super()._run(job, ranks, end, now)  # type: ignore[misc]


class RecordedEasy(_Recorded, Easy):
    pass


class RecordedPriority(_Recorded, Priority):
    pass


def most_used(had: Sequence[tuple[float, int, int]], reservations: Sequence[Reservation]) -> int:
    """Cores that jobs had and that were reserved, together; sums of seconds may be wrong by a little."""
    times = {time for time, _, _ in had} | {time for each in reservations for time in (each.begin, each.end)}
    used = []
    for begin, end in pairwise(sorted(times)):
        if end - begin > 1e-6:
            middle = (begin + end) / 2
            now = {number: ranks for time, number, ranks in had if time <= middle}
            taken = sum(each.cores for each in reservations if each.begin <= middle < each.end)
            used.append(sum(now.values()) + taken)
    return max(used)


def run(
    name: str, jobs: Sequence[Job], *reservations: Reservation, strategy: str = "keep-least"
) -> list[Outcome]:
    """Jobs that share all of their work."""
    order = ORDERS[name].make(CORES, Rules(reservations=reservations))
    return simulate(jobs, order, STRATEGIES[strategy], 1.0)


@pytest.mark.parametrize("order", ORDERS_WITH_LIMITS)
@given(jobs=submitted(), reservations=reserved())
@settings(max_examples=120, deadline=None)
def test_jobs_start_when_a_plain_version_starts_them(
    order: str, jobs: list[Job], reservations: tuple[Reservation, ...]
) -> None:
    rules = Rules(Weights(age=1.0, max_age=6.0, size=0.5, job=1.0), reservations)
    outcomes = simulate(jobs, ORDERS[order].make(CORES, rules))
    found = {number: each.started for number, each in enumerate(outcomes)}
    assert found == plan_of(order, jobs, CORES, rules).started


@pytest.mark.parametrize("order", ["easy", "conservative"])
@given(jobs=submitted(), reservations=reserved())
@settings(max_examples=60, deadline=None)
def test_no_job_starts_later_than_its_first_reservation(
    order: str, jobs: list[Job], reservations: tuple[Reservation, ...]
) -> None:
    rules = Rules(reservations=reservations)
    outcomes = simulate(jobs, ORDERS[order].make(CORES, rules))
    for number, promised in plan_of(order, jobs, CORES, rules).promised.items():
        assert outcomes[number].started <= promised


@pytest.mark.parametrize("order", [RecordedEasy, RecordedPriority])
@pytest.mark.parametrize("strategy", STRATEGIES)
@given(
    jobs=of_all_kinds(),
    reservations=reserved(),
    parallel=st.sampled_from([0.0, 0.5, 0.99, 1.0]),
    seconds=st.sampled_from([None, 0.5, 4.0]),
)
@settings(max_examples=80, deadline=None)
def test_no_job_has_reserved_cores_however_it_is_resized(
    order: type[RecordedEasy] | type[RecordedPriority],
    strategy: str,
    jobs: list[Job],
    reservations: tuple[Reservation, ...],
    parallel: float,
    seconds: float | None,
) -> None:
    """`seconds`: that a resize takes; one that is killed in it or by it has done less."""
    made = order(CORES, Rules(Weights(size=1.0), reservations))
    cost = None if seconds is None else ResizeCost.constant(seconds)
    outcomes = simulate(jobs, made, STRATEGIES[strategy], parallel, cost=cost)
    assert most_used(made.had, reservations) <= CORES
    for job, each in zip(jobs, outcomes, strict=True):
        assert each.work_seconds == min(job.seconds, job.limit) or (cost is not None and each.killed)


@pytest.mark.parametrize("order", ORDERS_WITH_LIMITS)
def test_job_whose_limit_would_run_into_a_maintenance_waits_for_its_end(order: str) -> None:
    """All cores are reserved from 10 s to 20 s: at 6 s there is time for a limit of 4 s, not of 5 s."""
    jobs = rigid_jobs([(0, 2, 10, 10), (6, 2, 1, 5), (6, 2, 1, 4)])
    assert [each.started for each in run(order, jobs, Reservation(10, 20, 4))] == [0, 20, 6]


@pytest.mark.parametrize("order", ORDERS_WITH_LIMITS)
def test_job_runs_beside_a_reservation_of_other_cores(order: str) -> None:
    jobs = rigid_jobs([(0, 2, 30, 30), (1, 2, 30, 30)])
    assert [each.started for each in run(order, jobs, Reservation(10, 20, 2))] == [0, 20]


@pytest.mark.parametrize("order", ["easy", "priority"])
def test_moldable_job_starts_on_as_many_cores_as_it_may_have_until_its_limit(order: str) -> None:
    """On four cores it would take until 8 s, on two until 16 s: two are reserved from 5 s on."""
    (job,) = rigid_jobs([(0, 4, 8, 8)])
    (found,) = run(order, [replace(job, kind=Kind.MOLDABLE, least=1)], Reservation(5, 30, 2))
    assert (found.started, found.ranks, found.ended) == (0, 2, 16)


@pytest.mark.parametrize(("limit", "ended", "resizes"), [(20, 5, 1), (21, 10, 0)])
def test_malleable_job_is_resized_if_it_ends_before_the_reservation_on_its_least_cores(
    limit: float, ended: float, resizes: int
) -> None:
    """Two cores are reserved from 40 s on. On its least core a limit of 20 s is one of 40 s."""
    (job,) = rigid_jobs([(0, 2, 10, limit)])
    (found,) = run("easy", [replace(job, kind=Kind.MALLEABLE, least=1, most=4)], Reservation(40, 50, 2))
    assert (found.ended, found.resizes) == (ended, resizes)


def test_malleable_job_gives_no_cores_to_a_job_that_would_run_into_a_reservation() -> None:
    """The first takes all cores. The second lacks one, but not the time: its limit is 30 s, or 10 s."""
    first, long, short = rigid_jobs([(0, 2, 10, 10), (1, 1, 1, 30), (1, 1, 1, 10)])
    first = replace(first, kind=Kind.MALLEABLE, least=1, most=4)
    window = Reservation(25, 30, 4)
    assert [each.started for each in run("easy", [first, long], window)] == [0, 30]
    assert [each.started for each in run("easy", [first, short], window)] == [0, 1]


def test_reservations_of_a_file_are_kept(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(FILE)
    code, out, _ = nereus("simulate", "workload", file, "--order", "conservative", "--json", "--quiet")
    (row,) = json.loads(out)["rows"]
    assert (code, row["mean_wait_seconds"], row["makespan_seconds"]) == (0, 20, 22)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FILE.replace("end = 20", "end = 5"), ":5: reservations[0].end = 5: after its begin, 5 s"),
        (FILE.replace("end = 20\n", ""), ":3: reservations[0].end: is missing: seconds above 0"),
        (FILE.replace("= 5", "= -5"), ":4: reservations[0].begin = -5: seconds from 0"),
        (
            FILE.replace("cores = 4\n[[jobs", "cores = 5\n[[jobs"),
            ":6: reservations[0].cores = 5: with those of",
        ),
        (
            FILE + "[[reservations]]\nbegin = 19\nend = 21\ncores = 1\n",
            ":15: reservations[1].cores = 1: with those of others at that time at most the 4 cores",
        ),
        (
            'cores_per_node = 2\nallocation = "exclusive"\n'
            + FILE.replace("cores = 4\n[[jobs", "cores = 3\n[[jobs"),
            ":8: reservations[0].cores = 3: a multiple of the 2 cores of a node",
        ),
        (
            FILE.replace("easy", "fcfs"),
            ':2: order[0] = "fcfs": one of easy, conservative, priority, since only orders with limits',
        ),
        (
            FILE + '[speedup]\nmodel = "measured"\npoints = [[1, 4], [2, 5]]\n',
            ":14: speedup.points = [[1, 4], [2, 5]]: seconds that do not rise with the ranks",
        ),
        (FILE.replace('order = ["easy"]\n', ""), ":1: order[0]: one of easy, conservative, priority"),
    ],
)
def test_wrong_reservations_are_reported_with_line_key_and_what_is_allowed(
    refused: Callable[[str, str], None], text: str, said: str
) -> None:
    refused(text, said)
