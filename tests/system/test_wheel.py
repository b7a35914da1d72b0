# SPDX-License-Identifier: BSD-3-Clause
"""The wheel has everything in it, and works where there is nothing but Python and MPICH's wheel."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from empty_root import EmptyRoot

from conftest import ROOT

LIMIT = 200
MOST_BYTES = 15_000_000
MOST_GLIBC = 34  # of RHEL 9
BUILD = "nereus/builds/own"
#: What the build of the wheel has in it, and examples that `nereus demo` and the pages name.
WANTED = (
    "mpi.json",
    "bin/nereus-emulator",
    "bin/nereus-probe",
    "bin/nereus-cg",
    "bin/nereus-place",
    "lib/libnereus.so",
    "lib/libnereus-monitor.so",
    "lib/pkgconfig/nereus.pc",
    "include/nereus/nereus.h",
    "share/nereus/examples/emulate/cg.toml",
    "share/nereus/examples/01_first_resize.c",
    "share/nereus/docs/schemas/experiment.json",
)


#: Where scripts/test has it made, before these tests.
MADE = ROOT / "build" / "wheel" / "made"
NAMESPACES = ["unshare", "--mount", "--pid", "--ipc", "--net", "--fork"]


@pytest.fixture(scope="module")
def wheel() -> Path:
    made = list(MADE.glob("*.whl"))
    if not made:
        pytest.skip(f"no wheel was made: scripts/wheel {MADE.relative_to(ROOT)}")
    (found,) = made
    return found


@pytest.fixture(scope="module")
def root(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmptyRoot]:
    if os.geteuid() != 0 or subprocess.run([*NAMESPACES, "true"], capture_output=True).returncode:
        pytest.skip("an empty root is made of namespaces, as root")
    made = EmptyRoot(tmp_path_factory.mktemp("root"))
    try:
        made.make()
        made.install(wheel)
        yield made
    finally:
        shutil.rmtree(made.path)


def inside(root: EmptyRoot, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        root.command(*words),
        env=root.variables(),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def test_wheel_has_library_programs_headers_and_examples_within_its_size(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert [name for name in WANTED if f"{BUILD}/{name}" not in names] == []
    assert wheel.stat().st_size <= MOST_BYTES


def test_wheel_has_all_files_of_the_python_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    line = ["git", "ls-files", "python"]
    listed = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
    assert [name for name in listed.split() if name.removeprefix("python/") not in names] == []


def test_wheel_needs_no_library_of_this_machine(wheel: Path) -> None:
    """But for the MPI, which is in the environment."""
    line = [sys.executable, "-m", "auditwheel", "show", "--json", str(wheel)]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        line, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=LIMIT, check=True
    )
    said = json.loads(done.stdout)
    assert list(said["external_libs"]) == ["libmpi.so.12"]
    (glibc,) = re.findall(r"manylinux_2_(\d+)", wheel.name)
    assert said["sym_tag"] == f"manylinux_2_{glibc}_x86_64"
    assert int(glibc) <= MOST_GLIBC


def test_wheel_has_a_licence_of_each_library_in_it(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    libraries = {Path(name).name.split("-")[0] for name in names if name.startswith("nereus_mpi.libs/lib")}
    licences = {
        Path(name).name.split("-")[0].removesuffix(".txt") for name in names if "/licenses/lib" in name
    }
    assert {"libzmq", "libsodium", "libhwloc"} <= libraries == licences


def test_root_has_neither_compiler_nor_libraries_of_this_machine(root: EmptyRoot) -> None:
    found = {path.name for path in root.path.rglob("*") if not path.is_relative_to(root.environment)}
    assert "libc.so.6" in found
    assert found & {"cc", "gcc", "ld", "sh", "libzmq.so.5", "libhwloc.so.15", "mpi.json"} == set()


def test_demo_draws_its_picture_where_there_is_no_compiler(root: EmptyRoot) -> None:
    done = inside(root, "nereus", "demo", "/results")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (root.path / "results" / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert "cg-default" in done.stdout


def test_application_in_the_wheel_is_resized(root: EmptyRoot) -> None:
    done = inside(root, "nereus", "run", "-n", "2", "--", "nereus-cg", "--poisson", "100", "--resize", "20:3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (json.loads(done.stdout)["resizes"], json.loads(done.stdout)["ranks"]) == (1, 3)


def test_wheel_without_its_mpi_says_what_to_install(root: EmptyRoot) -> None:
    launcher = root.environment / "bin" / "mpiexec"
    launcher.rename(launcher.with_name("away"))
    try:
        done = inside(root, "nereus", "run", "-n", "2", "--", "nereus-cg")
    finally:
        launcher.with_name("away").rename(launcher)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "the launcher of the build mpich is missing, of MPICH Version: 5" in line
    assert line.endswith("run `pip install --force-reinstall mpich`")
