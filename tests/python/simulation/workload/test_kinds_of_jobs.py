# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: jobs whose size is chosen at the start, or while they run. Worked out by hand."""

from collections.abc import Sequence

import pytest

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.job import Job, Kind, Outcome
from nereus.simulation.workload.kinds import with_kinds
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate
from nereus.simulation.workload.sources import Jobs, jobs_of

GENERATED = {"jobs": 50, "every": 10.0, "seconds": 60.0, "most_ranks": 8, "limit_factor": 2.0}


def sized(kind: Kind, submit: float, least: int, ranks: int, most: int, seconds: float) -> Job:
    return Job("sized", submit, ranks, seconds, 10 * seconds, kind, least, most)


def on_four_cores(jobs: Sequence[Job], strategy: str | None = None, order: str = "easy") -> list[Outcome]:
    chosen = None if strategy is None else STRATEGIES[strategy]
    return simulate(jobs, ORDERS[order].make(4), chosen, parallel_fraction=1.0)


def rigid(submit: float, ranks: int, seconds: float) -> Job:
    return Job.rigid("rigid", submit, ranks, seconds, seconds)


@pytest.mark.parametrize("order", ["fcfs", "easy"])
def test_moldable_job_starts_on_the_cores_that_are_there(order: str) -> None:
    _, moldable = on_four_cores([rigid(0, 3, 10), sized(Kind.MOLDABLE, 1, 1, 2, 2, 10)], order=order)
    assert (moldable.started, moldable.ranks, moldable.ended) == (1, 1, 21)


def test_malleable_job_takes_idle_cores_and_gives_them_back_for_a_waiting_job() -> None:
    jobs = [sized(Kind.MALLEABLE, 0, 1, 2, 4, 10), rigid(2, 2, 10)]
    malleable, waiting = on_four_cores(jobs, "keep-preferred")
    # On all four cores 4 s of its work are done in 2 s; then it has two again.
    assert (waiting.started, malleable.ended, malleable.resizes) == (2, 8, 2)
    assert malleable.core_seconds == 20


def test_strategy_decides_down_to_how_many_ranks_jobs_give() -> None:
    jobs = [sized(Kind.MALLEABLE, 0, 1, 2, 4, 10), rigid(2, 3, 10)]
    malleable, waiting = on_four_cores(jobs, "keep-preferred")
    assert (waiting.started, malleable.ended, malleable.resizes) == (5, 5, 1)
    malleable, waiting = on_four_cores(jobs, "keep-least")
    # 4 s of its work in 2 s, 5 s in 10 s on one core, the last one on four.
    assert (waiting.started, malleable.ended, malleable.resizes) == (2, 12.5, 3)


def test_limit_of_a_resized_job_is_as_much_work_as_it_asked_for() -> None:
    killed = Job("killed", 0, 2, 100, 10, Kind.MALLEABLE, 1, 4)
    (outcome,) = on_four_cores([killed], "keep-preferred")
    assert (outcome.ended, outcome.killed, outcome.work_seconds) == (5, True, 10)


def test_as_many_jobs_are_malleable_as_was_asked_and_stay_so_at_higher_shares() -> None:
    workload = Workload.model_validate({"cores": 8, "generated": GENERATED, "moldable": 10.0})
    jobs = jobs_of(workload, 1)
    named = [
        {job.name for job in with_kinds(jobs, workload, share, 1) if job.kind is Kind.MALLEABLE}
        for share in (0, 20, 60)
    ]
    assert [len(each) for each in named] == [0, 10, 30]
    assert named[1] < named[2]
    kinds = [job.kind for job in with_kinds(jobs, workload, 20, 1)]
    assert kinds.count(Kind.MOLDABLE) == 5
    others = {job.name for job in with_kinds(jobs, workload, 20, 2) if job.kind is Kind.MALLEABLE}
    assert others != named[1]


def core_hours(jobs: Sequence[Job]) -> float:
    return sum(job.ranks * job.seconds for job in jobs)


@pytest.mark.parametrize("seed", range(5))
def test_share_may_be_of_core_hours_and_jobs_stay_malleable_at_higher_shares(seed: int) -> None:
    keys = {"cores": 8, "generated": GENERATED, "malleable_by": "core-hours", "moldable": 15.0}
    workload = Workload.model_validate(keys)
    jobs = jobs_of(workload, seed)
    largest = max(job.ranks * job.seconds for job in jobs.all)
    before: set[str] = set()
    for percent in (0, 20, 60, 85):
        made = with_kinds(jobs, workload, percent, seed)
        malleable = [job for job in made if job.kind is Kind.MALLEABLE]
        sized = [job for job in made if job.kind is not Kind.RIGID]
        for found, asked in ((malleable, percent), (sized, percent + 15)):
            wanted = core_hours(jobs.all) * asked / 100
            # What is malleable is so at its share or just above: never by more than one job.
            assert wanted * (1 - 1e-9) <= core_hours(found) < wanted + largest
        assert before <= {job.name for job in malleable}
        before = {job.name for job in malleable}
    assert len(with_kinds(jobs, workload, 85, seed)) == len(sized) == len(jobs.all)


def test_core_hours_worked_out_by_hand() -> None:
    """Of 10, 20 and 70 core seconds: 60 % take the large one, and those that were drawn before it."""
    keys = {"cores": 8, "generated": GENERATED, "malleable_by": "core-hours"}
    jobs = Jobs([Job.rigid("a", 0, 1, 10), Job.rigid("b", 0, 2, 10), Job.rigid("c", 0, 7, 10)])
    for seed in range(20):
        made = with_kinds(jobs, Workload.model_validate(keys), 60, seed)
        names = "".join(job.name for job in made if job.kind is Kind.MALLEABLE)
        assert names in ("c", "ac", "bc", "abc")
        made = with_kinds(jobs, Workload.model_validate(keys), 5, seed)
        assert [job.kind for job in made].count(Kind.MALLEABLE) == 1


def test_sizes_are_the_factors_of_the_workload_within_the_machine() -> None:
    workload = Workload.model_validate(
        {"cores": 10, "generated": GENERATED, "least_factor": 0.3, "most_factor": 2.5}
    )
    jobs = with_kinds(Jobs([Job.rigid("a", 0, 4, 10), Job.rigid("b", 0, 3, 10)]), workload, 100, 1)
    assert [(job.least, job.ranks, job.most) for job in jobs] == [(2, 4, 10), (1, 3, 7)]


def test_job_that_says_its_kind_keeps_it() -> None:
    own = {"name": "a", "ranks": 2, "seconds": 5, "kind": "malleable", "least": 1, "most": 3}
    plain = {"name": "b", "submit": 1, "ranks": 2, "seconds": 5}
    never = {"name": "c", "ranks": 2, "seconds": 5, "kind": "rigid"}
    workload = Workload.model_validate({"cores": 8, "jobs": [own, plain, never]})
    jobs = {job.name: job for job in with_kinds(jobs_of(workload, 1), workload, 100, 1)}
    assert [jobs[name].kind for name in "abc"] == [Kind.MALLEABLE, Kind.MALLEABLE, Kind.RIGID]
    assert (jobs["a"].least, jobs["a"].most) == (1, 3)
