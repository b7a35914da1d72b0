# SPDX-License-Identifier: BSD-3-Clause
"""A host that loses its power or its network costs a job its slots, and what was computed since an epoch."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

SAVING = ("--save", "saved", "--save-every", "0.2", "--recoveries", "2", "--heartbeat-timeout", "6")


def wait_for_epoch(job: Any, folder: Path) -> None:
    job.wait_until(lambda: [*folder.glob("saved/epoch-*")] != [], lambda: "no epoch")


@pytest.mark.parametrize("mpi", ["mpich", "openmpi"], indirect=True)
def test_job_goes_on_without_a_host_that_fell_silent(start: Any, hosts: Any, site: Any, mpi: str) -> None:
    with start(mpi, "a:1,b:1,c:1", "-n", "3", *SAVING) as job:
        job.expect("abc")
        wait_for_epoch(job, site.folder)
        with hosts.lost(hosts.c):
            job.wait_until(lambda: job.placed == "ab", lambda: f"the job is on {job.placed}")
        assert f"{hosts.c}: lost: no heartbeat for" in job.output
        assert f"host {hosts.c} was lost" in job.output
        assert "it continues from epoch" in job.output
        job.stop()


def test_job_goes_on_without_the_host_of_its_first_rank(
    start: Any, hosts: Any, site: Any, mpich: str
) -> None:
    with start(mpich, "c:1,b:1", "-n", "2", *SAVING) as job:
        job.expect("cb")
        wait_for_epoch(job, site.folder)
        with hosts.lost(hosts.c):
            job.wait_until(lambda: job.placed == "b", lambda: f"the job is on {job.placed}")
        job.stop()


def test_host_without_ranks_that_fell_silent_is_not_used_any_more(start: Any, hosts: Any, mpich: str) -> None:
    with start(mpich, "a:1,b:1,c:1", "-n", "2", *SAVING) as job:
        job.expect("ab")
        with hosts.lost(hosts.c):
            job.wait_until(lambda: f"{hosts.c}: lost" in job.output, lambda: "nothing is said of the loss")
            job.wait_until(
                lambda: job.resize(3)["name"] != "NEREUS_RESIZED", lambda: "it grew to a lost host"
            )
            job.expect("ab")
            job.stop()
    assert "it continues from epoch" not in job.output


@pytest.mark.parametrize("mpi", ["openmpi"], indirect=True)
def test_job_goes_on_without_a_host_where_only_its_launcher_was(
    start: Any, hosts: Any, site: Any, mpi: str
) -> None:
    """Open MPI's waits for its daemons on all hosts."""
    with start(mpi, "a:1,b:1,c:1", "-n", "2", *SAVING) as job:
        job.expect("ab")
        wait_for_epoch(job, site.folder)
        with hosts.lost(hosts.c):
            job.wait_until(lambda: "it continues from epoch" in job.output, lambda: job.output)
            job.wait_until(lambda: job.placed == "ab", lambda: f"the job is on {job.placed}")
            job.stop()


def test_hosts_send_no_heartbeats_where_the_job_is_not_recovered(start: Any, hosts: Any, mpich: str) -> None:
    with start(mpich, "a:1,b:1") as job:
        job.expect("a")
        assert not any("while echo" in command_line(pid) for pid in job.all_on("b"))
        job.stop()


def test_killed_supervisor_leaves_no_heartbeats(start: Any, hosts: Any, mpich: str) -> None:
    with start(mpich, "a:1,b:1", "-n", "2", *SAVING) as job:
        job.expect("ab")
        job.wait_until(
            lambda: any("while echo" in command_line(pid) for pid in job.all_on("b")), lambda: "no heartbeats"
        )
        job.kill()
        hosts.wait_until_empty(hosts.b)


def command_line(pid: int) -> str:
    """Of a process that may have ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    return ""


def test_job_of_which_all_hosts_were_lost_ends(start: Any, hosts: Any, site: Any, mpich: str) -> None:
    with start(mpich, "c:1", "-n", "1", *SAVING) as job:
        job.expect("c")
        wait_for_epoch(job, site.folder)
        with hosts.lost(hosts.c):
            code = job.process.wait(60)
    assert code == 1
    assert "it is not started again: none of its hosts is left" in job.output
