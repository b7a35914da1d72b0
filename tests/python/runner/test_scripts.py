# SPDX-License-Identifier: BSD-3-Clause
"""The scripts that CI relies on, with a CTest and a make that only note how they were called."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """How ctest and make were called, a line a call; those with `openmpi` or `lint` fail."""
    for name in ("ctest", "make"):
        tool = tmp_path / name
        tool.write_text(
            f'#!/bin/sh\necho "{name} $*" >> {tmp_path}/calls\ncase "$*" in *openmpi*|lint) exit 8;; esac\n'
        )
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path / "calls"


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([script, *arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def checkout(repository: Path, tmp_path: Path) -> Path:
    """scripts/setup and scripts/demo, with builds that take no time; `nereus` says which builds it uses."""
    scripts, command = tmp_path / "scripts", tmp_path / ".venv" / "bin" / "nereus"
    scripts.mkdir()
    command.parent.mkdir(parents=True)
    for name in ("setup", "demo"):
        shutil.copy(repository / "scripts" / name, scripts)
    # A whole build leaves the list of what it installed, as CMake does.
    builds = """\
for preset; do
    case $preset in
    demo:*) mkdir -p .venv/lib/nereus-demo;;
    *:*) ;;
    *) mkdir -p build/$preset; touch build/$preset/install_manifest.txt;;
    esac
done
"""
    texts = {scripts / "build": builds, **{scripts / name: "" for name in ("packages", "venv", "more_mpis")}}
    for path, text in {**texts, command: 'echo "$1 ${NEREUS_BUILDS-usual}"'}.items():
        path.write_text(f"#!/bin/sh\n{text}")
        path.chmod(0o755)
    return tmp_path


def test_failing_part_fails_the_run_without_hiding_the_others(repository: Path, calls: Path) -> None:
    done = run(repository / "scripts" / "test", "openmpi", "mpich")
    assert done.returncode == 1
    summary = [line.split()[:2] for line in done.stdout.splitlines()[-2:]]
    assert summary == [["openmpi", "FAILED"], ["mpich", "passed"]]


def test_passing_parts_pass_and_a_tree_without_tests_fails(repository: Path, calls: Path) -> None:
    assert run(repository / "scripts" / "test", "mpich").returncode == 0
    assert "--no-tests=error" in calls.read_text()


def test_unknown_part_is_refused_before_any_runs(repository: Path, calls: Path) -> None:
    done = run(repository / "scripts" / "test", "mpich", "fortran")
    assert done.returncode == 2
    assert not calls.exists()
    assert "fortran: allowed are unit, mpich, openmpi, openmpi-debian, python and system" in done.stderr


@pytest.mark.parametrize("preset", ["--help", "fortran", "", "fortran:install"])
def test_unknown_preset_is_refused_before_any_is_configured(repository: Path, preset: str) -> None:
    done = run(repository / "scripts" / "build", "demo", preset)
    assert done.returncode == 2
    assert done.stderr.startswith(
        f"nereus: scripts/build {preset}: allowed are mpich mpich-programs demo openmpi"
    )
    assert done.stdout == ""


@pytest.mark.parametrize("what", ["programs", "all"])
def test_demo_uses_its_own_build_only_while_there_is_no_optimised_one(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.delenv("NEREUS_BUILDS", raising=False)
    own = checkout / ".venv" / "lib" / "nereus-demo"

    def build_after(asked: str) -> str:
        assert run(checkout / "scripts" / "setup", asked).returncode == 0
        shown = run(checkout / "scripts" / "demo", "results").stdout.splitlines()
        (used,) = {line.removeprefix("demo ") for line in shown}
        return used

    assert build_after("demo") == str(own)
    assert build_after(what) == "usual"
    own.mkdir()  # by an earlier version of scripts/setup
    assert build_after("demo") == "usual"
    assert not own.exists()


def test_mpi_that_cannot_be_installed_is_left_out_with_one_line(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    for name in ("scripts/more_mpis", "CMakePresets.json"):
        shutil.copy(repository / name, tmp_path / name)
    for name in ("intel", "openmpi5"):
        shutil.copy(repository / f"requirements-{name}.txt", tmp_path)
    installs = 'case "$*" in *intel*) echo "ERROR: no wheel for it"; exit 1;; esac; mkdir -p .venv/openmpi5'
    builds = 'echo "$*" >>built; mkdir -p build/$4'
    for path, text in {".venv/bin/pip": installs, "scripts/build": builds}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / path).chmod(0o755)
    done = run(tmp_path / "scripts" / "more_mpis")
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.endswith(
        "requirements-intel.txt cannot be installed, and tests of intel are skipped: ERROR: no wheel for it"
    )
    built = (tmp_path / "built").read_text()
    assert built == "--with-mpi .venv/openmpi5/bin/mpicc --name openmpi5 --only emulate\n"


def test_ci_stops_at_its_first_failing_step(repository: Path, calls: Path) -> None:
    assert run(repository / ".ci" / "run").returncode != 0
    assert calls.read_text() == "make lint\n"


def test_check_of_an_unknown_room_is_refused_with_all_rooms(repository: Path, calls: Path) -> None:
    for room in ("nowhere", "", "probe"):  # the last is the end of two
        done = run(repository / "scripts" / "check", room)
        assert done.returncode == 2
        assert "    src/transfer\n" in done.stderr
    assert not calls.exists()


def test_rooms_named_in_check_exist(repository: Path) -> None:
    script = (repository / "scripts" / "check").read_text()
    named = re.findall(r"^    \[([\w/]+)\]=", script, flags=re.MULTILINE)
    assert len(named) > 5
    rooms = re.findall(r"^\| `([^`]+)` \|", (repository / "ARCHITECTURE.md").read_text(), flags=re.MULTILINE)
    assert set(named) <= set(rooms)
