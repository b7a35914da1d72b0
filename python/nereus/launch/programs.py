# SPDX-License-Identifier: BSD-3-Clause
"""Where a name without a slash is looked for: in PATH, and behind that in what was installed with Nereus."""

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from nereus.launch.builds import Build


def search_path(build: Build, environment: Mapping[str, str] = os.environ) -> str:
    """PATH, then the build's programs, the launcher of its MPI, and this Python environment's commands."""
    installed = [build.prefix / "bin", build.mpiexec.parent, Path(sys.prefix) / "bin"]
    return os.pathsep.join([environment.get("PATH", os.defpath), *map(str, installed)])


def find_program(name: str, build: Build, environment: Mapping[str, str] = os.environ) -> Path | None:
    """The program of that name; None where there is none that can be executed."""
    found = shutil.which(name, path=search_path(build, environment))
    # Absolute, because launchers look for names without a slash in PATH only.
    return None if found is None else Path(found).absolute()
