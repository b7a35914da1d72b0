# SPDX-License-Identifier: BSD-3-Clause
"""Hydra puts every rank on the host of its mapping, and ranks of a host share its memory."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import choose
from nereus.placement import Asked, place_ranks, read_topology, read_traffic, written
from nereus.placement.selection import Selection

PROGRAM = """\
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    char host[64];
    int rank = 0, beside = 0;
    MPI_Comm here = MPI_COMM_NULL;
    gethostname(host, sizeof host);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &beside);
    char line[128];
    const int length = snprintf(line, sizeof line, "%d %s %d\\n", rank, host, beside);
    if (write(1, line, (size_t)length) != length) return 1;
    MPI_Comm_free(&here);
    return MPI_Finalize();
}
"""
# 0 and 3, and 1 and 2, send each other most.
TRAFFIC = "0 1 1 9\n1 0 9 1\n1 9 0 1\n9 1 1 0\n"


@pytest.mark.parametrize("mpi", ["mpich"])
def test_ranks_are_on_the_hosts_of_the_mapping(hosts: Any, mpi: str, tmp_path: Path) -> None:
    build = choose(mpi)
    (tmp_path / "where.c").write_text(PROGRAM)
    compiler = build.mpiexec.with_name(build.mpiexec.name.replace("mpiexec", "mpicc"))
    subprocess.run([compiler, "-o", tmp_path / "where", tmp_path / "where.c"], check=True, timeout=60)
    (tmp_path / "m.txt").write_text(TRAFFIC)
    (tmp_path / "hosts.toml").write_text(
        f'[[hosts]]\nname = "{hosts.a}"\nslots = 2\n[[hosts]]\nname = "{hosts.b}"\nslots = 2\n'
    )
    traffic = read_traffic(tmp_path / "m.txt", Selection())
    placed = place_ranks(Asked(traffic, read_topology(str(tmp_path / "hosts.toml"))))
    made = written(placed, "hydra", str(tmp_path / "file"))
    (tmp_path / "file").write_text(made.text)
    launcher = f"{build.mpiexec} -launcher rsh -launcher-exec {hosts.rsh}"
    command = made.use.replace("mpiexec", launcher, 1).replace("PROGRAM", str(tmp_path / "where"))
    done = subprocess.run([hosts.enter, hosts.a, command], capture_output=True, text=True, timeout=60)
    expected = [f"{rank} {name} 2" for rank, name in enumerate(placed.document()["hosts"])]
    assert sorted(done.stdout.splitlines()) == expected, done.stderr
