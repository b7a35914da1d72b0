# SPDX-License-Identifier: BSD-3-Clause
"""Nereus from a wheel gets builds for other MPIs: by its own programs, or compiled from its source."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import ROOT

LIMIT = 280
MADE = ROOT / "build" / "wheel" / "made"
#: Where Debian has headers and CMake's files of what the wheel brings along.
HEADERS = ("CLI", "nlohmann", "tl", "tsl", "xxhash.h", "xxh3.h", "zmq.h")
INTEL = ROOT / ".venv" / "intel" / "bin" / "mpicc"


@dataclass(frozen=True)
class Installed:
    """The wheel in a Python environment of its own, which sees the packages of ours."""

    environment: Path

    def run(self, *words: str | Path, **variables: str) -> "subprocess.CompletedProcess[str]":
        kept = {
            name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NEREUS_BUILDS")
        }
        return subprocess.run(
            [self.environment / "bin" / "python", "-c", "from nereus.cli.start import main; main()", *words],
            env={**kept, "XDG_CACHE_HOME": str(self.environment / "cache"), **variables},
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )

    def build(self, mpicc: Path, name: str, *more: str) -> Mapping[str, str]:
        done = self.run("build", "--with-mpi", mpicc, "--name", name, "--json", *more)
        assert done.returncode == 0, done.stderr
        said: Mapping[str, str] = json.loads(done.stdout)
        assert said["prefix"] == str(self.environment / "lib" / "nereus" / name)
        return said

    def resized(self, name: str) -> Mapping[str, int]:
        """What an application of the build says that grows from two ranks to three."""
        words = ["-n", "2", "--mpi", name, "--", "nereus-cg", "--poisson", "100", "--resize", "20:3"]
        done = self.run("run", *words)
        assert done.returncode == 0, done.stderr
        said: Mapping[str, int] = json.loads(done.stdout)
        return said


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    made = list(MADE.glob("*.whl"))
    if not made:
        pytest.skip(f"no wheel was made: scripts/wheel {MADE.relative_to(ROOT)}")
    environment = tmp_path_factory.mktemp("installed") / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True, timeout=LIMIT)
    packages = environment / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    with zipfile.ZipFile(made[0]) as wheel:
        wheel.extractall(packages)
    for program in (packages / "nereus" / "builds" / "own" / "bin").iterdir():
        program.chmod(0o755)
    (packages / "ours.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return Installed(environment)


def test_mpi_of_the_same_abi_gets_a_build_without_a_compiler(installed: Installed) -> None:
    mpicc = Path(sys.executable).with_name("mpicc")
    said = installed.build(mpicc, "same")
    assert said["way"] == "the programs of the build mpich, which has the same ABI"
    resized = installed.resized("same")
    assert (resized["resizes"], resized["ranks"]) == (1, 3)


@pytest.mark.whole  # compiles for minutes
def test_intel_mpi_runs_the_programs_of_the_wheel(installed: Installed) -> None:
    if not INTEL.exists():
        pytest.skip("Intel MPI is not installed: scripts/more_mpis")
    said = installed.build(INTEL, "intel")
    assert said["way"].startswith("the programs of the build mpich")
    assert "Intel(R) MPI" in said["library"]
    resized = installed.resized("intel")
    assert (resized["resizes"], resized["ranks"]) == (1, 3)
    done = installed.run("doctor", "--mpi", "intel", "--json", "--limit", "60")
    (build,) = json.loads(done.stdout)["builds"]
    assert (build["programs_of"], build["malleable"]) == ("mpich", True)
    assert "Intel(R) MPI" in build["library"]


def test_mpi_of_another_abi_without_a_compiler_is_told_what_is_needed(installed: Installed) -> None:
    mpicc = shutil.which("mpicc.openmpi")
    if mpicc is None:
        pytest.skip("Debian's Open MPI is not installed")
    done = installed.run("build", "--with-mpi", mpicc, "--name", "other", PATH="/nowhere")
    assert done.returncode == 2
    why, refused = done.stderr.splitlines()
    assert why == f"compiling: {mpicc} has another ABI than the build mpich: no libmpi.so.12 is there"
    assert refused.startswith(f"nereus: --with-mpi {mpicc}: compiles no program of MPI: ")
    assert not (installed.environment / "lib" / "nereus" / "other").exists()


@pytest.mark.whole  # a build takes minutes
@pytest.mark.timeout(1500)
def test_mpi_of_another_abi_gets_a_compiled_build_from_the_source_in_the_wheel(installed: Installed) -> None:
    """Where Debian's packages of headers are hidden."""
    mpicc = shutil.which("mpicc.openmpi")
    hiding = ["unshare", "--mount", "--fork"]
    if (
        mpicc is None
        or os.geteuid() != 0
        or subprocess.run([*hiding, "true"], capture_output=True).returncode
    ):
        pytest.skip("Debian's Open MPI, and namespaces as root, are needed")
    nothing = installed.environment / "nothing"
    nothing.mkdir()
    (nothing / "empty").touch()
    hidden = [Path("/usr/include") / name for name in HEADERS] + [Path("/usr/share/cmake")]
    mounts = [
        f"mount --bind {nothing if path.is_dir() else nothing / 'empty'} {path}"
        for path in hidden
        if path.exists()
    ]
    words = ["build", "--with-mpi", mpicc, "--name", "other", "--only", "emulate"]
    python = installed.environment / "bin" / "python"
    line = f"{python} -c 'from nereus.cli.start import main; main()' {' '.join(words)}"
    done = subprocess.run(
        [*hiding, "sh", "-c", " && ".join([*mounts, line])],
        env={**os.environ, "PYTHONPATH": "", "XDG_CACHE_HOME": str(installed.environment / "cache")},
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    done = installed.run("bench", "processes", "--mpi", "other", "--repeat", "1", "--json")
    assert done.returncode == 0, done.stderr
