# SPDX-License-Identifier: BSD-3-Clause
"""Which family of MPI an executable was linked with, by the names of the libraries that it and they need.

A program of another MPI runs under a launcher as N jobs of one process each, and ends well. Programs that
load their MPI later, as Python does, are found out by nereus_open() alone.
"""

import os
import re
import shutil
import subprocess
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

# The ABI of MPICH, which Intel MPI, MVAPICH and others share, has version 12; Open MPI's has 20, 40 or 80.
_MPICH = re.compile(r"lib(mpich|mpi|mpicxx|mpichcxx|mpifort)\.so\.12$")
_OPEN_MPI = re.compile(r"lib(mpi|mpi_cxx|mpi_mpifh|open-rte|open-pal)\.so\.(20|40|80)$")
_CACHED = re.compile(r"^\s*(\S+) \(.*\) => (\S+)$", re.MULTILINE)
_USUAL_FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")
_MOST_FILES = 1000
_SECONDS = 10.0

#: What Build.family calls them.
FAMILIES = {"mpich": "MPICH or one of its relatives", "openmpi": "Open MPI"}


@dataclass(frozen=True)
class _Linked:
    """What a program or a library says to the dynamic linker."""

    machine: tuple[int, str]
    needed: tuple[str, ...]
    rpath: tuple[str, ...]  # searched first, also for what its libraries need
    runpath: tuple[str, ...]  # searched for what it needs itself


def family_of(program: Path, environment: Mapping[str, str] = os.environ) -> str | None:
    """One of FAMILIES, of the library that is nearest to the program; None where no file says it."""
    first = _linked(program.resolve())
    if first is None:
        return None  # a script, or nothing that we can tell of
    waiting = deque([(first, first.rpath)])
    known: set[str] = set()
    while waiting and len(known) < _MOST_FILES:
        one, inherited = waiting.popleft()
        family = _named(one.needed)
        if family is not None:
            return family
        for name in one.needed:
            if name not in known:
                known.add(name)
                found = _library(name, one, inherited, environment)
                if found is not None:
                    waiting.append((found, (*found.rpath, *inherited)))
    return None


def _named(needed: tuple[str, ...]) -> str | None:
    names = [name.rpartition("/")[2] for name in needed]
    if any(map(_MPICH.match, names)):
        return "mpich"
    return "openmpi" if any(map(_OPEN_MPI.match, names)) else None


def _linked(file: Path) -> _Linked | None:
    """By its segments, which are there in programs without a table of sections."""
    if not file.is_file():
        return None
    # Most commands start no program of the user's, and start sooner without.
    from elftools.elf.dynamic import DynamicSegment
    from elftools.elf.elffile import ELFFile

    try:
        with file.open("rb") as stream:
            elf = ELFFile(stream)
            tags = [
                (tag.entry.d_tag, str(getattr(tag, tag.entry.d_tag[3:].lower())))
                for segment in elf.iter_segments()
                if isinstance(segment, DynamicSegment)
                for tag in segment.iter_tags()
                if tag.entry.d_tag in ("DT_NEEDED", "DT_RPATH", "DT_RUNPATH")
            ]
            machine = (elf.elfclass, str(elf["e_machine"]))
    except Exception:  # of a damaged file it raises what it comes upon
        return None
    folders = {
        kind: tuple(
            re.sub(r"\$(ORIGIN\b|\{ORIGIN\})", lambda _: str(file.parent), folder)
            for tag, text in tags
            if tag == kind
            for folder in text.split(":")
        )
        for kind in ("DT_RPATH", "DT_RUNPATH")
    }
    needed = tuple(text for tag, text in tags if tag == "DT_NEEDED")
    runpath = folders["DT_RUNPATH"]
    return _Linked(machine, needed, () if runpath else folders["DT_RPATH"], runpath)


def _library(
    name: str, by: _Linked, inherited: tuple[str, ...], environment: Mapping[str, str]
) -> _Linked | None:
    """The first that the dynamic linker would take for `by`."""
    for place in _places(name, by, inherited, environment):
        found = _linked(place)
        if found is not None and found.machine == by.machine:
            return found
    return None


def _places(
    name: str, by: _Linked, inherited: tuple[str, ...], environment: Mapping[str, str]
) -> Iterator[Path]:
    """In the order of ld.so(8)."""
    if "/" in name:
        yield Path(name)
        return
    from_outside = [folder for folder in re.split("[:;]", environment.get("LD_LIBRARY_PATH", "")) if folder]
    for folder in (*(() if by.runpath else inherited), *from_outside, *by.runpath):
        yield Path(folder, name)
    yield from map(Path, _cached().get(name, ()))
    for folder in _USUAL_FOLDERS:
        yield Path(folder, name)


@lru_cache(maxsize=1)
def _cached() -> dict[str, list[str]]:
    """Libraries of the system by name; empty where it has no ldconfig, as with musl."""
    command = shutil.which(
        "ldconfig", path=os.pathsep.join([os.environ.get("PATH", ""), "/sbin", "/usr/sbin"])
    )
    made: dict[str, list[str]] = {}
    if command is None:
        return made
    try:
        done = subprocess.run(
            [command, "-p"], capture_output=True, check=False, timeout=_SECONDS, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return made
    for name, path in _CACHED.findall(done.stdout.decode(errors="replace")):
        made.setdefault(name, []).append(path)
    return made
