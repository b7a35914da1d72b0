# SPDX-License-Identifier: BSD-3-Clause
"""A build for an MPI that is there already is refused before it begins where the MPI is none, or two."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
# In the place of a compiler: what it makes tells what a program of MPI would, alone or as one of two.
MPICC = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho "nereus-launched: ${RANK:-0} of ${SIZE:-1}: MPICH Version: 9.9"\\n' > "$2"
chmod +x "$2"
"""
OTHER = """#!/bin/sh
shift 2; "$@"; exec "$@"
"""


@pytest.fixture(autouse=True)
def has_cmake() -> None:
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def mpi(tmp_path: Path) -> Path:
    """Its folder, with two wrappers and the launcher of another MPI."""
    for name, text in (("mpicc", MPICC), ("mpicxx", MPICC), ("mpiexec", OTHER)):
        script(tmp_path / "mpi" / name, text)
    return tmp_path / "mpi"


def refused(folder: Path, *arguments: str | Path) -> str:
    """The line that says why."""
    done = subprocess.run(
        [ROOT / "scripts" / "build", "--with-mpi", *arguments],
        cwd=folder,
        env={**os.environ, "NEREUS_BUILDS": str(folder / "builds")},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2, done.stdout
    (line,) = done.stderr.splitlines()
    assert not (folder / "builds").exists()
    return line.removeprefix("nereus: scripts/build ")


def test_missing_wrapper_is_reported(tmp_path: Path) -> None:
    assert refused(tmp_path) == (
        "--with-mpi: MPICC is missing: the MPI's compiler wrapper for C, as /opt/mpi/bin/mpicc"
    )
    assert refused(tmp_path, "/nowhere/mpicc") == "--with-mpi /nowhere/mpicc: there is no such program"
    assert refused(tmp_path, tmp_path) == f"--with-mpi {tmp_path}: there is no such program"


def test_compiler_that_is_no_wrapper_of_an_mpi_is_reported_with_its_own_words(tmp_path: Path) -> None:
    failing = script(tmp_path / "cc", "#!/bin/sh\necho 'fatal error: mpi.h: No such file' >&2; exit 1\n")
    assert refused(tmp_path, failing) == (
        f"--with-mpi {failing}: compiles no program of MPI: fatal error: mpi.h: No such file"
    )


def test_launcher_of_another_mpi_is_reported(tmp_path: Path, mpi: Path) -> None:
    assert refused(tmp_path, "mpi/mpicc") == (
        f"--with-mpi mpi/mpicc: {mpi}/mpiexec starts jobs of one process with it: is it of another MPI? "
        "--mpiexec names one"
    )


def test_launcher_and_wrapper_for_cpp_are_taken_from_beside_the_wrapper(tmp_path: Path, mpi: Path) -> None:
    (mpi / "mpiexec").unlink()
    assert "no mpiexec stands beside it; --mpiexec names one" in refused(tmp_path, mpi / "mpicc")
    assert "--mpiexec nope: there is no such program" in refused(tmp_path, mpi / "mpicc", "--mpiexec", "nope")
    (mpi / "mpicxx").unlink()
    assert "no wrapper for C++ (as mpicxx)" in refused(tmp_path, mpi / "mpicc")


def test_wrapper_with_an_ending_has_neighbours_with_the_same(tmp_path: Path, mpi: Path) -> None:
    script(mpi / "mpicc.mine", MPICC)
    assert "no wrapper for C++" in refused(tmp_path, mpi / "mpicc.mine")
    script(mpi / "mpicxx.mine", MPICC)
    assert "no mpiexec stands beside it" in refused(tmp_path, mpi / "mpicc.mine")
    (tmp_path / "mpicc").symlink_to(mpi / "mpicc.mine")
    assert "no mpiexec stands beside it" in refused(tmp_path, "./mpicc")


@pytest.mark.parametrize(
    ("name", "said"),
    [("openmpi", "a preset has this name"), ("../x", "allowed are letters"), ("", "a value is missing")],
)
def test_name_that_cannot_be_taken_is_reported(tmp_path: Path, mpi: Path, name: str, said: str) -> None:
    assert said in refused(tmp_path, mpi / "mpicc", "--name", name)


def test_unknown_option_is_reported(tmp_path: Path, mpi: Path) -> None:
    assert "allowed beside --with-mpi MPICC are" in refused(tmp_path, mpi / "mpicc", "--nam", "x")


def test_missing_python_is_reported(tmp_path: Path, mpi: Path) -> None:
    said = refused(tmp_path, mpi / "mpicc", "--python", "/nowhere/python3")
    assert said == "--python /nowhere/python3: there is no such program"


def test_build_is_made_with_the_python_that_is_named(
    tmp_path: Path, mpi: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its own path, not that of the interpreter behind it: that one has no packages."""
    script(mpi / "mpiexec", '#!/bin/sh\nfor rank in 0 1; do RANK=$rank SIZE=2 "$3"; done\n')
    environment = tmp_path / "environment"
    environment.symlink_to("/bin/sh")
    cmake = script(tmp_path / "tools" / "cmake", f'#!/bin/sh\necho "$*" >> {tmp_path}/asked\n')
    monkeypatch.setenv("PATH", f"{cmake.parent}:{os.environ['PATH']}")
    line = [str(ROOT / "scripts" / "build"), "--with-mpi", str(mpi / "mpicc"), "--name", "of-a-test"]
    try:
        for words in ([*line, "--python", str(environment)], line):
            subprocess.run(words, check=True, capture_output=True, timeout=120)
    finally:
        shutil.rmtree(ROOT / "build" / "of-a-test", ignore_errors=True)
    configured = [each for each in (tmp_path / "asked").read_text().splitlines() if "--fresh" in each]
    named = [f"-DPython3_EXECUTABLE={environment}" in each for each in configured]
    assert named == [True, False]
