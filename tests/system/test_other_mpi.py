# SPDX-License-Identifier: BSD-3-Clause
"""A program of another MPI than the launcher's, which would run as jobs of one process each, is refused."""

from typing import Any

import pytest
from test_examples import example

from nereus.launch import choose


@pytest.mark.parametrize(("theirs", "ours"), [("mpich", "openmpi"), ("openmpi", "mpich")])
def test_program_linked_with_another_mpi_is_refused_before_anything_starts(
    site: Any, mpich: str, openmpi: str, theirs: str, ours: str
) -> None:
    folder = site.folder / "application"
    folder.mkdir()
    program = site.program(theirs, "resizable")
    result = site.nereus("run", "--mpi", ours, "-n", "2", "--", program, folder)
    assert result.code == 2
    assert "it was built for" in result.err
    assert f"the build {ours} is" in result.err
    assert list(folder.iterdir()) == []


def test_program_with_hidden_mpi_is_refused_when_it_opens_the_job(
    site: Any, mpich: str, openmpi_debian: str
) -> None:
    folder = site.folder / "application"
    folder.mkdir()
    script = site.folder / "script"
    script.write_text(f'#!/bin/sh\nexec {site.program(openmpi_debian, "resizable")} "$@"\n')
    script.chmod(0o755)
    # Open MPI 4.1.8 does not get through its own MPI_Init under Hydra, nor MPICH under Open MPI's launcher.
    result = site.nereus("run", "--mpi", mpich, "-n", "2", "--", script, folder)
    assert result.code not in (0, 2)
    assert "MPI_COMM_WORLD has 1 of the 2 processes" in result.err
    assert not (folder / "events").exists()


def test_script_that_starts_the_processes_itself_is_accepted(site: Any, mpich: str) -> None:
    """`nereus run -n 1` starts the script, which has more processes than that."""
    script = site.folder / "script"
    program = f"{example(mpich, 'example_01')} --nereus-process-strategies=none"
    script.write_text(f"#!/bin/sh\nexec {choose(mpich).mpiexec} -n 2 {program}\n")
    script.chmod(0o755)
    result = site.nereus("run", "--quiet", "--mpi", mpich, "-n", "1", "--", script)
    assert (result.code, result.out, result.err) == (0, "sum 511500 after 2 resizes\n", "")
