# SPDX-License-Identifier: BSD-3-Clause
"""The right library comes into the processes of a command, or it is said why it cannot."""

import json
from pathlib import Path

import pytest

from nereus.launch import LaunchError
from nereus.launch.builds import choose
from nereus.launch.preloading import build_for, launched_with, preloaded


@pytest.fixture
def two_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Builds for both families, and a folder for launchers that is in PATH."""
    for name, version in (("mpich", "MPICH Version: 5"), ("openmpi", "Open MPI v4.1.8")):
        folder = tmp_path / "builds" / name
        folder.mkdir(parents=True)
        text = {
            "name": name,
            "mpiexec": str(tmp_path / "bin" / f"mpiexec-{name}"),
            "library_version": version,
        }
        (folder / "mpi.json").write_text(json.dumps(text))
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("NEREUS_BUILDS", str(tmp_path / "builds"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=":")
    return tmp_path / "bin"


def launcher(folder: Path, name: str, says: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return name


@pytest.mark.parametrize(
    ("name", "says", "family"),
    [
        ("mpiexec", "HYDRA build details:", "mpich"),
        ("mpiexec", "Intel(R) MPI Library for Linux* OS, Version 2021.18.1", "mpich"),
        ("mpiexec", "mpiexec (Open MPI) 5.0.11", "openmpi"),
        ("mpirun", "mpirun (Open MPI) 4.1.4", "openmpi"),
        ("mpiexec.mine", "mpiexec (OpenRTE) 4.1.4", "openmpi"),
    ],
)
def test_launcher_output_identifies_its_mpi(two_builds: Path, name: str, says: str, family: str) -> None:
    assert build_for([launcher(two_builds, name, says), "-n", "2"]).name == family


@pytest.mark.parametrize(
    ("says", "is_taken"),
    [
        ("mpiexec (OpenRTE) 4.1.8", True),
        ("mpiexec (OpenRTE) 4.1.4", False),
        ("mpiexec (Open MPI) 5.0.11", False),
        ("HYDRA build details:", False),
    ],
)
def test_launcher_in_path_is_taken_only_if_it_starts_what_was_built(
    two_builds: Path, says: str, is_taken: bool
) -> None:
    launcher(two_builds, "mpiexec", says)
    own = "mpiexec" if is_taken else str(choose("openmpi").mpiexec)
    assert launched_with(["mpiexec", "-n", "2"], choose("openmpi")) == [own, "-n", "2"]


def test_launcher_of_a_build_needs_no_identification(two_builds: Path) -> None:
    assert build_for([launcher(two_builds, "mpiexec-openmpi", "hello")]).name == "openmpi"


def test_given_name_decides(two_builds: Path) -> None:
    assert build_for(["anything"], "openmpi").name == "openmpi"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["run", "--mpi", "openmpi", "--", "./app"], "openmpi"),
        (["run", "--mpi=openmpi", "--", "./app"], "openmpi"),
        (["run", "--", "./app", "--mpi", "openmpi"], "mpich"),
    ],
)
def test_nested_nereus_run_uses_the_mpi_it_is_given(two_builds: Path, words: list[str], name: str) -> None:
    assert build_for([launcher(two_builds, "nereus", ""), *words]).name == name


@pytest.mark.parametrize(("name", "says"), [("srun", "slurm 24"), ("mpiexec", "Some MPI")])
def test_launcher_that_cannot_be_identified_is_refused(two_builds: Path, name: str, says: str) -> None:
    with pytest.raises(LaunchError, match="--mpi names it: mpich, openmpi"):
        build_for([launcher(two_builds, name, says)])


def test_missing_command_is_refused(two_builds: Path) -> None:
    with pytest.raises(LaunchError, match="no such program"):
        build_for(["nowhere-to-be-found"])


def test_launcher_of_the_build_is_used_if_none_is_in_the_path(
    two_builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(two_builds))
    assert build_for(["mpiexec", "-n", "2"]).name == "mpich"
    assert launched_with(["mpirun", "-n", "2"], choose("openmpi")) == [
        str(two_builds / "mpiexec-openmpi"),
        "-n",
        "2",
    ]


def test_launcher_is_that_of_the_named_mpi(two_builds: Path) -> None:
    command = [launcher(two_builds, "mpiexec", "mpiexec (Open MPI) 4.1.8"), "-n", "2"]
    assert launched_with(command, choose("mpich"))[0] == str(two_builds / "mpiexec-mpich")
    assert launched_with(command, choose("openmpi")) == command


def test_launcher_with_a_path_is_used_unchanged(two_builds: Path) -> None:
    assert launched_with(["./mpiexec", "-n", "2"], choose("mpich")) == ["./mpiexec", "-n", "2"]


def test_earlier_preloads_are_kept_and_forwarded_to_other_hosts(tmp_path: Path) -> None:
    library = tmp_path / "m.so"
    library.touch()
    before = {
        "LD_PRELOAD": "/other.so",
        "NEREUS_JOB": "j",
        "HOME": "/h",
        "OMPI_MCA_mca_base_env_list": "MINE",
    }
    made = preloaded(library, {"NEREUS_MONITOR_RUN": "r"}, before)
    assert made["LD_PRELOAD"] == f"{library}:/other.so"
    assert made["HOME"] == "/h"
    forwarded = made["OMPI_MCA_mca_base_env_list"].split(";")
    assert forwarded == ["MINE", "LD_PRELOAD", "NEREUS_JOB", "NEREUS_MONITOR_RUN"]


def test_library_that_cannot_be_preloaded_is_refused(tmp_path: Path) -> None:
    blank = tmp_path / "a b.so"
    blank.touch()
    with pytest.raises(LaunchError, match="blank"):
        preloaded(blank, {})
