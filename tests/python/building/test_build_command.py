# SPDX-License-Identifier: BSD-3-Clause
"""A build for an MPI that is there already is refused before it begins where the MPI is none, or two."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from a_stage import script
from commands import COMMAND

# In the place of a compiler: what it makes tells what a program of MPI would, alone or as one of two.
MPICC = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho "nereus-launched: ${RANK:-0} of ${SIZE:-1}: MPICH Version: 9.9"\\n' > "$2"
chmod +x "$2"
"""
SAME = '#!/bin/sh\nfor rank in 0 1; do RANK=$rank SIZE=2 "$3"; done\n'
OTHER = """#!/bin/sh
shift 2; "$@"; exec "$@"
"""


@pytest.fixture
def mpi(tmp_path: Path) -> Path:
    """Its folder, with two wrappers and the launcher of another MPI."""
    for name, text in (("mpicc", MPICC), ("mpicxx", MPICC), ("mpiexec", OTHER)):
        script(tmp_path / "mpi" / name, text)
    return tmp_path / "mpi"


def refused(folder: Path, *arguments: str | Path) -> str:
    """The line that says why."""
    done = subprocess.run(
        [*COMMAND, "build", "--with-mpi", *arguments],
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
    return line.removeprefix("nereus: ")


def test_missing_wrapper_is_reported(tmp_path: Path) -> None:
    assert "--with-mpi" in refused(tmp_path)
    assert refused(tmp_path, "/nowhere/mpicc") == "--with-mpi /nowhere/mpicc: there is no such program"
    assert refused(tmp_path, tmp_path) == f"--with-mpi {tmp_path}: there is no such program"


def test_compiler_that_is_no_wrapper_of_an_mpi_is_reported_with_its_own_words(
    tmp_path: Path, mpi: Path
) -> None:
    script(mpi / "mpicc", "#!/bin/sh\necho 'fatal error: mpi.h: No such file' >&2; exit 1\n")
    assert refused(tmp_path, "mpi/mpicc") == (
        "--with-mpi mpi/mpicc: compiles no program of MPI: fatal error: mpi.h: No such file"
    )


def test_launcher_of_another_mpi_is_reported(tmp_path: Path, mpi: Path) -> None:
    assert refused(tmp_path, "mpi/mpicc") == (
        f"--with-mpi mpi/mpicc: {mpi}/mpiexec starts jobs of one process with it: is it of another MPI? "
        "--mpiexec names one"
    )


def test_launcher_is_taken_from_beside_the_wrapper(tmp_path: Path, mpi: Path) -> None:
    (mpi / "mpiexec").unlink()
    assert "no mpiexec stands beside it; --mpiexec names one" in refused(tmp_path, mpi / "mpicc")
    assert "--mpiexec nope: there is no such program" in refused(tmp_path, mpi / "mpicc", "--mpiexec", "nope")


def test_wrapper_with_an_ending_has_neighbours_with_the_same(tmp_path: Path, mpi: Path) -> None:
    script(mpi / "mpicc.mine", MPICC)
    assert "no mpiexec stands beside it" in refused(tmp_path, mpi / "mpicc.mine")
    (tmp_path / "mpicc").symlink_to(mpi / "mpicc.mine")
    assert "no mpiexec stands beside it" in refused(tmp_path, "./mpicc")
    script(mpi / "mpiexec.mine", SAME)
    assert "no wrapper for C++ (as mpicxx) stands beside it" in refused(tmp_path, mpi / "mpicc.mine")


def test_wrapper_for_the_standard_abi_has_the_launcher_of_its_mpi(tmp_path: Path, mpi: Path) -> None:
    script(mpi / "mpiexec", SAME)
    script(mpi / "mpicc_abi", MPICC)
    assert "no wrapper for C++ (as mpicxx) stands beside it" in refused(tmp_path, mpi / "mpicc_abi")


@pytest.mark.parametrize(
    ("name", "said"),
    [("openmpi", "a preset has this name"), ("../x", "allowed are letters"), ("", "allowed are letters")],
)
def test_name_that_cannot_be_taken_is_reported(tmp_path: Path, mpi: Path, name: str, said: str) -> None:
    assert said in refused(tmp_path, mpi / "mpicc", "--name", name)


def test_unknown_part_and_folder_without_source_are_reported(tmp_path: Path, mpi: Path) -> None:
    said = refused(tmp_path, mpi / "mpicc", "--only", "tests")
    assert said == "--only = tests: allowed are all and emulate"
    said = refused(tmp_path, mpi / "mpicc", "--source", tmp_path)
    assert said == f"--source {tmp_path}: is no source of Nereus; CMakeLists.txt and src are looked for"


@pytest.fixture
def cmake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In its place what writes down its words, shows steps, and installs a description."""
    text = f"""#!/bin/sh
echo "$*" >> {tmp_path}/asked
for word; do case "$word" in -DCMAKE_INSTALL_PREFIX=*) echo "${{word#*=}}" >{tmp_path}/prefix;; esac; done
[ "$1" = --build ] || exit 0
echo '[1/2] Building'
if [ -e {tmp_path}/fails ]; then echo 'error: no such header'; exit 1; fi
mkdir -p "$(cat {tmp_path}/prefix)"
touch "$(cat {tmp_path}/prefix)/mpi.json"
"""
    for name in ("cmake", "ninja", "pkg-config"):
        script(tmp_path / "tools" / name, text)
    monkeypatch.setenv("PATH", f"{tmp_path}/tools:{os.environ['PATH']}")
    return tmp_path / "asked"


def building(folder: Path, mpi: Path, *arguments: str | Path) -> "subprocess.Popen[str]":
    """With a launcher of the same MPI, from a source tree of the test's own."""
    script(mpi / "mpiexec", SAME)
    for name in ("CMakeLists.txt", "src/CMakeLists.txt", "tools/probe/launched.c"):
        script(folder / "source" / name, "")
    (folder / "source" / "CMakePresets.json").write_text('{"configurePresets": []}')
    return subprocess.Popen(
        [*COMMAND, "build", "--with-mpi", mpi / "mpicc", "--source", folder / "source", *arguments],
        env={**os.environ, "NEREUS_BUILDS": str(folder / "builds")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def built(folder: Path, mpi: Path, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """To its end."""
    with building(folder, mpi, *arguments) as process:
        out, error = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, error)


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_build_is_compiled_with_the_tools_of_the_mpi(tmp_path: Path, mpi: Path, cmake: Path) -> None:
    done = built(tmp_path, mpi, "--only", "emulate", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["name"], said["library"], said["way"]) == ("mpich-9.9", "MPICH Version: 9.9", "compiled")
    assert said["prefix"] == str(tmp_path / "builds" / "mpich-9.9")
    configured, made = cmake.read_text().splitlines()
    words = configured.split()
    assert f"-DMPI_C_COMPILER={mpi}/mpicc" in words and f"-DMPIEXEC_EXECUTABLE={mpi}/mpiexec" in words
    assert made.endswith("--target install-emulate")


def test_build_that_fails_shows_what_the_compiler_said(tmp_path: Path, mpi: Path, cmake: Path) -> None:
    (tmp_path / "fails").touch()
    done = built(tmp_path, mpi, "--name", "mine")
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    log = tmp_path / "source" / "build" / "mine" / "nereus-build.log"
    assert "nereus: error: no such header" in lines
    assert lines[-1] == f"nereus: cmake failed; all that it said is in {log}"
    assert "error: no such header" in log.read_text()


def test_build_that_is_stopped_leaves_no_compiler_running(tmp_path: Path, mpi: Path, cmake: Path) -> None:
    """The tool in the place of CMake would run for an hour."""
    script(tmp_path / "tools" / "cmake", f"#!/bin/sh\necho $$ > {tmp_path}/pid; exec sleep 3600\n")
    with building(tmp_path, mpi) as process:
        wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert said.splitlines()[-1] == "nereus: stopped by SIGTERM; the same command continues"
    assert not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()
    assert not (tmp_path / "builds").exists()


def test_build_without_its_tools_names_them(
    tmp_path: Path, mpi: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "few"
    tools.mkdir()
    for name in ("sh", "chmod"):
        (tools / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tools))
    done = built(tmp_path, mpi)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"nereus: --with-mpi {mpi}/mpicc: needed are cmake, ninja")
