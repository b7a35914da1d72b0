# SPDX-License-Identifier: BSD-3-Clause
"""A host is not given back while a launcher has processes there: each command says where it has some."""

import socket
from pathlib import Path

import pytest

from nereus.launch import Build, Host, Launch, Reach, Share
from nereus.launch.hosts import short_name

HOSTS = (Host("n1.example.org", 2), Host("n2", 2), Host("N3", 2))


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    path = tmp_path / "mpiexec"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def hosts_of(launcher: Path, version: str, *shares: Share) -> dict[str, int]:
    launch = Launch(Build("any", launcher.parent, launcher, version), Path("/bin/true"), reach=Reach(HOSTS))
    return dict(launch.command(shares).hosts)


def test_mpich_has_processes_on_the_hosts_of_the_group_only(launcher: Path) -> None:
    shares = (Share("n1.example.org", 1), Share("N3", 1), Share("n1.example.org", 1))
    assert hosts_of(launcher, "MPICH Version: 9.9", *shares) == {"n1": 2, "n3": 1}


def test_open_mpi_has_processes_on_all_hosts_of_the_job(launcher: Path) -> None:
    assert hosts_of(launcher, "Open MPI v4.1.4", Share("n2", 1)) == {"n1": 0, "n2": 1, "n3": 0}


def test_group_without_a_host_is_on_this_one(launcher: Path) -> None:
    assert hosts_of(launcher, "MPICH Version: 9.9", Share("", 2)) == {short_name(socket.gethostname()): 2}
