# SPDX-License-Identifier: BSD-3-Clause
"""Names without a slash: what PATH has comes first, then what was installed with Nereus."""

from pathlib import Path

import pytest

from nereus.launch import Build, LaunchError, application_in, find_program, found_program, programs


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o755)
    return path


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    monkeypatch.setenv("PATH", str(tmp_path / "own"))
    return Build("mpich", tmp_path / "build", tmp_path / "mpi" / "mpiexec", "MPICH Version: 5")


def test_programs_of_the_build_are_found_outside_the_path(build: Build) -> None:
    path = program(build.prefix / "bin" / "nereus-cg")
    assert find_program("nereus-cg", build) == path


def test_path_takes_precedence(build: Build, tmp_path: Path) -> None:
    program(build.prefix / "bin" / "nereus-cg")
    own = program(tmp_path / "own" / "nereus-cg")
    assert find_program("nereus-cg", build) == own


def test_launcher_of_the_mpi_is_found(build: Build) -> None:
    path = program(build.mpiexec)
    assert find_program("mpiexec", build) == path


def test_unknown_program_is_none(build: Build) -> None:
    assert find_program("nowhere-to-be-found", build) is None


def test_program_to_run_that_is_missing_is_refused(build: Build) -> None:
    with pytest.raises(LaunchError, match="PROGRAM = nowhere: there is no such program"):
        found_program("nowhere", build)


def test_program_that_tells_of_no_mpi_may_run(build: Build, tmp_path: Path) -> None:
    own = program(tmp_path / "own" / "script")
    assert found_program("script", build) == own


def test_program_of_another_mpi_is_refused(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "own" / "cg")
    monkeypatch.setattr(programs, "family_of", lambda path: "openmpi")
    with pytest.raises(LaunchError, match="built for Open MPI, and the build mpich is MPICH Version: 5"):
        found_program("cg", build)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["mpiexec", "-n", "2", "cg", "--steps", "3"], "cg"),
        (["srun", "mpiexec", "own/cg"], "cg"),
        (["mpiexec"], "mpiexec"),
        (["nowhere-to-be-found"], ""),
    ],
)
def test_application_is_the_first_program_that_is_no_launcher(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("own/cg", "own/srun", "mpi/mpiexec"):
        program(tmp_path / path)
    assert application_in(command, build) == name
