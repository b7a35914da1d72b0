# SPDX-License-Identifier: BSD-3-Clause
"""Each launcher is told what to start in words of its own: Intel's, and PRRTE of Open MPI since version 5."""

import json
import os
from pathlib import Path

import pytest

from nereus.launch import Build, Host, Launch, LaunchError, Reach, RemoteShell, Share, choose, command

INTEL = "Intel(R) MPI Library 2021.18.1 for Linux* OS"
OPEN_MPI_5 = "Open MPI v5.0.11, package: Open MPI user@localhost Distribution"
SHELL = Reach((Host("n1", 2), Host("n2", 2)), RemoteShell("/opt/rsh"))


@pytest.fixture(autouse=True)
def undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("I_MPI_", "PRTE_"))]:
        monkeypatch.delenv(name)


def install(folder: Path, version: str, **more: str) -> Build:
    launcher = folder / "mpi" / "bin" / "mpiexec"
    launcher.parent.mkdir(parents=True)
    launcher.write_text("#!/bin/sh\n")
    launcher.chmod(0o755)
    prefix = folder / "builds" / "any"
    prefix.mkdir(parents=True)
    about = {"name": "any", "mpiexec": str(launcher), "library_version": version, **more}
    (prefix / "mpi.json").write_text(json.dumps(about))
    return choose("any", {"NEREUS_BUILDS": str(prefix.parent)})


@pytest.mark.parametrize(
    ("version", "kind", "family"),
    [
        ("MPICH Version: 5.0.2", "mpich", "mpich"),
        ("MVAPICH Version: 4.0", "mpich", "mpich"),
        (INTEL, "intel", "mpich"),
        ("Open MPI v4.1.4, package: Debian OpenMPI", "openmpi", "openmpi"),
        (OPEN_MPI_5, "prrte", "openmpi"),
        ("Open MPI v10.0.0a1", "prrte", "openmpi"),
    ],
)
def test_kind_of_a_build_without_one_follows_from_its_version(
    tmp_path: Path, version: str, kind: str, family: str
) -> None:
    build = install(tmp_path, version)
    assert (build.kind, build.family) == (kind, family)


def test_kind_in_the_description_decides(tmp_path: Path) -> None:
    assert install(tmp_path, "MPI of a vendor", kind="openmpi").kind == "openmpi"


def test_unknown_kind_is_reported_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match=r"mpi\.json.*kind = slurm: allowed are mpich, intel"):
        install(tmp_path, INTEL, kind="slurm")


def test_intel_mpi_can_spawn_and_finds_its_files(tmp_path: Path) -> None:
    build = install(tmp_path, INTEL)
    start = command(build, 3, Path("/opt/app"))
    assert start.arguments == [str(build.mpiexec), "-n", "3", "/opt/app"]
    assert start.environment["I_MPI_SPAWN"] == "1"
    assert start.environment["I_MPI_ROOT"] == str(tmp_path / "mpi")
    assert start.environment["I_MPI_HYDRA_BOOTSTRAP"] == "fork"
    assert start.dies_silently


def test_root_and_pinning_that_the_user_decided_about_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = install(tmp_path, INTEL)
    assert command(build, 1, Path("/opt/app")).environment["I_MPI_PIN"] == "0"
    monkeypatch.setenv("I_MPI_ROOT", "/opt/intel/mpi")
    monkeypatch.setenv("I_MPI_PIN", "1")
    assert {"I_MPI_ROOT", "I_MPI_PIN"} & set(command(build, 1, Path("/opt/app")).environment) == set()


def test_intel_mpi_gets_a_part_for_each_share_because_its_lists_have_no_numbers(tmp_path: Path) -> None:
    launch = Launch(install(tmp_path, INTEL), Path("/opt/app"), ("x",), SHELL)
    start = launch.command([Share("n1", 2), Share("n2", 1), Share("n1", 1)])
    assert " ".join(start.arguments[1:]) == (
        "-bootstrap ssh -bootstrap-exec /opt/rsh "
        "-host n1 -n 2 /opt/app x : -host n2 -n 1 /opt/app x : -host n1 -n 1 /opt/app x"
    )
    assert start.environment["I_MPI_HYDRA_RMK"] == "user"
    assert "I_MPI_HYDRA_BOOTSTRAP" not in start.environment
    assert start.hosts == {"n1": 3, "n2": 1}


def test_prrte_takes_its_settings_from_the_environment(tmp_path: Path) -> None:
    launch = Launch(install(tmp_path, OPEN_MPI_5), Path("/opt/app"), reach=SHELL)
    start = launch.command([Share("n1", 2), Share("n2", 1)])
    assert not {"--oversubscribe", "--mca", "--ompi-server"} & set(start.arguments)
    assert start.environment["PRTE_MCA_plm_ssh_agent"] == "/opt/rsh"
    assert start.environment["PRTE_MCA_rmaps_default_mapping_policy"] == "slot:OVERSUBSCRIBE"
    assert start.arguments[-7:] == ["--map-by", "slot", "--host", "n1:2,n2:2", "-n", "3", "/opt/app"]


def test_prrte_on_this_host_is_told_of_no_remote_shell(tmp_path: Path) -> None:
    start = command(install(tmp_path, OPEN_MPI_5), 3, Path("/opt/app"))
    assert "PRTE_MCA_plm_ssh_agent" not in start.environment
    assert start.arguments[-3:] == ["-n", "3", "/opt/app"]
