# SPDX-License-Identifier: BSD-3-Clause
"""Inside a job of Slurm a run has the hosts of that job, unless its user names others."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from a_slurm import FakeSlurm, fake_slurm

from nereus.allocation import AllocationError, Wish
from nereus.launch import Build
from nereus.launch.hosts import Host, Share
from nereus.probe import Joining
from nereus.runs import Where


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSlurm]:
    with fake_slurm(tmp_path, monkeypatch, n1=2, n2=2, n3=4) as slurm:
        yield slurm


def inside(slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch, *names: str, **more: str) -> None:
    """In a job on these nodes."""
    for name, value in {**slurm.first_job(*names), **more}.items():
        monkeypatch.setenv(name, value)


def build(folder: Path, version: str = "MPICH Version: 9.9") -> Build:
    return Build("any", folder, folder / "mpiexec", version)


def read(hosts: str = "", rsh: str | None = None, growing: Build | None = None) -> Where:
    return Where.read(lambda texts: None, hosts, rsh, ["compact"], False, growing)


def test_hosts_and_slots_are_those_of_the_job(slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch) -> None:
    inside(slurm, monkeypatch, "n1", "n2", "n3")
    where = read()
    assert where.hosts == (Host("n1", 2), Host("n2", 2), Host("n3", 4))
    assert (where.slots, where.manager.kind) == (8, "slurm")


@pytest.mark.parametrize("more", [{}, {"SLURM_ARRAY_JOB_ID": "7"}])
def test_job_can_be_asked_from_the_login_node_on_however_many_hosts(
    slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, more: dict[str, str]
) -> None:
    inside(slurm, monkeypatch, "n1", **more)
    where = read()
    assert where.manager.job == os.environ["SLURM_JOB_ID"]
    start = where.supervision(build(tmp_path), Path("/bin/true"), (), 1, Joining(False, ""), {})
    assert start.is_asked_from_elsewhere
    assert not read(hosts="localhost:2").manager.job


def test_processes_with_several_processors_are_fewer(
    slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside(slurm, monkeypatch, "n2", "n3", SLURM_CPUS_PER_TASK="2")
    assert read().hosts == (Host("n2", 1), Host("n3", 2))


def test_processes_are_started_by_slurm_on_all_processors(
    slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside(slurm, monkeypatch, "n1", "n3")
    shell = read().reach.remote_shell
    assert shell is not None
    assert Path(shell.command).name == "start_on_host"
    assert shell.environment == {"NEREUS_SLURM_OPTIONS": "--cpu-bind=none"}


def test_founders_fill_the_hosts_of_the_job(
    slurm: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    inside(slurm, monkeypatch, "n2", "n3")
    start = read().supervision(build(tmp_path), Path("/bin/true"), (), 3, Joining(False), {})
    assert list(start.founders) == [Share("n2", 2), Share("n3", 1)]
    assert start.launch.environment["NEREUS_HOSTS"] == "n2:2,n3:4"


@pytest.mark.parametrize(("hosts", "rsh"), [("a:3", None), ("a:3", "ssh")])
def test_hosts_of_the_user_count(
    slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch, hosts: str, rsh: str | None
) -> None:
    inside(slurm, monkeypatch, "n1", "n2")
    where = read(hosts, rsh)
    assert (where.hosts, where.manager.kind) == ((Host("a", 3),), "static")
    assert slurm.calls("scontrol") == []


def test_job_of_slurm_without_its_commands_is_this_host(
    slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside(slurm, monkeypatch, "n1", "n2")
    (slurm.programs / "srun").unlink()
    monkeypatch.setenv("PATH", str(slurm.programs))
    where = read()
    assert (where.hosts, where.manager.kind) == ((), "static")


def test_outside_of_slurm_is_this_host(slurm: FakeSlurm) -> None:
    where = read()
    assert (where.hosts, where.reach.remote_shell, where.manager.kind) == ((), None, "static")


def test_task_of_a_job_array_keeps_its_hosts(slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch) -> None:
    inside(slurm, monkeypatch, "n1", SLURM_ARRAY_JOB_ID="7")
    assert not read().reach.grows
    assert read("n1").hosts == (Host("n1"),)


def test_hosts_that_slurm_cannot_name_are_refused(slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch) -> None:
    inside(slurm, monkeypatch, "n1")
    slurm.refuse("scontrol", "scontrol: error: no memory")
    with pytest.raises(AllocationError, match="the hosts of the Slurm job 101 are not known: no memory"):
        read()


def test_other_number_of_hosts_than_slurm_says_is_refused(
    slurm: FakeSlurm, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside(slurm, monkeypatch, "n1", "n2", SLURM_JOB_CPUS_PER_NODE="2")
    with pytest.raises(AllocationError, match="has 1 hosts, and 2 names of them"):
        read()


def test_run_with_mpich_can_grow(slurm: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside(slurm, monkeypatch, "n1")
    where = read(growing=build(tmp_path))
    assert where.reach.grows
    (tmp_path / "job").mkdir()
    allocation = where.manager.open("0123456789abcdef", tmp_path / "job")
    try:
        assert allocation.hosts == (Host("n1", 2),)
        growth = allocation.grow(Wish(1))
        allocation.cancel(growth)
    finally:
        allocation.close()


@pytest.mark.parametrize(
    ("version", "why"),
    [("Open MPI v4.1.4, package: Debian OpenMPI", "Open MPI keeps a job"), ("", "hosts that it began with")],
)
def test_run_that_cannot_grow_says_why(
    slurm: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, why: str
) -> None:
    inside(slurm, monkeypatch, "n1", "n2")
    where = read(growing=build(tmp_path, version) if version else None)
    assert (where.reach.grows, where.hosts) == (False, (Host("n1", 2), Host("n2", 2)))
    allocation = where.manager.open("0123456789abcdef", tmp_path)
    with pytest.raises(AllocationError, match=why):
        allocation.grow(Wish(1))
    allocation.close()
