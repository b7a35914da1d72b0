# SPDX-License-Identifier: BSD-3-Clause
"""Where a name without a slash is looked for: in PATH, and behind that in what was installed with Nereus."""

import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from nereus.launch.builds import Build
from nereus.launch.error import LaunchError
from nereus.launch.linkage import FAMILIES, family_of

_LAUNCHERS = re.compile(r"(mpiexec|mpirun|orterun|prterun|srun|nereus$)")


def search_path(build: Build, environment: Mapping[str, str] = os.environ) -> str:
    """PATH, then the build's programs, the launcher of its MPI, and this Python environment's commands."""
    installed = [build.prefix / "bin", build.mpiexec.parent, Path(sys.prefix) / "bin"]
    return os.pathsep.join([environment.get("PATH", os.defpath), *map(str, installed)])


def find_program(name: str, build: Build, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The program of that name; None where there is none that can be executed."""
    found = shutil.which(name, path=search_path(build, environment))
    # Absolute, because launchers look for names without a slash in PATH only.
    return None if found is None else Path(found).absolute()


def found_program(name: str, build: Build) -> Path:
    """The program of that name, to be run with the build; LaunchError: there is none, or for another MPI."""
    found = find_program(name, build)
    if found is None:
        raise LaunchError(f"PROGRAM = {name}: there is no such program that can be executed")
    family = family_of(found)
    if family not in (None, build.family):
        raise LaunchError(
            f"PROGRAM = {found}: it was built for {FAMILIES[family]}, and the build {build.name} is "
            f"{build.library_version.splitlines()[0]}; --mpi names another one (nereus doctor)"
        )
    return found


def application_in(command: Sequence[str], build: Build) -> str:
    """The name of the application in a command: the first word that is a program and no launcher."""
    programs = [word for word in command if not word.startswith("-") and find_program(word, build)]
    words = [Path(word).name for word in programs]
    return next((word for word in words if not _LAUNCHERS.match(word)), words[0] if words else "")
