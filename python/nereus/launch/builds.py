# SPDX-License-Identifier: BSD-3-Clause
"""Which builds of Nereus are installed: one for each MPI, in a folder of its own with a file mpi.json."""

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.launch.error import LaunchError
from nereus.launch.origin import BUILDS, PACKAGE, how_to_build, how_to_rebuild
from nereus.reading import beginning_of

PREFERRED = "mpich"
#: By launchers that take the same command line: Hydra, Intel's Hydra, Open MPI's own and, since 5, PRRTE.
#: Each with the family whose ABI its libraries have.
FAMILIES = {"mpich": "mpich", "intel": "mpich", "openmpi": "openmpi", "prrte": "openmpi"}
KINDS = tuple(FAMILIES)
#: The file name of the library in the ABI of MPICH.
MPICH_LIBRARY = "libmpi.so.12"
#: Builds that came with the Python package, in a wheel.
PACKAGED = PACKAGE / BUILDS
_OPEN_MPI = re.compile(r"Open MPI v?(\d+)")
_FIRST_WITH_PRRTE = 5


@dataclass(frozen=True)
class Build:
    """Programs and library of Nereus made for one MPI."""

    name: str
    prefix: Path
    mpiexec: Path
    library_version: str
    #: Where its MPI's library is; None: where the dynamic linker looks by itself.
    library_folder: Path | None = None
    #: One of KINDS, by which its launcher is told what to do; "": by the version.
    stated_kind: str = ""
    #: The build whose programs it has, since its MPI has the same ABI; "": it was compiled for its MPI.
    programs_of: str = ""

    @property
    def kind(self) -> str:
        """One of KINDS."""
        return self.stated_kind or _kind_of(self.library_version)

    @property
    def family(self) -> str:
        """Whose ABI its library has: "mpich" or "openmpi"."""
        return FAMILIES[self.kind]

    def is_for(self, library: str) -> bool:
        """Whether its MPI calls itself so: the first line of MPI_Get_library_version."""
        return self.library_version.startswith(" ".join(library.split()))

    @property
    def is_packaged(self) -> bool:
        """Whether it came with the Python package."""
        return self.prefix.parent == PACKAGED

    @property
    def environment(self) -> dict[str, str]:
        """What its programs need to find its MPI, and no other one of the same name."""
        given = list(filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":")))
        # Programs of a wheel look in its Python environment, but only after those folders.
        is_hidden = self.is_packaged and any((Path(folder) / MPICH_LIBRARY).exists() for folder in given)
        if self.library_folder is None or not (self.programs_of or is_hidden):
            return {}
        return {"LD_LIBRARY_PATH": ":".join([str(self.library_folder), *given])}

    @property
    def remedy(self) -> str:
        """What brings back what it lacks."""
        return "install the wheel again" if self.is_packaged else how_to_rebuild(self.name)

    @property
    def description(self) -> Path:
        """The file that describes this build."""
        return self.prefix / "mpi.json"

    def program(self, name: str) -> Path:
        """Path of an installed program of this build."""
        path = self.prefix / "bin" / name
        if not os.access(path, os.X_OK):
            raise LaunchError(f"{path}: the build {self.name} has no such program; {self.remedy}")
        return path

    def library(self, name: str) -> Path:
        """Path of a library of this build that is preloaded."""
        path = self.prefix / "lib" / name
        if not path.exists():
            raise LaunchError(f"{path}: the build {self.name} has no such library; {self.remedy}")
        return path

    @property
    def examples(self) -> Path:
        """The folder of the examples that were installed with it."""
        return self.prefix / "share" / "nereus" / "examples"

    def example(self, name: str) -> Path:
        """The file of an example, as `emulate/cg.toml`."""
        path = self.examples / name
        if not path.is_file():
            raise LaunchError(f"{path}: the build {self.name} has no such example; {self.remedy}")
        return path

    def files(self, *programs: str) -> list[Path]:
        """What an answer of these programs depends on: when none of it changed, the answer stands."""
        libraries = sorted((self.prefix / "lib").glob("libnereus.so*"))
        return [self.description, self.mpiexec, *libraries, *map(self.program, programs)]


def builds_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where builds are installed: NEREUS_BUILDS, else lib/nereus of this Python environment."""
    return Path(environment.get("NEREUS_BUILDS") or Path(sys.prefix) / "lib" / "nereus")


def build_folders(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Where builds are looked for; without NEREUS_BUILDS last where they came with the Python package."""
    folder = builds_folder(environment)
    return [folder] if environment.get("NEREUS_BUILDS") else [folder, PACKAGED]


def builds(environment: Mapping[str, str] = os.environ) -> list[Build]:
    """All that are installed; the preferred one first, the others by name.

    Of several with one name it is that of the first folder.
    """
    found = {
        build.name: build
        for folder in reversed(build_folders(environment))
        for build in map(_read, sorted(folder.glob("*/mpi.json")))
    }
    return sorted(found.values(), key=lambda build: (build.name != PREFERRED, build.name))


def choose(name: str | None = None, environment: Mapping[str, str] = os.environ) -> Build:
    """The build called `name`; without a name the preferred one."""
    found = builds(environment)
    if not found:
        folder = builds_folder(environment)
        raise LaunchError(f"{folder}: no MPI build of Nereus is installed there; {how_to_build()}")
    for build in found:
        if name in (None, build.name):
            return build
    raise LaunchError(f"--mpi = {name}: no such MPI build; installed are {_names(found)}")


def mpi_independent(name: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Path of a program that is the same with all MPIs: that of the first build that has it."""
    first = choose(None, environment)
    having = (build for build in builds(environment) if os.access(build.prefix / "bin" / name, os.X_OK))
    return next(having, first).program(name)


def _names(found: Sequence[Build]) -> str:
    return ", ".join(build.name for build in found)


def _read(path: Path) -> Build:
    try:
        # Not strict, because version texts of MPIs come with tabs in them.
        text = json.loads(beginning_of(path), strict=False)
        name, mpiexec, version = text["name"], text["mpiexec"], text["library_version"]
        # Builds from before these were there have none.
        folder, kind = text.get("library_folder"), text.get("kind", "")
        programs_of = str(text.get("programs_of", ""))
        if kind not in ("", *KINDS):
            raise ValueError(f"kind = {kind}: allowed are {', '.join(KINDS)}")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise LaunchError(
            f"{path}: not the description of an MPI build ({problem!r}); {how_to_rebuild(path.parent.name)}"
        ) from problem
    # In a wheel they are relative: the MPI lies in the same Python environment.
    library_folder = path.parent / str(folder) if folder else None
    version = " ".join(str(version).split())
    return Build(
        str(name), path.parent, path.parent / str(mpiexec), version, library_folder, kind, programs_of
    )


def _kind_of(version: str) -> str:
    """By the first line of MPI_Get_library_version; what is not known is taken for a relative of MPICH."""
    open_mpi = _OPEN_MPI.search(version)
    if open_mpi is not None:
        return "prrte" if int(open_mpi[1]) >= _FIRST_WITH_PRRTE else "openmpi"
    return "intel" if "Intel(R) MPI" in version else "mpich"
