# SPDX-License-Identifier: BSD-3-Clause
"""Habits of the source tree that a reader relies on."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
SPDX = "SPDX-License-Identifier: BSD-3-Clause"
# ZeroMQ's contexts have one owner, which ends them without waiting for anybody.
SOCKETS = "python/nereus/supervisor/sockets.py"
OWN_CONTEXT = re.compile(r"\bzmq\.(asyncio\.)?Context(\.instance)?\(|\.term\(\)")
CODE = {".c", ".h", ".cpp", ".hpp", ".py", ".cmake"}
# Put together here, so that this file does not hold them.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]) + r")\b")


def is_code(path: str) -> bool:
    pure = PurePosixPath(path)
    if path.startswith("scripts/") or path == ".ci/run":
        return pure.suffix == ""
    return pure.suffix in CODE or pure.name in {"CMakeLists.txt", "Makefile"}


@pytest.fixture(scope="module")
def sources(tracked: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in tracked.items() if is_code(path)}


def without_licence(sources: dict[str, str]) -> list[str]:
    return [path for path, text in sources.items() if SPDX not in "".join(text.splitlines()[:2])]


def too_long(sources: dict[str, str]) -> list[str]:
    limits = {path: 500 if path.startswith("tests/") else 400 for path in sources}
    return [path for path, text in sources.items() if len(text.splitlines()) > limits[path]]


def own_contexts(sources: dict[str, str]) -> list[str]:
    ours = {path: text for path, text in sources.items() if path.startswith("python/") and path != SOCKETS}
    return [path for path, text in ours.items() if OWN_CONTEXT.search(text)]


def unfinished(texts: dict[str, str]) -> list[str]:
    return [
        f"{path}:{number}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if UNFINISHED.search(line)
    ]


def test_every_source_file_states_its_licence(sources: dict[str, str]) -> None:
    assert len(sources) > 20
    assert without_licence(sources) == []


def test_no_source_file_is_too_long(sources: dict[str, str]) -> None:
    assert too_long(sources) == []


def test_no_code_is_marked_as_unfinished(tracked: dict[str, str]) -> None:
    assert unfinished(tracked) == []


def test_sockets_are_made_and_closed_in_one_module(sources: dict[str, str]) -> None:
    assert "destroy(linger=0)" in sources[SOCKETS]
    assert own_contexts(sources) == []


# Where no line of ours has to arrive before the MPI ends the job.
SAY_NOTHING = {
    "preload/monitor/pmpi/lifetime.cpp": "the wrapper of the call itself",
    "tools/probe/main.cpp": "ends a probe that has answered on stdout",
}


def hasty_aborts(texts: dict[str, str]) -> list[str]:
    """Calls of MPI_Abort in libraries and programs that do not wait for the reader of stderr before.

    Examples have nothing but the public API, which has no such call.
    """
    rooms = ("src/", "preload/", "bindings/", "tools/", "applications/", "tests/mpi/")
    found = []
    for path, text in texts.items():
        lines = text.splitlines()
        for number, line in enumerate(lines):
            is_call = re.search(r"(?<!int )MPI_Abort\(MPI_COMM", line) and path.startswith(rooms)
            before = " ".join(lines[max(0, number - 2) : number])
            if is_call and path not in SAY_NOTHING and "flush_stderr_to_reader();" not in before:
                found.append(f"{path}:{number + 1}")
    return found


def test_lines_before_an_abort_are_flushed(sources: dict[str, str]) -> None:
    assert all("MPI_Abort(" in sources[path] for path in SAY_NOTHING)
    assert hasty_aborts(sources) == []


def raw_lines(texts: dict[str, str]) -> list[str]:
    """Where the library and its interfaces write to stderr what may hold text from outside as it is."""
    own = {
        path: text
        for path, text in texts.items()
        if path.startswith(("src/", "preload/", "bindings/", "tools/"))
    }
    # The probes are of plain MPI, and write nothing that came from outside but what an MPI says.
    places = {"src/base/printable.hpp", "tools/probe/main.cpp", "tools/probe/release.cpp"}
    raw = re.compile(
        r"^(?!.*printable\().*(fprintf\(stderr|std::cerr|fputs\([^)]*stderr)", flags=re.MULTILINE
    )
    return [path for path, text in own.items() if path not in places and raw.search(text)]


def test_lines_of_the_library_are_written_in_one_module(sources: dict[str, str]) -> None:
    assert raw_lines(sources) == []


def test_violations_of_the_conventions_are_found() -> None:
    hasty = {"src/a.c": "puts(why);\nMPI_Abort(MPI_COMM_WORLD, 1);", "src/b.c": "std::cerr << name;"}
    assert hasty_aborts(hasty) == ["src/a.c:2"]
    assert raw_lines(hasty) == ["src/b.c"]
    bad = {"src/a.cpp": "// " + "TO" + "DO: all\n" + "\n" * 400, "tests/a.py": "\n" * 500}
    assert without_licence(bad) == ["src/a.cpp", "tests/a.py"]
    assert too_long(bad) == ["src/a.cpp"]
    made, ended = "c = zmq." + "Context()", "self._context." + "term()"
    elsewhere = {"python/a.py": made, "python/b.py": ended, "tests/c.py": made, SOCKETS: made}
    assert own_contexts(elsewhere) == ["python/a.py", "python/b.py"]
    assert unfinished(bad) == ["src/a.cpp:1"]


def test_every_python_room_has_a_docstring(tracked: dict[str, str]) -> None:
    rooms = {"/".join(path.split("/")[:3]) for path in tracked if path.startswith("python/nereus/")}
    fronts = {f"{room}/__init__.py" for room in rooms if not room.endswith(".py")}
    assert fronts
    assert [path for path in sorted(fronts) if not ast.get_docstring(ast.parse(tracked.get(path, "")))] == []


def long_lines_of_prose(text: str) -> Iterator[int]:
    """Numbers of lines that are no table, code or reference, and longer than a screen is wide."""
    is_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif len(line) > 120 and not (is_code or line.startswith(("|", "    ", "["))):
            yield number


def test_lines_of_documents_fit_the_screen(tracked: dict[str, str]) -> None:
    documents = {path: text for path, text in tracked.items() if path.endswith(".md")}
    long = [f"{path}:{number}" for path, text in documents.items() for number in long_lines_of_prose(text)]
    assert long == []


def test_long_lines_of_prose_are_found() -> None:
    long = "a " * 61
    text = "\n".join([long, "```", long, "```", f"| {long} |", f"    {long}", "short", long])
    assert list(long_lines_of_prose(text)) == [1, 8]


def test_pictures_of_documents_are_small_and_shown(tracked: dict[str, str]) -> None:
    """All of them stand on a page that many open over a telephone's connection."""
    sizes = {path.name: path.stat().st_size for path in PICTURES.iterdir()}
    shown = {
        name
        for path, text in tracked.items()
        if path.endswith(".md")
        for name in re.findall(r"\]\((?:[./]*|docs/)pictures/([^)]+)\)", text)
    }
    assert shown == set(sizes)
    assert {name: size for name, size in sizes.items() if size > 200_000} == {}


def foreign_installs(texts: dict[str, str], distribution: str) -> list[str]:
    """Where somebody is told to install, or asks for, a distribution of another name than ours."""
    name = re.compile(
        r"(?:\bpip3? install (?:-\S+ )*|\bmetadata\.\w+\(|(?<!\.)\bversion\()[\"']?(nereus[-_\w]*)",
        re.IGNORECASE,
    )
    return [
        f"{path}: {found}"
        for path, text in texts.items()
        for found in name.findall(text)
        if found != distribution
    ]


def test_no_text_names_a_foreign_package_to_install(tracked: dict[str, str]) -> None:
    project = tomllib.loads(tracked["pyproject.toml"])["project"]
    # "nereus" on the package index is another project.
    assert project["name"] == "nereus-mpi"
    assert list(project["scripts"]) == ["nereus"]
    assert foreign_installs(tracked, project["name"]) == []


def test_foreign_packages_are_found() -> None:
    told = {"a.md": "`pip install " + "nereus[mpi]`", "b.py": "version(" + '"nereus")'}
    assert foreign_installs(told, "nereus-mpi") == ["a.md: nereus", "b.py: nereus"]
    assert (
        foreign_installs({"a.md": "pip install nereus-mpi", "b.py": "pip install -e ."}, "nereus-mpi") == []
    )


def test_all_versions_agree(tracked: dict[str, str]) -> None:
    """The build takes its version from the headers."""
    (project,) = re.findall(r'^version = "([\d.]+)"', tracked["pyproject.toml"], re.MULTILINE)
    header = tracked["include/nereus/version.h"]
    parts = re.findall(r"^#define NEREUS_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE)
    assert ".".join(parts) == project


def test_tests_are_collected_without_initialising_mpi() -> None:
    """They fork daemons from their process: descriptors and threads of an MPI must not be in it."""
    mpi = sys.modules.get("mpi4py.MPI")
    assert mpi is None or not mpi.Is_initialized()
