# SPDX-License-Identifier: BSD-3-Clause
"""The list of what the papers say: complete, and each of its commands and files is there."""

import re
import shlex
import subprocess
from dataclasses import dataclass

import pytest

from conftest import ROOT

_PAGE = ROOT / "docs" / "papers.md"
_STATES = ("yes", "simulated", "differs: ", "open")


@dataclass(frozen=True)
class Item:
    """A row; `shown`: a command, empty where there is none."""

    number: str
    here: str
    shown: str
    state: str


def _items() -> list[Item]:
    rows = [
        line.strip("| ").split(" | ")
        for line in _PAGE.read_text("utf-8").splitlines()
        if line.startswith("| ")
    ]
    return [
        Item(row[0], row[3], row[4].strip("`").strip("\u2013"), row[5])
        for row in rows
        if re.fullmatch(r"[A-Z]\d+b?", row[0])
    ]


ITEMS = _items()


def test_every_item_is_listed_once_with_a_state() -> None:
    assert (len(ITEMS), len({item.number for item in ITEMS})) == (190, 190)
    assert [item for item in ITEMS if not item.state.startswith(_STATES)] == []
    assert [item.number for item in ITEMS if item.state == "differs: "] == []
    assert [item.number for item in ITEMS if not item.shown and not item.state.startswith("open")] == []


def test_every_file_is_there() -> None:
    links = [(item.number, link) for item in ITEMS for link in re.findall(r"\]\(([^)]+)\)", item.here)]
    assert len(links) >= len(ITEMS)
    assert [link for link in links if not (_PAGE.parent / link[1]).exists()] == []


@pytest.mark.parametrize("command", sorted({item.shown for item in ITEMS if item.shown}))
def test_command_names_what_is_there(command: str) -> None:
    words = shlex.split(command)
    checks = {
        "ctest": _check_ctest,
        "pytest": _check_pytest,
        "nereus": _check_nereus,
        "make": _check_make,
        "mpiexec": _check_bench,
        "python3": _check_script,
    }
    checks[words[0]](words)


def _check_ctest(words: list[str]) -> None:
    name, pattern = words[2], words[4]
    assert words == ["ctest", "--preset", name, "-R", pattern]
    folder = ROOT / "build" / name
    if not (folder / "CTestTestfile.cmake").exists():
        pytest.skip(f"{name} is not built")
    listed = subprocess.run(
        ["ctest", "-N", "-R", pattern], cwd=folder, capture_output=True, text=True, timeout=60, check=True
    )
    assert "Total Tests: 0" not in listed.stdout


def _check_pytest(words: list[str]) -> None:
    assert len(words) == 2
    assert (ROOT / words[1]).is_file()


def _check_make(words: list[str]) -> None:
    assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


def _check_bench(words: list[str]) -> None:
    """A program of bench, started by hand."""
    (program,) = [word for word in words if word.startswith("build/mpich/bench/")]
    sources = (ROOT / "bench" / "CMakeLists.txt").read_text()
    assert f"add_executable({program.rpartition('/')[2]} " in sources


def _check_script(words: list[str]) -> None:
    assert (ROOT / words[1]).is_file()


def _check_nereus(words: list[str]) -> None:
    """Names and options are looked at by tests/python/cli/test_documented_commands.py."""
    assert all((ROOT / word).is_file() for word in words if word.startswith("examples/"))
