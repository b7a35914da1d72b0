# SPDX-License-Identifier: BSD-3-Clause
"""Programs that srun starts itself say what they can do, and no resize waits for ever."""

import json
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import choose

_PLATE = ("--rows", "300", "--columns", "100", "--iterations", "300")


def ran(cluster: Any, mpi: str, *options: str, arguments: tuple[str, ...] = (), **variables: str) -> Any:
    """The program's lines of results, and what it said on stderr, in a job of one node."""
    program: Path = choose(mpi).program("nereus-halo")
    words = ["srun", "--nodes=1", *options, str(program), *_PLATE, *arguments]
    done = cluster.on(cluster.login, "salloc", "-Q", "--nodes=1", "--ntasks-per-node=2", *words, **variables)
    assert done.returncode == 0, done.stderr
    cluster.wait_until(lambda: not cluster.jobs, "the job is still being ended")
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_job_of_srun_grows_where_steps_may_overlap(cluster: Any, mpich: str) -> None:
    resize = ("--resize", "100:2")
    [result], said = ran(cluster, mpich, "-n1", "--mpi=pmi2", arguments=resize, SLURM_OVERLAP="1")
    assert (result["resizes"], result["ranks"]) == (1, 2)
    assert "steps of the same Slurm job" in said


def test_job_of_srun_does_not_wait_for_its_own_processors(cluster: Any, mpich: str) -> None:
    [result], said = ran(cluster, mpich, "-n1", "--mpi=pmi2", arguments=("--resize", "100:2"))
    assert (result["resizes"], result["undone"], result["ranks"]) == (0, 1, 1)
    assert "this job cannot make processes: srun started it without SLURM_OVERLAP=1" in said


@pytest.mark.parametrize("tasks", [1, 2])
def test_processes_that_srun_does_not_connect_say_so_once(cluster: Any, mpich: str, tasks: int) -> None:
    results, said = ran(cluster, mpich, f"-n{tasks}", "--mpi=none")
    assert [result["ranks"] for result in results] == [1] * tasks
    assert said.count("is a job of its own") == (1 if tasks > 1 else 0)
