# SPDX-License-Identifier: BSD-3-Clause
"""Programs outside of the tree find an installed build, which was moved: by CMake, make and Meson."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from nereus.launch import Build, choose

PROJECT = ROOT / "examples" / "project"
LIMIT = 240
SAID = r"sum 100 with (\d+)\.(\d+)\.(\d+), headers (\d+)"


@pytest.fixture
def build(sampled_mpi: str) -> Build:
    return choose(sampled_mpi)


@pytest.fixture
def moved(build: Build, tmp_path: Path) -> Path:
    """The build, at a place that nothing in it names."""
    prefix = tmp_path / "elsewhere" / "nereus"
    shutil.copytree(build.prefix, prefix, symlinks=True)
    return prefix


def compilers(build: Build) -> dict[str, Path]:
    """Beside the launcher; those of Debian have the MPI's name behind theirs."""
    launcher = Path(build.mpiexec)
    end = launcher.name.removeprefix("mpiexec")
    names = {"C": "mpicc", "CXX": "mpicxx", "Fortran": "mpifort"}
    return {language: launcher.with_name(name + end) for language, name in names.items()}


def run(line: Sequence[str | Path], folder: Path, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in line],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def said_by(build: Build, program: Path) -> str:
    options = ["--oversubscribe", "--allow-run-as-root"] if build.kind == "openmpi" else []
    return run([build.mpiexec, *options, "-n", "2", program], program.parent)


def assert_runs(build: Build, program: Path, prefix: Path) -> None:
    """With the library of the moved build, whose version is that of its headers."""
    found = re.search(SAID, said_by(build, program))
    assert found is not None
    major, minor, patch, headers = map(int, found.groups())
    assert headers == 10000 * major + 100 * minor + patch
    linked = re.search(r"libnereus\.so\S* => (\S+)", run(["ldd", program], program.parent))
    assert linked is not None and Path(linked[1]).resolve().is_relative_to(prefix.resolve())


def test_cmake_project_finds_a_moved_build(site: Any, build: Build, moved: Path, tmp_path: Path) -> None:
    found = compilers(build)
    options = [f"-DMPI_{language}_COMPILER={found[language]}" for language in ("C", "CXX")]
    has_fortran = (moved / "lib" / "cmake" / "nereus" / "nereus-fortran-targets.cmake").exists()
    if has_fortran:
        options += ["-DWITH_FORTRAN=ON", f"-DMPI_Fortran_COMPILER={found['Fortran']}"]
    made = tmp_path / "made"
    said = run(["cmake", "-S", PROJECT, "-B", made, f"-DCMAKE_PREFIX_PATH={moved}", *options], tmp_path)
    assert f"for {build.library_version}"[:20] in said
    run(["cmake", "--build", made], tmp_path)
    for name in ("sums", "sums_cpp", "sums_monitored"):
        assert_runs(build, made / name, moved)
    assert "libnereus-monitor" in run(["ldd", made / "sums_monitored"], made)
    if has_fortran:
        assert "sum 100 with 0." in said_by(build, made / "sums_fortran")


def test_cmake_project_of_a_later_version_is_refused(build: Build, moved: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(x C)\nfind_package(nereus 99 REQUIRED)\n"
    )
    line = ["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "b"), f"-DCMAKE_PREFIX_PATH={moved}"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode != 0
    assert "version: 0.1.0" in done.stderr and "99" in done.stderr


def test_make_finds_a_moved_build_by_pkg_config(build: Build, moved: Path, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    shutil.copytree(PROJECT, folder)
    paths = {"PKG_CONFIG_PATH": str(moved / "lib" / "pkgconfig")}
    run(["make", f"CC={compilers(build)['C']}"], folder, **paths)
    assert_runs(build, folder / "sums", moved)
    version = run(["pkg-config", "--modversion", "nereus"], folder, **paths).strip()
    assert f"with {version}," in said_by(build, folder / "sums")


def test_meson_finds_a_moved_build(build: Build, moved: Path, tmp_path: Path) -> None:
    meson = Path(sys.executable).with_name("meson")
    environment = {"PKG_CONFIG_PATH": str(moved / "lib" / "pkgconfig"), "CC": str(compilers(build)["C"])}
    made = tmp_path / "made"
    run([meson, "setup", made, PROJECT], tmp_path, **environment)
    run([meson, "compile", "-C", made], tmp_path, **environment)
    assert_runs(build, made / "sums", moved)


def test_former_names_of_libraries_are_there(moved: Path) -> None:
    """Programs that were linked with them run on."""
    for name in ("mam", "empi"):
        for end in (".so", ".so.0"):
            former = moved / "lib" / f"libnereus_{name}{end}"
            assert former.is_symlink() and former.resolve().name.startswith(f"libnereus-{name}.so")
