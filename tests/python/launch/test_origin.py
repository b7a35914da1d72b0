# SPDX-License-Identifier: BSD-3-Clause
"""Who lacks a build is told of what makes it where Nereus came from: an installed one has no Makefile."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from nereus.launch.builds import PACKAGED
from nereus.launch.origin import (
    PACKAGE,
    Origin,
    how_to_build,
    how_to_get_mpich,
    how_to_rebuild,
    origin,
    preset_names,
)

ROOT = PACKAGE.parents[1]
#: Started without the hook of an editable installation (-S), which would come before PYTHONPATH.
START = "from nereus.cli.main import main; main()"


def installed(site_packages: Path, origin: Origin) -> Path:
    """This package as it is after an installation."""
    package = site_packages / "nereus"
    package.mkdir(parents=True)
    for each in PACKAGE.iterdir():
        (package / each.name).symlink_to(each)
    if origin is Origin.WHEEL:
        (package / PACKAGED.name).mkdir()
    return package


def test_package_of_a_checkout_is_told_from_installed_ones(tmp_path: Path) -> None:
    assert origin() is Origin.SOURCE_TREE
    for kind in (Origin.WHEEL, Origin.PACKAGE):
        assert origin(installed(tmp_path / kind / "python", kind)) is kind


@pytest.mark.parametrize(
    ("kind", "makes"),
    [
        (Origin.WHEEL, "install the wheel again, or run `nereus build --with-mpi MPICC`"),
        (Origin.PACKAGE, "`nereus build --with-mpi MPICC --source DIR`"),
    ],
)
@pytest.mark.parametrize("words", [("doctor",), ("run", "-n", "1", "--", "true"), ("monitor", "--", "ls")])
def test_installed_command_without_builds_names_no_makefile(
    tmp_path: Path, kind: Origin, makes: str, words: tuple[str, ...]
) -> None:
    package = installed(tmp_path / "site-packages", kind)
    done = subprocess.run(
        [sys.executable, "-S", "-c", START, *words],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": f"{package.parent}:{sysconfig.get_path('purelib')}",
            "NEREUS_BUILDS": str(tmp_path / "none"),
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    said = done.stdout + done.stderr
    assert done.returncode == (1 if words == ("doctor",) else 2), said
    assert "no MPI build of Nereus is installed" in said and makes in said
    assert "make build" not in said


def test_make_is_named_in_a_source_tree_alone() -> None:
    for told in (how_to_build, how_to_get_mpich, lambda kind: how_to_rebuild("mpich", kind)):
        assert {kind: "make build" in told(kind) for kind in Origin} == {
            kind: kind is Origin.SOURCE_TREE for kind in Origin
        }


def test_build_that_no_preset_makes_is_made_again_by_the_command_that_made_it() -> None:
    assert {"mpich", "openmpi"} <= preset_names(ROOT) and "mine" not in preset_names(ROOT)
    again = "run `nereus build --with-mpi MPICC --name mine` again"
    assert how_to_rebuild("mine", Origin.SOURCE_TREE) == how_to_rebuild("mine", Origin.WHEEL) == again
    assert how_to_rebuild("mpich", Origin.WHEEL) == again.replace("mine", "mpich")
