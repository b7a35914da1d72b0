# SPDX-License-Identifier: BSD-3-Clause
"""The tools of an MPI, which stand in one folder and have names that are alike: mpicc.mpich, mpicxx.mpich."""

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.building.error import BuildingError

_WRAPPER = re.compile(r"(mpicc|mpigcc|mpiicx|mpiicc)(.*)")
_OF_CPP = {
    "mpicc": ("mpicxx", "mpic++", "mpiCC"),
    "mpigcc": ("mpigxx",),
    "mpiicx": ("mpiicpx",),
    "mpiicc": ("mpiicpc",),
}
_LAUNCHERS = ("mpiexec", "mpirun", "mpiexec.hydra")
_OF_STANDARD_ABI = "_abi"


@dataclass(frozen=True)
class MpiTools:
    """`given`: as the user named it. Paths are absolute; `mpicxx` is None where there is no such wrapper."""

    given: str
    mpicc: Path
    mpicxx: Path | None
    mpiexec: Path
    #: Where the wrapper really is, past the links of an alternatives system.
    wrapper: Path

    @property
    def prefix(self) -> Path:
        """Where the MPI is installed, as all of them are."""
        return self.wrapper.parent.parent


def mpi_tools(mpicc: str, mpiexec: str | None = None) -> MpiTools:
    """BuildingError where one is missing."""
    path = _program(mpicc, f"--with-mpi {mpicc}")
    wrapper = _behind_links(path)
    named = _WRAPPER.fullmatch(wrapper.name)
    stem, ending = (named[1], named[2]) if named else ("", "")
    if mpiexec is not None:
        launcher: Path | None = _program(mpiexec, f"--mpiexec {mpiexec}")
    else:
        # The wrapper for the standard ABI of MPI 5 is a second one of the same MPI.
        launcher = _beside(wrapper, _LAUNCHERS, ending.removesuffix(_OF_STANDARD_ABI)) if named else None
    if launcher is None:
        raise BuildingError(f"--with-mpi {mpicc}: no mpiexec stands beside it; --mpiexec names one")
    return MpiTools(mpicc, path, _beside(wrapper, _OF_CPP.get(stem, ()), ending), launcher, wrapper)


def _program(name: str, asked: str) -> Path:
    found = shutil.which(name)
    if found is None or not Path(found).is_file():
        raise BuildingError(f"{asked}: there is no such program")
    return Path(os.path.abspath(found))  # noqa: PTH100 - links stay: wrappers may go by their own names


def _behind_links(path: Path) -> Path:
    """Debian's mpicc is a link to a link to mpicc.openmpi, whose neighbours have that ending."""
    while path.is_symlink():
        target = path.parent / path.readlink()
        if not _WRAPPER.fullmatch(target.name):
            break
        path = target
    return path


def _beside(wrapper: Path, names: Sequence[str], ending: str) -> Path | None:
    """The first of these that is a program in its folder."""
    paths = (wrapper.parent / f"{name}{ending}" for name in names)
    return next((path for path in paths if path.is_file() and os.access(path, os.X_OK)), None)
