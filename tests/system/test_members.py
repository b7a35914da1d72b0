# SPDX-License-Identifier: BSD-3-Clause
"""Processes of a job that die: it fails with a message, however its launcher takes it, and does not hang."""

import os
import signal
from typing import Any

import pytest
from faulty_application import Application, end_of, repeated_where_open_mpi_hangs, running


def must_fail_when_killed(application: Application, number: signal.Signals) -> None:
    """One process of the job dies of the signal: within the time limit of these tests the job has ended."""
    ranks = application.site.processes("resizable")
    os.kill(max(ranks), number)
    _, err = end_of(application.process)
    assert application.process.returncode not in (0, None), err
    assert "the job failed: " in err


SIGNALS = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT)
STRATEGIES = ("none", "single", "multiple", "asynchronous")


@pytest.mark.parametrize(
    ("number", "strategies"),
    [
        # `make test` sees each signal and each strategy.
        pytest.param(number, strategies, marks=() if (n - m) % 3 == 0 else pytest.mark.whole)
        for n, number in enumerate(SIGNALS)
        for m, strategies in enumerate(STRATEGIES)
    ],
)
def test_rank_killed_after_baseline_by_spawning_fails_the_job(
    site: Any, mpich: str, number: signal.Signals, strategies: str
) -> None:
    with running(site, mpich) as application:
        answer = application.resize(3, process_method="baseline-inter", process_strategies=strategies)
        assert answer["name"] == "NEREUS_RESIZED", answer
        application.wait(lambda: application.state()["ranks"] == 3)
        must_fail_when_killed(application, number)


@pytest.mark.parametrize("method", ["merge", "baseline-intra"])
@repeated_where_open_mpi_hangs
def test_rank_killed_with_separate_worlds_fails_the_job(site: Any, mpi: str, method: str) -> None:
    with running(site, mpi, NEREUS_RELEASE_UNIT="rank") as application:
        answer = application.resize(4, process_method=method, process_strategies="parallel")
        assert answer["name"] == "NEREUS_RESIZED", answer
        application.wait(lambda: application.state()["ranks"] == 4)
        must_fail_when_killed(application, signal.SIGKILL)


@repeated_where_open_mpi_hangs
def test_leaving_processes_are_no_failure(site: Any, mpi: str) -> None:
    with running(site, mpi, NEREUS_RELEASE_UNIT="rank") as application:
        for ranks in (4, 2, 3, 1, 2):
            application.must_resize_to(ranks)
        application.must_end_well()
