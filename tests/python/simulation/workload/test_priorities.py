# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: whose turn it is on a site that has priorities."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_orders import Numbers, plan_of, rigid_jobs

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.job import Job, Kind
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.orders.rules import Rules, Weights
from nereus.simulation.workload.simulation import simulate

Nereus = Callable[..., tuple[int, str, str]]
CORES = 4
FILE = """cores = 4
order = ["priority"]
[priority]
job_weight = 1
[[jobs]]
name = "first"
ranks = 4
seconds = 10
limit = 10
[[jobs]]
name = "later"
submit = 1
ranks = 4
seconds = 10
limit = 10
[[jobs]]
name = "urgent"
submit = 2
ranks = 4
seconds = 5
limit = 10
priority = 0.5
"""


@st.composite
def with_priorities(draw: st.DrawFn) -> list[Job]:
    gaps = draw(st.lists(st.integers(0, 4), min_size=1, max_size=14))
    numbers: list[Numbers] = []
    for submit in accumulate(gaps):
        ranks, seconds, limit = (draw(st.integers(1, most)) for most in (CORES, 9, 12))
        numbers.append((submit, ranks, seconds, limit))
    return [replace(job, priority=draw(st.integers(0, 4)) / 4) for job in rigid_jobs(numbers)]


def some_weights() -> st.SearchStrategy[Weights]:
    """Ages that reach their maximum while jobs wait, and others."""
    weight = st.integers(0, 3).map(float)
    return st.builds(
        Weights, weight, st.sampled_from([1.0, 3.0, 8.0, 1e6]), st.integers(-3, 3).map(float), weight
    )


def starts(name: str, jobs: list[Job], weights: Weights) -> list[float]:
    return [each.started for each in simulate(jobs, ORDERS[name].make(CORES, Rules(weights)))]


def all_cores(priorities: list[float], submits: list[float]) -> list[Job]:
    """One after the other, 10 s each."""
    numbers: list[Numbers] = [(submit, CORES, 10, 10) for submit in submits]
    return [replace(job, priority=each) for job, each in zip(rigid_jobs(numbers), priorities, strict=True)]


@given(jobs=with_priorities(), weights=some_weights())
@settings(max_examples=150, deadline=None)
def test_jobs_start_when_a_plain_version_starts_them(jobs: list[Job], weights: Weights) -> None:
    found = dict(enumerate(starts("priority", jobs, weights)))
    assert found == plan_of("priority", jobs, CORES, Rules(weights)).started


def test_long_queue_starts_as_by_the_plain_version() -> None:
    """More jobs than a queue has room for at first, then fewer, then more again."""
    chosen, weights = random.Random(1), Weights(2.0, 300.0, -1.0, 1.5)
    numbers: list[Numbers] = []
    for number in range(200):
        seconds = chosen.randint(1, 20)
        submit = number // 3 + 900 * (number // 100)
        numbers.append((submit, chosen.randint(1, CORES), seconds, seconds))
    jobs = [replace(job, priority=chosen.random()) for job in rigid_jobs(numbers)]
    found = dict(enumerate(starts("priority", jobs, weights)))
    assert found == plan_of("priority", jobs, CORES, Rules(weights)).started


@given(jobs=with_priorities(), max_age=st.sampled_from([1.0, 3.0, 1e6]))
@settings(max_examples=100, deadline=None)
def test_with_age_alone_the_order_is_that_of_easy(jobs: list[Job], max_age: float) -> None:
    weights = Weights(age=7.0, max_age=max_age)
    assert starts("priority", jobs, weights) == starts("easy", jobs, weights)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(jobs=with_priorities())
@settings(max_examples=60, deadline=None)
def test_malleable_jobs_with_age_alone_are_resized_as_under_easy(strategy: str, jobs: list[Job]) -> None:
    sized = [replace(job, kind=Kind.MALLEABLE, least=(job.ranks + 1) // 2, most=CORES) for job in jobs]
    rules = Rules(Weights(age=1.0, max_age=5.0))
    first, second = (
        simulate(sized, ORDERS[name].make(CORES, rules), STRATEGIES[strategy])
        for name in ("priority", "easy")
    )
    assert first == second


def test_job_with_the_higher_priority_starts_first() -> None:
    jobs = all_cores([0, 0, 0.5, 1], [0, 1, 2, 3])
    assert starts("priority", jobs, Weights(job=1.0)) == [0, 30, 20, 10]


@pytest.mark.parametrize(("size", "found"), [(1.0, [0, 12, 10]), (-1.0, [0, 10, 13])])
def test_large_jobs_are_preferred_or_small_ones(size: float, found: list[float]) -> None:
    """Two jobs of 3 s and 2 s wait until 10 s, of three and of four ranks."""
    jobs = rigid_jobs([(0, 4, 10, 10), (1, 3, 3, 3), (2, 4, 2, 2)])
    assert starts("priority", jobs, Weights(size=size)) == found


@pytest.mark.parametrize(("max_age", "found"), [(20.0, [0, 10, 20]), (4.0, [0, 20, 10])])
def test_age_counts_up_to_its_maximum(max_age: float, found: list[float]) -> None:
    """The second has waited for 9 s, the third for 5 s: 0.45 and 0.25, or both 1. The third has 0.1 more."""
    jobs = all_cores([0, 0, 0.1], [0, 1, 5])
    assert starts("priority", jobs, Weights(age=1.0, max_age=max_age, job=1.0)) == found


def test_reservation_is_lost_to_a_job_of_higher_priority() -> None:
    """The thin one fits before the second, yet not before the third, which is first from 2 s on."""
    jobs = rigid_jobs([(0, 3, 10, 10), (1, 4, 5, 5), (2, 2, 5, 5), (3, 1, 30, 30)])
    jobs[2] = replace(jobs[2], priority=1.0)
    # The third takes two cores at 10 s. It leaves two, so that the fourth may start at 3 s.
    assert starts("priority", jobs, Weights(job=1.0)) == [0, 33, 10, 3]


def test_priorities_of_a_file_are_those_of_its_jobs(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(FILE)
    code, out, _ = nereus("simulate", "workload", file, "--order", "easy", "--order", "priority", "--json")
    assert code == 0
    # Turnarounds are 10, 19 and 23 s, or 10, 24 and 13 s.
    found = [row["mean_turnaround_seconds"] for row in json.loads(out)["rows"]]
    assert found == [pytest.approx(52 / 3), pytest.approx(47 / 3)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            FILE.replace("job_weight = 1", "max_age = 5"),
            ':2: order[0] = "priority": needs a weight other than 0 in the table priority',
        ),
        (FILE.replace("job_weight = 1", "age_weight = -1"), ":4: priority.age_weight = -1: a number from 0"),
        (FILE.replace("job_weight = 1", "max_age = 0"), ":4: priority.max_age = 0: seconds above 0"),
        (FILE.replace("job_weight = 1", "weight = 0"), ":4: priority.weight = "),
        (FILE.replace("0.5", "2"), ":22: jobs[2].priority = 2: a number from 0 to 1"),
        (FILE.replace("limit = 10\npri", "pri"), ":16: jobs[2].limit: is missing: the order priority needs"),
    ],
)
def test_wrong_priorities_are_reported_with_line_key_and_what_is_allowed(
    refused: Callable[[str, str], None], text: str, said: str
) -> None:
    refused(text, said)
