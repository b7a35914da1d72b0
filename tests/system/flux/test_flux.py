# SPDX-License-Identifier: BSD-3-Clause
"""Jobs in a real Flux: their hosts, growth by further jobs, and what is left when something ends."""

from typing import Any

import pytest


def test_instance_of_a_batch_job_is_resized_without_options(start: Any, mpich: str) -> None:
    job = start(mpich, 2, "-n", "2", submit="batch")
    first = job.first_host[-1]
    job.expect(2 * first)
    job.resized("4")
    placed = job.placed_of(4)
    assert (placed[:2], len(set(placed))) == (2 * first, 2)
    job.resized("+1node")
    assert len(set(job.placed_of(6))) == 3
    job.stop()


def test_hosts_come_by_jobs_of_their_own_and_go_back(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    own = job.placed_of(2)[0]
    job.resized("+2nodes")
    placed = job.placed_of(6)
    more = sorted(set(placed) - {own})
    assert sorted(placed) == sorted(2 * (own + "".join(more)))
    assert len(cluster.jobs) == 3
    for going in more:
        job.resized("--release", cluster.hosts.prefix + going)
        cluster.wait_until(lambda going=going: going in cluster.idle, f"{going} is not idle")
    job.expect(2 * own)
    assert cluster.jobs == [job.number]
    # The same host again, by name.
    job.resized("--grow-to", cluster.hosts.prefix + more[0])
    job.expect(2 * own + 2 * more[0])
    job.stop()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("+9nodes",), "Flux has 4 hosts"),
        (("--grow-to", "elsewhere"), "elsewhere is no host of Flux"),
        (("--release", "1"), "at most 0"),
    ],
)
def test_impossible_request_is_refused_and_nothing_is_submitted(
    start: Any, cluster: Any, mpich: str, words: tuple[str, ...], reason: str
) -> None:
    job = start(mpich, 1, "-n", "2")
    refused = job.resize(*words)
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert reason in refused.stderr
    assert cluster.jobs == [job.number]
    job.stop()


def test_hosts_that_are_not_granted_in_time_leave_nothing_in_the_queue(
    start: Any, cluster: Any, mpich: str
) -> None:
    job = start(mpich, 1, "-n", "2")
    others = cluster.asked("submit", "--nodes=3", "--exclusive", "sleep", "1000")
    refused = job.resize("+1node", "--timeout", "12")
    assert refused.returncode == 1
    assert "Flux granted 0 of 1 hosts" in refused.stderr
    assert len(cluster.jobs) == 2
    cluster.asked("job", "raise", others)
    job.resized("+1node")
    job.stop()


def test_cancelled_job_of_a_host_is_told_with_the_host(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    own = job.placed_of(2)[0]
    job.resized("+1node")
    lost = (set(job.placed_of(4)) - {own}).pop()
    second = next(number for number in cluster.jobs if number != job.number)
    cluster.left_by_kills = ("mpich_shm_", "nereus-")
    cluster.asked("job", "raise", second)
    job.wait_for_end()
    assert f"{cluster.hosts.prefix}{lost}: lost: the Flux job {second} has ended" in job.output
    assert "exit code 0" not in job.output


def test_killed_supervisor_leaves_no_job(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    job.resized("+1node")
    assert len(cluster.jobs) == 2
    cluster.left_by_kills = ("mpich_shm_", "nereus-")
    supervisor = job.nereus("jobs", "--json").stdout.split('"pid": ')[1].split(",")[0]
    cluster.on(job.first_host, "kill", "-KILL", supervisor)
    cluster.wait_until(lambda: not cluster.jobs, "jobs are left")


def test_jobs_of_hosts_end_with_the_first(start: Any, cluster: Any, mpich: str) -> None:
    job = start(mpich, 1, "-n", "2")
    job.resized("+2nodes")
    assert len(cluster.jobs) == 3
    cluster.left_by_kills = ("mpich_shm_", "nereus-")
    cluster.asked("job", "raise", job.number)
    cluster.wait_until(lambda: not cluster.jobs, "jobs are left")
