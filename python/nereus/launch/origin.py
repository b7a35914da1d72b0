# SPDX-License-Identifier: BSD-3-Clause
"""How this Nereus was installed, and by it what makes the builds that it lacks."""

import json
from enum import StrEnum
from pathlib import Path

from nereus.reading import beginning_of

#: The Python package `nereus`.
PACKAGE = Path(__file__).parents[1]
#: What the package has in a wheel: builds, and the source from which others are made.
BUILDS = "builds"


class Origin(StrEnum):
    """Where the Python package came from."""

    SOURCE_TREE = "source tree"
    WHEEL = "wheel"
    #: As by scripts/install, Debian's packages, Spack: builds are made beside it, and no source stays there.
    PACKAGE = "package"


def origin(package: Path = PACKAGE) -> Origin:
    """That of the package in this folder."""
    if (package / BUILDS).is_dir():
        return Origin.WHEEL
    is_tree = package.parent.name == "python" and (package.parents[1] / "scripts" / "setup").is_file()
    return Origin.SOURCE_TREE if is_tree else Origin.PACKAGE


def how_to_build(came_from: Origin | None = None) -> str:
    """What makes builds where there are none."""
    return {
        Origin.SOURCE_TREE: "run `make build`",
        Origin.WHEEL: "install the wheel again, or run `nereus build --with-mpi MPICC`",
        Origin.PACKAGE: "install Nereus's package for your MPI, or run `nereus build --with-mpi MPICC "
        "--source DIR` with a source tree of Nereus",
    }[came_from or origin()]


def how_to_rebuild(name: str, came_from: Origin | None = None) -> str:
    """What brings back what the build of that name lacks, which is not that of a wheel."""
    came_from = came_from or origin()
    if came_from is Origin.SOURCE_TREE and name in preset_names(PACKAGE.parents[1]):
        return "run `make build` again"
    if came_from is Origin.PACKAGE:
        return f"install Nereus's build {name} again"
    return f"run `nereus build --with-mpi MPICC --name {name}` again"


def how_to_get_mpich(came_from: Origin | None = None) -> str:
    """What gives an MPI that can resize jobs, with a build for it."""
    return {
        Origin.SOURCE_TREE: "`make build` fetches MPICH 5 from PyPI and builds Nereus with it",
        Origin.WHEEL: "`pip install mpich` fetches MPICH 5 from PyPI, for which the wheel has a build",
        Origin.PACKAGE: "as MPICH 5, with `nereus build --with-mpi MPICC --source DIR` and a source tree",
    }[came_from or origin()]


def preset_names(tree: Path) -> set[str]:
    """The builds that `make build` can make in a source tree: no others are called so."""
    presets = json.loads(beginning_of(tree / "CMakePresets.json"))["configurePresets"]
    return {preset["name"] for preset in presets}
