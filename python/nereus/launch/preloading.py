# SPDX-License-Identifier: BSD-3-Clause
"""How the monitor comes into all processes of a command that somebody else wrote: through the environment."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from nereus.launch.builds import FAMILIES, Build, builds, choose
from nereus.launch.error import LaunchError
from nereus.launch.origin import how_to_build

# mpiexec of Open MPI gives these to processes on other hosts; that of MPICH gives them the whole environment.
_FORWARDED = "OMPI_MCA_mca_base_env_list"
_SECONDS = 20
# The sensor of the monitor, in a build.
LIBRARY = "libnereus-monitor.so"
# The same as components of Open MPI, which then need no wrappers.
COMPONENTS = "lib/openmpi-components"
SEARCHED = "OMPI_MCA_mca_base_component_path"
# What MPIs call their launcher, so that its name does not tell whose it is.
_USUAL_LAUNCHERS = ("mpiexec", "mpirun")
# By Build.kind; the first that is found counts.
_KINDS = {
    "prrte": re.compile(r"\(Open MPI\) (?:[5-9]|\d\d)\.|PRRTE"),
    "openmpi": re.compile(r"Open MPI|OpenRTE|open-mpi", re.I),
    "intel": re.compile(r"Intel\(R\) MPI"),
    "mpich": re.compile(r"HYDRA|MPICH", re.I),
}
_VERSION = re.compile(r"\d+(?:\.\d+)+")


def build_for(command: Sequence[str], name: str | None = None) -> Build:
    """The build for the MPI that the command starts: the one called `name`, else by its launcher.

    Where PATH has no launcher it is that of the usual build, as for `nereus run`. LaunchError where the
    launcher is none that is known.
    """
    if name is not None:
        return choose(name)
    if Path(command[0]).name == "nereus":
        return choose(_told_to_nereus(command))
    launcher = shutil.which(command[0])
    if launcher is None and command[0] in _USUAL_LAUNCHERS:
        return choose()
    if launcher is None:
        raise LaunchError(f"{command[0]}: there is no such program that can be executed")
    own = [build for build in builds() if Path(build.mpiexec).resolve() == Path(launcher).resolve()]
    if own:
        return own[0]
    kind = _kind_in(_version_text(launcher))
    relatives = [build for build in builds() if kind is not None and build.family == FAMILIES[kind]]
    alike = sorted(relatives, key=lambda build: build.kind != kind)
    if not alike:
        known = ", ".join(build.name for build in builds())
        if not known:
            raise LaunchError(f"no MPI build of Nereus is installed; {how_to_build()}")
        raise LaunchError(f"{command[0]}: which MPI it starts is not known; --mpi names it: {known}")
    return alike[0]


def launched_with(command: Sequence[str], build: Build) -> list[str]:
    """The command with the launcher of the build where the first word means none, or one of another MPI."""
    if command[0] not in _USUAL_LAUNCHERS:
        return list(command)
    launcher = shutil.which(command[0])
    if launcher is not None and _may_start(launcher, build):
        return list(command)
    return [str(build.mpiexec), *command[1:]]


def _may_start(launcher: str, build: Build) -> bool:
    """Whether it is that of the build's MPI: of the same kind and version, as far as it tells them."""
    said = _version_text(launcher)
    versions = [_VERSION.search(text) for text in (said, build.library_version)]
    told = {version[0] for version in versions if version is not None}
    return _kind_in(said) in (build.kind, None) and len(told) < 2


def _told_to_nereus(command: Sequence[str]) -> str | None:
    """The build that a command of ours is given; None where it takes the usual one."""
    own = command[: command.index("--")] if "--" in command else command
    for word, following in zip(own, [*own[1:], None], strict=True):
        if word == "--mpi":
            return following
        if word.startswith("--mpi="):
            return word.removeprefix("--mpi=")
    return None


def _kind_in(said: str) -> str | None:
    """Which launcher says this of itself."""
    return next((name for name, words in _KINDS.items() if words.search(said)), None)


def _version_text(launcher: str) -> str:
    """What it says of itself; "" where it is none, by its name."""
    if not re.match(r"(mpiexec|mpirun|orterun|prterun|hydra)", Path(launcher).name):
        return ""
    try:
        said = subprocess.run(
            [launcher, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return said.stdout + said.stderr


def preloaded(
    library: Path | None, variables: Mapping[str, str], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """`environment` in which all processes load `library`, if any, and have `variables`, everywhere."""
    if library is None:
        return _everywhere(environment, variables)
    if set(str(library)) & set(" :"):
        raise LaunchError(f"{library}: a library whose name has a blank or a colon cannot be preloaded")
    others = environment.get("LD_PRELOAD", "")
    return _everywhere(
        environment, {"LD_PRELOAD": ":".join(filter(None, [str(library), others])), **variables}
    )


def with_components(
    build: Build, variables: Mapping[str, str], environment: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """`environment` in which Open MPI loads the sensor's components; LaunchError where there are none."""
    folder = build.prefix / COMPONENTS
    if not folder.exists():
        raise LaunchError(
            f"{build.name}: there are no components of the monitor for it; "
            "they are made for an Open MPI whose inner headers are installed"
        )
    others = environment.get(SEARCHED, "SYSTEM_DEFAULT:USER_DEFAULT")
    return _everywhere(environment, {SEARCHED: f"{folder}:{others}", **variables})


def forwards_itself(command: Sequence[str]) -> bool:
    """Whether the command says which variables go to other hosts: Open MPI then refuses a list of ours."""
    return any(word in ("-x", "--x") for word in command)


def not_forwarded(environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` without the list of what Open MPI gives to processes on other hosts."""
    return {name: value for name, value in environment.items() if name != _FORWARDED}


def forwarded_by_list(environment: Mapping[str, str]) -> list[str]:
    """The names that are in it."""
    return [name for name in environment.get(_FORWARDED, "").split(";") if name]


def _everywhere(environment: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
    forwarded = forwarded_by_list(environment)
    names = [name for name in environment if name.startswith("NEREUS_") and name not in added]
    return {**environment, **added, _FORWARDED: ";".join([*forwarded, *sorted({*added, *names})])}
