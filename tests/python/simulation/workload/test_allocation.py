# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the waits and the waste of a site that gives nobody a part of a node."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_orders import plan_of, rigid_jobs

from nereus.policy.strategies import STRATEGIES
from nereus.simulation.workload.allocation import allocated
from nereus.simulation.workload.job import Job, Kind, Outcome
from nereus.simulation.workload.model import Workload
from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate

Nereus = Callable[..., tuple[int, str, str]]
#: On two nodes of four cores.
WHOLE = 'cores = 8\ncores_per_node = 4\nallocation = "exclusive"\n'
TWO = """
[[jobs]]
name = "five"
ranks = 5
seconds = 10
[[jobs]]
name = "one"
ranks = 1
seconds = 10
"""


def exclusive(cores: int, node: int) -> Workload:
    return Workload.model_validate(
        {"cores": cores, "cores_per_node": node, "allocation": "exclusive", "trace": "none"}
    )


def of_two_nodes(jobs: Sequence[Job], parallel_fraction: float = 1.0) -> list[Outcome]:
    sized = [allocated(job, exclusive(8, 4)) for job in jobs]
    return simulate(sized, ORDERS["fcfs"].make(8), STRATEGIES["keep-least"], parallel_fraction)


def sized(job: Job, kind: Kind, least: int, most: int) -> Job:
    return replace(job, kind=kind, least=least, most=most)


@pytest.mark.parametrize(
    ("begin", "wait", "utilisation", "by_ranks"),
    [
        (WHOLE.replace("exclusive", "shared"), 0, 60 / 80, 60 / 80),
        # Five ranks need both nodes, so that one rank waits for 10 s, then has a node: 80 + 40 core seconds.
        (WHOLE, 5, 120 / 160, 60 / 160),
    ],
)
def test_job_waits_for_whole_nodes_and_has_all_their_cores(
    nereus: Nereus, tmp_path: Path, begin: str, wait: float, utilisation: float, by_ranks: float
) -> None:
    file = tmp_path / "w.toml"
    file.write_text(begin + TWO)
    code, out, _ = nereus("simulate", "workload", file, "--json", "--quiet")
    (row,) = json.loads(out)["rows"]
    assert code == 0
    assert (row["mean_wait_seconds"], row["utilisation"], row["utilisation_by_ranks"]) == (
        wait,
        pytest.approx(utilisation),
        pytest.approx(by_ranks),
    )


def test_moldable_job_takes_as_long_as_on_the_ranks_that_it_has() -> None:
    """Five ranks on two nodes take 8 s. On one node there are four: 10 s, not 16 s."""
    thin, job = rigid_jobs([(0, 1, 100, 100), (0, 5, 8, 8)])
    first, second = of_two_nodes([thin, sized(job, Kind.MOLDABLE, 3, 5)])
    assert (second.started, second.ranks, second.ended) == (0, 4, 10)
    assert (second.core_seconds, second.computing_core_seconds) == (40, 40)
    assert (first.core_seconds, first.computing_core_seconds) == (400, 100)


def test_malleable_job_has_its_ranks_again_on_the_nodes_that_it_asked_for() -> None:
    """Four ranks until the first job ends at 5 s: half of the work. Then five, for the other 4 s."""
    thin, job = rigid_jobs([(0, 1, 5, 5), (0, 5, 8, 8)])
    _, second = of_two_nodes([thin, sized(job, Kind.MALLEABLE, 3, 5)])
    assert (second.resizes, second.ranks, second.ended) == (1, 8, 9)
    assert (second.core_seconds, second.computing_core_seconds) == (4 * 5 + 8 * 4, 4 * 5 + 5 * 4)


@pytest.mark.parametrize("order", ORDERS)
@given(data=st.data(), node=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_jobs_start_as_on_a_machine_whose_cores_are_nodes(order: str, data: st.DataObject, node: int) -> None:
    nodes = 4
    each = st.tuples(st.integers(0, 9), st.integers(1, nodes * node), st.integers(1, 9), st.integers(1, 12))
    jobs = rigid_jobs(sorted(data.draw(st.lists(each, min_size=1, max_size=12))))
    cores = exclusive(nodes * node, node)
    outcomes = simulate([allocated(job, cores) for job in jobs], ORDERS[order].make(nodes * node))
    in_nodes = [replace(job, ranks=-(-job.ranks // node)) for job in jobs]
    assert dict(enumerate(each.started for each in outcomes)) == plan_of(order, in_nodes, nodes).started
    for job, outcome in zip(jobs, outcomes, strict=True):
        assert outcome.ranks % node == 0 and 0 <= outcome.ranks - job.ranks < node
        assert outcome.computing_core_seconds == job.ranks * min(job.seconds, job.limit)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(data=st.data(), node=st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_resized_jobs_keep_whole_nodes_and_do_all_their_work(
    strategy: str, data: st.DataObject, node: int
) -> None:
    cores, jobs = 4 * node, []
    for number in range(data.draw(st.integers(1, 10))):
        ranks = data.draw(st.integers(1, cores))
        (job,) = rigid_jobs([(number, ranks, data.draw(st.integers(1, 9)), 9)])
        least, most = data.draw(st.integers(1, ranks)), data.draw(st.integers(ranks, cores))
        jobs.append(allocated(sized(job, Kind.MALLEABLE, least, most), exclusive(cores, node)))
    outcomes = simulate(jobs, ORDERS["easy"].make(cores), STRATEGIES[strategy], step=node)
    for job, each in zip(jobs, outcomes, strict=True):
        assert each.ranks % node == 0 and job.least <= each.ranks <= job.most <= cores
        assert each.work_seconds == min(job.seconds, job.limit)
        assert each.computing_core_seconds <= each.core_seconds


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (WHOLE.replace("cores = 8", "cores = 9"), ":1: cores = 9: a multiple of the 4 cores of a node"),
        (
            WHOLE.replace("exclusive", "own"),
            ':3: allocation = "own": one of shared, exclusive',
        ),
        (WHOLE.replace("= 4", "= 0"), ":2: cores_per_node = 0: a whole number from 1 to 10^7"),
        (
            'cores = 8\nallocation = "exclusive"\n',
            ':2: allocation = "exclusive": exclusive needs cores_per_node',
        ),
    ],
)
def test_wrong_nodes_are_reported_with_line_key_and_what_is_allowed(
    refused: Callable[[str, str], None], text: str, said: str
) -> None:
    refused(text + TWO, said)
