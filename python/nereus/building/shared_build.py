# SPDX-License-Identifier: BSD-3-Clause
"""A build that has the programs of another one: its MPI has the same ABI, so that nothing is compiled.

MPICH from version 4 on, Intel MPI, Cray MPICH and MVAPICH share one ABI (the MPICH ABI Compatibility
Initiative); their library is called libmpi.so.12. The build in a wheel was linked with MPICH's.
"""

import json
import os
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from nereus.building.error import BuildingError
from nereus.building.mpi import ForeignMpi, variables
from nereus.building.tools import MpiTools
from nereus.launch import Build, builds
from nereus.launch.builds import MPICH_LIBRARY

_LINKED = ("bin", "include", "lib", "share")
_SECONDS = 30.0
_NO_SYMBOL = re.compile(r"undefined symbol: (\w+)")
_USUAL_FOLDERS = ("lib", "lib64", "lib/release")


@dataclass(frozen=True)
class ShareableBuild:
    """One whose programs look for their MPI where they are told to."""

    build: Build

    def runs_with(self, tools: MpiTools) -> "tuple[ForeignMpi, Path] | str":
        """That MPI and the folder of its library, found by running a program; or why it does not run."""
        folder = _library_folder(tools)
        if folder is None:
            return f"has another ABI than the build {self.build.name}: no {MPICH_LIBRARY} is there"
        # What libnereus, with which the program is linked, needs of the MPI must be there at the start.
        settings = {
            **replace(self.build, library_folder=folder, programs_of=self.build.name).environment,
            "LD_BIND_NOW": "1",
        }
        try:
            found = ForeignMpi.launched(tools, self.build.program("nereus-launched"), settings)
        except BuildingError as problem:
            lacking = _NO_SYMBOL.search(str(problem))
            return f"lacks {lacking[1]}, which MPICH 4 and its relatives have" if lacking else str(problem)
        return found, folder

    def register(self, mpi: ForeignMpi, library_folder: Path, name: str, folder: Path) -> Path:
        """Installed as `folder`/`name`; BuildingError where a compiled build is there."""
        target = folder / name
        if target.exists() and not _is_shared(target):
            raise BuildingError(
                f"--name {name}: {target} is there, and was compiled; take another name, or remove it"
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}-") as work:
                made = Path(work) / name
                made.mkdir()
                for part in _LINKED:
                    (made / part).symlink_to((self.build.prefix / part).resolve())
                (made / "mpi.json").write_text(
                    json.dumps(self._description(mpi, library_folder, name), indent=2)
                )
                if target.exists():
                    target.rename(Path(work) / "former")
                made.rename(target)
        except OSError as problem:
            raise BuildingError(f"{target}: cannot be written: {problem.strerror}") from None
        return target

    def _description(self, mpi: ForeignMpi, library_folder: Path, name: str) -> dict[str, str]:
        return {
            "name": name,
            "mpiexec": str(mpi.tools.mpiexec),
            "library_folder": str(library_folder),
            "library_version": mpi.library,
            "programs_of": self.build.name,
        }


def shareable_build() -> ShareableBuild | None:
    """The one that came in the wheel of this package; None in a checkout."""
    return next((ShareableBuild(build) for build in builds() if build.is_packaged), None)


def _is_shared(folder: Path) -> bool:
    return folder.is_dir() and all((folder / part).is_symlink() for part in _LINKED)


def _library_folder(tools: MpiTools) -> Path | None:
    """As the wrapper says it, or where MPIs have it."""
    usual = [tools.prefix / name for name in _USUAL_FOLDERS]
    return next(
        (folder for folder in [*_said_by_wrapper(tools), *usual] if (folder / MPICH_LIBRARY).is_file()), None
    )


def _said_by_wrapper(tools: MpiTools) -> list[Path]:
    try:
        done = subprocess.run(
            [tools.mpicc, "-show"],
            env={**os.environ, **variables(tools)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
        words = shlex.split(done.stdout.decode(errors="replace"))
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return []
    return [Path(word[2:]) for word in words if word.startswith("-L") and len(word) > 2]
