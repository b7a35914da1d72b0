# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: cores given where they only make jobs wait for one another."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve
from nereus.policy.sharing import Sharer, by_io, by_speedup, fair
from nereus.policy.throughput import by_throughput, rate

PHASES = Parameters().played_phases


def a_job(name: str, ranks: int, curve: Curve, io_seconds: float, most: int = 4096) -> Sharer:
    return Sharer(name, ranks, most, curve, io_seconds)


#: Table 2 of the paper, with the times of examples/simulate/table-2.toml.
TABLE_2 = [
    a_job("A1", 6, Curve(1.2, 458.8, 0.002), 2.9),
    a_job("A2", 8, Curve(1.2, 331.5, 0.002), 5.2),
    a_job("A3", 8, Curve(3.6, 168.6, 0.006), 1.6),
    a_job("A4", 6, Curve(1.2, 371.6, 0.002), 7.8),
]


@pytest.mark.parametrize(("cores", "gain"), [(36, 0.03), (82, 0.10), (135, 0.10), (210, 0.10)])
def test_jobs_of_table_2_have_higher_throughput_than_with_even_shares(cores: int, gain: float) -> None:
    free = cores - sum(job.ranks for job in TABLE_2)
    ours = by_throughput(TABLE_2, free, Parameters())
    even = fair(TABLE_2, free)
    rates = [rate(TABLE_2, [more[job.name] for job in TABLE_2], PHASES) for more in (ours, even)]
    assert rates[0] >= (1 + gain) * rates[1]


def test_job_that_would_only_block_others_gets_no_cores() -> None:
    quick = a_job("quick", 4, Curve(0.0, 100.0, 0.0), 0.1)
    writer = a_job("writer", 4, Curve(60.0, 60.0, 0.0), 20.0)
    assert by_throughput([quick, writer], 12, Parameters())["writer"] == 0


def jobs_of(draw: st.DrawFn, most: int) -> list[Sharer]:
    return [
        a_job(
            f"j{number}",
            draw(st.integers(1, 20)),
            Curve(draw(st.floats(0, 5)), draw(st.floats(0.1, 500)), draw(st.floats(0, 0.1))),
            draw(st.floats(0, 10)),
            most=draw(st.integers(1, 60)),
        )
        for number in range(draw(st.integers(1, most)))
    ]


@st.composite
def few_jobs(draw: st.DrawFn) -> list[Sharer]:
    return jobs_of(draw, 3)


@settings(deadline=None, max_examples=25)
@given(few_jobs(), st.integers(0, 40))
def test_shares_respect_free_cores_and_job_limits(jobs: list[Sharer], free: int) -> None:
    found = by_throughput(jobs, free, Parameters())
    assert set(found) == {job.name for job in jobs}
    assert sum(found.values()) <= free
    for job in jobs:
        assert found[job.name] >= 0
        assert found[job.name] == 0 or job.ranks + found[job.name] <= job.most


@settings(deadline=None, max_examples=25)
@given(few_jobs(), st.integers(0, 40))
def test_throughput_is_no_worse_than_policies_for_single_jobs(jobs: list[Sharer], free: int) -> None:
    def of(more: dict[str, int]) -> float:
        return rate(jobs, [more[job.name] for job in jobs], PHASES)

    ours = of(dict(by_throughput(jobs, free, Parameters())))
    for other in (fair(jobs, free), by_speedup(jobs, free), by_io(jobs, free, Parameters())):
        assert ours >= of(other) * (1 - 1e-9)


def test_many_jobs_are_shared_without_simulation() -> None:
    number = Parameters().most_played + 1
    many = [a_job(f"j{each}", 1, Curve(0.0, 100.0, 0.0), 1.0) for each in range(number)]
    assert by_throughput(many, 50, Parameters()) == by_io(many, 50, Parameters())
