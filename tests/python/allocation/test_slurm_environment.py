# SPDX-License-Identifier: BSD-3-Clause
"""The job that we run in is read from what Slurm tells it, or refused in a line."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nereus.allocation import AllocationError
from nereus.allocation.slurm import slurm_job
from nereus.allocation.slurm.environment import counts_of

JOB = {
    "SLURM_JOB_ID": "4711",
    "SLURM_JOB_NODELIST": "n[1-3]",
    "SLURM_JOB_CPUS_PER_NODE": "4(x2),2",
    "SLURM_JOB_PARTITION": "p",
    "SLURM_CLUSTER_NAME": "c",
}


def test_job_is_read_with_processors_of_each_node() -> None:
    job = slurm_job(JOB)
    assert job is not None
    assert (job.id, job.node_list, job.cluster, job.partition) == (4711, "n[1-3]", "c", "p")
    assert job.processors == job.slots == (4, 4, 2)


def test_process_with_several_processors_takes_several() -> None:
    job = slurm_job(JOB | {"SLURM_CPUS_PER_TASK": "3"})
    assert job is not None
    assert job.slots == (1, 1, 1)


def test_there_is_no_job_outside_slurm() -> None:
    assert slurm_job({}) is None


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"SLURM_HET_SIZE": "2"}, "heterogeneous"),
        ({"SLURM_JOB_ID": "x"}, "SLURM_JOB_ID"),
        ({"SLURM_JOB_ID": "9" * 5000}, "SLURM_JOB_ID"),
        ({"SLURM_JOB_NODELIST": ""}, "SLURM_JOB_NODELIST"),
        ({"SLURM_JOB_CPUS_PER_NODE": "4(x0)"}, "SLURM_JOB_CPUS_PER_NODE"),
        ({"SLURM_JOB_CPUS_PER_NODE": "4(x9999999)"}, "SLURM_JOB_CPUS_PER_NODE"),
        ({"SLURM_JOB_CPUS_PER_NODE": "4,,4"}, "SLURM_JOB_CPUS_PER_NODE"),
        ({"SLURM_CPUS_PER_TASK": "0"}, "SLURM_CPUS_PER_TASK"),
    ],
)
def test_job_that_cannot_be_served_is_refused_by_name(changes: dict[str, str], named: str) -> None:
    with pytest.raises(AllocationError, match=named):
        slurm_job(JOB | changes)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(1, 512), st.integers(1, 50)), min_size=1, max_size=8))
def test_counts_come_out_as_slurm_joined_them(runs: list[tuple[int, int]]) -> None:
    text = ",".join(f"{count}(x{times})" if times > 1 else str(count) for count, times in runs)
    assert counts_of(text) == tuple(count for count, times in runs for _ in range(times))


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        assert all(count >= 1 for count in counts_of(text))
    except AllocationError as refused:
        assert "allowed is" in str(refused)
