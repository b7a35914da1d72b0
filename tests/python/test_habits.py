# SPDX-License-Identifier: BSD-3-Clause
"""Habits of the source tree that a reader relies on."""

import ast
import re
from pathlib import PurePosixPath

import pytest

SPDX = "SPDX-License-Identifier: BSD-3-Clause"
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


def unfinished(texts: dict[str, str]) -> list[str]:
    return [
        f"{path}:{number}"
        for path, text in texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if UNFINISHED.search(line)
    ]


def test_every_source_file_says_under_which_licence_it_may_be_used(sources: dict[str, str]) -> None:
    assert len(sources) > 20
    assert without_licence(sources) == []


def test_no_source_file_is_too_long_to_be_read_at_once(sources: dict[str, str]) -> None:
    assert too_long(sources) == []


def test_nothing_is_marked_as_unfinished(tracked: dict[str, str]) -> None:
    assert unfinished(tracked) == []


def test_the_habits_are_looked_for() -> None:
    bad = {"src/a.cpp": "// " + "TO" + "DO: all\n" + "\n" * 400, "tests/a.py": "\n" * 500}
    assert without_licence(bad) == ["src/a.cpp", "tests/a.py"]
    assert too_long(bad) == ["src/a.cpp"]
    assert unfinished(bad) == ["src/a.cpp:1"]


def test_every_python_room_says_in_a_line_what_it_is(tracked: dict[str, str]) -> None:
    rooms = {"/".join(path.split("/")[:3]) for path in tracked if path.startswith("python/nereus/")}
    fronts = {f"{room}/__init__.py" for room in rooms if not room.endswith(".py")}
    assert fronts
    assert [path for path in sorted(fronts) if not ast.get_docstring(ast.parse(tracked.get(path, "")))] == []


def test_all_that_name_a_version_name_the_same(tracked: dict[str, str]) -> None:
    patterns = {
        "pyproject.toml": r'^version = "([\d.]+)"',
        "CMakeLists.txt": r"^project\(nereus\s+VERSION\s+([\d.]+)",
    }
    versions = {path: re.findall(pattern, tracked[path], re.MULTILINE) for path, pattern in patterns.items()}
    assert all(len(found) == 1 for found in versions.values()), versions
    assert len({found[0] for found in versions.values()}) == 1, versions
