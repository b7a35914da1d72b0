# SPDX-License-Identifier: BSD-3-Clause
"""Rooms use each other only as the table in ARCHITECTURE.md says."""

import ast
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

C_ENDINGS = (".c", ".h", ".cpp", ".hpp")
PUBLIC = "include/nereus"
MPI_ROOM = "src/mpi"
# Where includes begin, beside the folder of the file that includes.
ROOTS = ["src", "include", "preload/monitor", ""]
# What is no part of the house itself.
BESIDE = ("tests/", "bench/", "scripts/", "docs/")


@dataclass(frozen=True)
class Room:
    path: str
    purpose: str
    uses: frozenset[str]

    @property
    def may_use_mpi(self) -> bool:
        return self.path == MPI_ROOM or bool(self.uses & {"MPI", MPI_ROOM, PUBLIC})

    @property
    def may_use_api(self) -> bool:
        return self.path == PUBLIC or self.path.startswith("src/") or PUBLIC in self.uses

    def may_use(self, other: "Room") -> bool:
        return other == self or (self.may_use_api if other.path == PUBLIC else other.path in self.uses)


def rooms_of(architecture: str) -> dict[str, Room]:
    rows = re.findall(r"^\| `([^`]+)` \| (.*?) \| (.*?) \|$", architecture, flags=re.MULTILINE)
    rooms = [
        Room(path, purpose, frozenset(re.split(r",\s*", uses.replace("`", ""))))
        for path, purpose, uses in rows
    ]
    return {room.path: room for room in rooms}


def room_of(path: str, rooms: dict[str, Room]) -> Room | None:
    while path := posixpath.dirname(path):
        if path in rooms:
            return rooms[path]
    return None


def includes(path: str, text: str, files: dict[str, str]) -> Iterator[str]:
    """The files of ours that a C or C++ file includes, and "MPI" for mpi.h."""
    for bracket, name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)', text, flags=re.MULTILINE):
        if name == "mpi.h":
            yield "MPI"
            continue
        places = ["include"] if bracket == "<" else [posixpath.dirname(path), *ROOTS]
        found = [posixpath.normpath(posixpath.join(place, name)) for place in places]
        yield from [candidate for candidate in found if candidate in files][:1]


def imports(path: str, text: str) -> Iterator[str]:
    """The modules that a Python file imports, as paths: python/nereus/config/model."""
    package = posixpath.dirname(path).split("/")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (f"python/{alias.name.replace('.', '/')}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ["python"]
            module = [*base, *(node.module or "").split(".")]
            yield from (posixpath.join(*module, alias.name) for alias in node.names)


def reaches_mpi(path: str, files: dict[str, str]) -> bool:
    """Whether a public header brings mpi.h along."""
    return any(used == "MPI" or reaches_mpi(used, files) for used in includes(path, files[path], files))


def forbidden(room: Room, used: str, rooms: dict[str, Room], files: dict[str, str]) -> bool:
    if used == "MPI":
        return not room.may_use_mpi
    other = room_of(used + "/", rooms)
    if other is None:
        return False
    brings_mpi = other.path == PUBLIC and used in files and reaches_mpi(used, files)
    return not room.may_use(other) or (brings_mpi and not room.may_use_mpi)


def violations(architecture: str, files: dict[str, str]) -> list[str]:
    rooms = rooms_of(architecture)
    found = []
    for path, text in files.items():
        room = room_of(path, rooms)
        if room is None or not path.endswith((*C_ENDINGS, ".py")):
            continue
        uses = imports(path, text) if path.endswith(".py") else includes(path, text, files)
        found += [f"{path} uses {used}" for used in uses if forbidden(room, used, rooms, files)]
    return found


@pytest.fixture(scope="module")
def architecture(tracked: dict[str, str]) -> str:
    return tracked["ARCHITECTURE.md"]


def test_no_room_uses_another_against_the_table(architecture: str, tracked: dict[str, str]) -> None:
    assert violations(architecture, tracked) == []


def test_every_folder_with_source_is_a_room_of_the_table(architecture: str, tracked: dict[str, str]) -> None:
    rooms = rooms_of(architecture)
    sources = [path for path in tracked if path.endswith((*C_ENDINGS, ".py")) and not path.startswith(BESIDE)]
    outside = {path for path in sources if room_of(path, rooms) is None}
    assert {posixpath.basename(path) for path in outside} <= {"__init__.py"}  # of groups of rooms


def test_every_room_has_a_purpose_and_known_neighbours(architecture: str) -> None:
    rooms = rooms_of(architecture).values()
    known = {room.path for room in rooms} | {"MPI", "\N{EN DASH}"}
    assert len(rooms) >= 13
    assert [room.path for room in rooms if not room.purpose or not room.uses <= known] == []


TABLE = """
| room | what it is | may use |
|---|---|---|
| `include/nereus` | API | MPI |
| `src/base` | base | none |
| `src/mpi` | handles | `src/base` |
| `src/job` | the job | `src/base`, `src/mpi` |
| `tools/emulator` | user | `include/nereus` |
| `tools/probe` | probe | MPI |
| `python/nereus/config` | files | none |
| `python/nereus/cli` | commands | `python/nereus/config` |
"""
TREE = {
    "include/nereus/errors.h": "",
    "include/nereus/nereus.h": "#include <mpi.h>\n#include <nereus/errors.h>\n",
    "src/base/error.hpp": "#include <nereus/errors.h>\n#include <string>\n",
    "src/base/clock.hpp": "",
    "src/mpi/comm.hpp": '#include "base/error.hpp"\n#include <mpi.h>\n',
    "src/job/job.hpp": '#include "mpi/comm.hpp"\n#include "part.hpp"\n#include <nereus/nereus.h>\n',
    "src/job/part.hpp": "",
    "tools/emulator/main.cpp": '#include <nereus/nereus.h>\n#include "stage.hpp"\n',
    "tools/emulator/stage.hpp": "",
    "tools/probe/main.cpp": "#include <mpi.h>\n",
    "python/nereus/__init__.py": "",
    "python/nereus/config/model.py": "import json\nfrom nereus import __version__\n",
    "python/nereus/config/rules.py": "from nereus.config.model import x\nfrom .model import y\n",
    "python/nereus/cli/main.py": "import nereus.config.model\nfrom nereus import config\n",
}


def test_allowed_uses_are_accepted() -> None:
    assert violations(TABLE, TREE) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("src/base/clock.hpp", '#include "job/part.hpp"'),
        ("src/base/clock.hpp", '  #  include "../job/part.hpp"'),
        ("src/base/clock.hpp", "#include <mpi.h>"),
        ("src/base/clock.hpp", "#include <nereus/nereus.h>"),
        ("src/mpi/comm.hpp", '#include "job/job.hpp"'),
        ("tools/emulator/main.cpp", '#include "base/error.hpp"'),
        ("tools/emulator/main.cpp", '#include "../../src/base/error.hpp"'),
        ("tools/probe/main.cpp", "#include <nereus/errors.h>"),
        ("python/nereus/config/model.py", "import nereus.cli.main"),
        ("python/nereus/config/model.py", "from nereus.cli import main"),
        ("python/nereus/config/model.py", "from nereus import cli"),
        ("python/nereus/config/model.py", "from ..cli.main import run"),
        ("python/nereus/config/model.py", "from .. import cli"),
        ("python/nereus/config/model.py", "def f() -> None:\n    import nereus.cli"),
    ],
)
def test_forbidden_use_is_found(path: str, line: str) -> None:
    found = violations(TABLE, {**TREE, path: TREE[path] + line + "\n"})
    assert len(found) == 1 and found[0].startswith(path)
