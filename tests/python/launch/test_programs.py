# SPDX-License-Identifier: BSD-3-Clause
"""Names without a slash: what PATH has comes first, then what was installed with Nereus."""

from pathlib import Path

import pytest

from nereus.launch import Build, find_program


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
