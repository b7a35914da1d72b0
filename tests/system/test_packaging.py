# SPDX-License-Identifier: BSD-3-Clause
"""Recipes of packaging/, tried with the programs that they are for, where these are installed.

What builds Nereus anew takes up to an hour, and runs in `make test-all` alone.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import nereus
from conftest import ROOT
from nereus.launch import choose

PACKAGING = ROOT / "packaging"
LIMIT, BUILD_LIMIT = 120, 5400


def run(
    line: Sequence[str | Path], folder: Path = ROOT, limit: float = LIMIT, **environment: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        line,
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=limit,
        check=False,
    )


def program(name: str, package: str) -> str:
    """Its path, or a skipped test."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed (Debian: {package})")
    return found


def verified(unit: Path, runtime: Path) -> str:
    """What systemd has to say against a unit of a user."""
    done = run(
        [program("systemd-analyze", "systemd"), "--user", "verify", unit], XDG_RUNTIME_DIR=str(runtime)
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_systemd_has_nothing_against_the_unit(tmp_path: Path) -> None:
    unit = PACKAGING / "systemd" / "nereus-daemon.service"
    assert verified(unit, tmp_path) == ""
    wrong = tmp_path / unit.name
    wrong.write_text(unit.read_text().replace("RestartSec=1", "RestartSec=soon"))
    assert "soon" in verified(wrong, tmp_path)


def test_changelog_of_the_debian_packages_has_the_version_that_is_built() -> None:
    reader = program("dpkg-parsechangelog", "dpkg-dev")
    done = run([reader, "--all", "--file", PACKAGING / "debian" / "changelog"])
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^Version: (.*)$", done.stdout, re.MULTILINE)[1] == nereus.__version__  # type: ignore[index]


def lmod() -> Path:
    """Debian has it in a folder of its version."""
    named = [os.environ["LMOD_CMD"]] if "LMOD_CMD" in os.environ else []
    found = [Path(each) for each in named] + sorted(Path("/usr/share/lmod").glob("*/libexec/lmod"))
    if not found:
        pytest.skip("Lmod is not installed (Debian: lmod)")
    return found[0]


def test_module_of_an_installed_build_is_loaded_and_unloaded(mpich: str, tmp_path: Path) -> None:
    command = lmod()
    build = choose(mpich)
    # The folders of scripts/install, with what is installed already in them.
    prefix = tmp_path / "opt"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib").mkdir()
    (prefix / "lib" / "nereus").symlink_to(build.prefix.parents[2])
    (prefix / "bin" / "nereus").symlink_to("../lib/nereus/bin/nereus")
    module = tmp_path / "modules" / "nereus" / f"{nereus.__version__}.lua"
    module.parent.mkdir(parents=True)
    text = (PACKAGING / "lmod" / "nereus.lua").read_text()
    for name, value in {"prefix": prefix, "build": build.name}.items():
        text = re.sub(rf'^local {name} = "[^"]*"', f'local {name} = "{value}"', text, flags=re.MULTILINE)
    module.write_text(text)
    script = f"""\
set -e
module() {{ eval "$({command} bash "$@")"; }}
unset PKG_CONFIG_PATH CMAKE_PREFIX_PATH NEREUS_BUILDS
module load nereus
command -v nereus nereus-emulator
nereus --version
pkg-config --modversion nereus
echo "$CMAKE_PREFIX_PATH"
module unload nereus
echo "left: $NEREUS_BUILDS$CMAKE_PREFIX_PATH"
"""
    done = run(["bash", "-c", script], tmp_path, MODULEPATH=str(tmp_path / "modules"))
    assert done.returncode == 0, done.stderr
    root = f"{prefix}/lib/nereus/lib/nereus/{build.name}"
    assert done.stdout.splitlines() == [
        f"{prefix}/bin/nereus",
        f"{root}/bin/nereus-emulator",
        f"nereus {nereus.__version__}",
        nereus.__version__,
        root,
        "left: ",
    ]


def contents(folder: Path) -> dict[str, int]:
    """When each file below was changed."""
    return {str(path): path.lstat().st_mtime_ns for path in folder.rglob("*")}


@pytest.mark.whole
@pytest.mark.timeout(BUILD_LIMIT)
def test_installation_for_all_users_runs_jobs_and_is_not_written_to(
    site: Any, mpich: str, tmp_path: Path
) -> None:
    prefix = tmp_path / "opt"
    assert run([ROOT / "scripts" / "download_wheels"], limit=BUILD_LIMIT).returncode == 0
    compiler = choose(mpich).mpiexec.with_name("mpicc")
    made = run([ROOT / "scripts" / "install", prefix, compiler], limit=BUILD_LIMIT, NEREUS_BUILDS="")
    assert made.returncode == 0, made.stderr
    (build,) = (prefix / "lib" / "nereus" / "lib" / "nereus").iterdir()
    assert (build / "bin" / "nereus-place").exists()
    before = contents(prefix)
    words = ["run", "-n", "2", "--", "nereus-cg", "--poisson", "100", "--resize", "20:4"]
    environment = {key: value for key, value in site.environment.items() if key != "NEREUS_BUILDS"}
    job = subprocess.run(
        [prefix / "bin" / "nereus", *words],
        cwd=site.folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert job.returncode == 0, job.stderr
    assert contents(prefix) == before


@pytest.mark.whole
@pytest.mark.timeout(BUILD_LIMIT)
def test_debian_packages_have_a_command_that_finds_its_builds(tmp_path: Path) -> None:
    needed = run([program("dpkg-checkbuilddeps", "dpkg-dev"), PACKAGING / "debian" / "control"])
    if needed.returncode != 0:
        pytest.skip(f"packages cannot be built here: {needed.stderr.strip()}")
    made = run(["make", "deb"], limit=BUILD_LIMIT)
    assert made.returncode == 0, made.stderr[-4000:]
    packages = [
        ROOT / line for line in made.stdout.splitlines() if re.search(r"/nereus[a-z-]*_\S+\.deb$", line)
    ]
    named = {path.name.partition("_")[0] for path in packages}
    assert {"nereus", "nereus-mpich", "nereus-openmpi"} <= named
    for package in packages:
        assert run(["dpkg-deb", "--extract", package, tmp_path / "root"]).returncode == 0
    root = tmp_path / "root"
    assert str((root / "usr" / "bin" / "nereus").readlink()) == "../lib/nereus/bin/nereus"
    assert (root / "usr" / "lib" / "systemd" / "user" / "nereus-daemon.service").exists()
    environment = root / "usr" / "lib" / "nereus"
    first = (environment / "bin" / "nereus").read_text().splitlines()[0]
    assert first.startswith("#!/usr/lib/nereus/bin/python3")
    code = "from nereus.launch import builds; print([build.name for build in builds()])"
    said = run([environment / "bin" / "python3", "-c", code], tmp_path, NEREUS_BUILDS="", PYTHONPATH="")
    assert said.stdout == "['mpich-debian', 'openmpi-debian']\n", said.stderr
    for name in ("mpich-debian", "openmpi-debian"):
        build = environment / "lib" / "nereus" / name
        linked = run(["ldd", build / "bin" / "nereus-emulator"]).stdout
        assert f"{build}/" in linked and "not found" not in linked
