# SPDX-License-Identifier: BSD-3-Clause
"""A process dies while an array gets another distribution: the epoch has the array as it was."""

from typing import Any

import pytest

#: Calls of nereus_change_distribution(): while all agree, while data is sent, and when it has come.
CALLS = ("MPI_Allreduce:1", "MPI_Comm_dup:1", "MPI_Isend:1", "MPI_Irecv:1", "MPI_Isend:2", "MPI_Allreduce:8")
BLOCK, CYCLIC = 0, 3


def changed(site: Any, mpi: str, call: str, *options: str) -> Any:
    """A job of three processes; the first one that comes to `call` dies."""
    program = site.program(mpi, "redistributes")
    environment = {
        "LD_PRELOAD": str(program.parent / "libkill-at.so"),
        "NEREUS_TEST_KILL_FILE": str(site.folder / "kill-at"),
        "NEREUS_MEMORY": "private",
    }
    return site.nereus("run", "--mpi", mpi, "-n", "3", *options, "--", program, call, **environment)


@pytest.mark.parametrize("call", CALLS)
def test_death_during_a_change_of_distribution_leaves_the_epoch_before(
    site: Any, mpi: str, call: str
) -> None:
    died = changed(site, mpi, call, "--save", "saved")
    assert (site.folder / "kill-at.done.1").exists(), died.err
    assert died.code not in (0, 2), died.err
    assert "changed" not in died.out, "the process died later"
    (site.folder / "kill-at").unlink()
    continued = changed(site, mpi, "nobody:1", "--resume", "saved")
    assert continued.code == 0, continued.err
    assert continued.out == f"layout {BLOCK}, right\n"


def test_change_of_distribution_without_a_death_is_carried_out(site: Any, mpi: str) -> None:
    done = changed(site, mpi, "nobody:1", "--save", "saved")
    assert done.code == 0, done.err
    assert done.out == f"changed\nlayout {CYCLIC}, right\n"
