# SPDX-License-Identifier: BSD-3-Clause
"""What documents tell people to type does what they say: each `console` block, as it is written, in order.

A line that begins with "$ " is a command; the lines behind it are printed by it, on stdout or stderr, one
below the other with any others between them. Of a page that says "Write `NAME`:" the file is the next block.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

_BLOCK = re.compile(
    r"(?:Write `(?P<file>[\w.]+)`:\n+)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
LIMIT = 300.0


@dataclass(frozen=True)
class Command:
    """A line to type, and what it prints."""

    line: str
    printed: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """What a page has for somebody who follows it."""

    files: dict[str, str]
    commands: list[Command]


def page_of(text: str) -> Page:
    """A Markdown document."""
    files: dict[str, str] = {}
    commands: list[Command] = []
    for block in _BLOCK.finditer(text):
        if block["file"]:
            files[block["file"]] = block["text"]
        if block["kind"] == "console":
            commands += _commands(block["text"])
    return Page(files, commands)


def _commands(block: str) -> list[Command]:
    first, *others = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert first == "", f"a console block begins with a command: {block}"
    return [
        Command(line, tuple(rest.splitlines())) for line, _, rest in (each.partition("\n") for each in others)
    ]


def documents() -> dict[str, Page]:
    """All pages with commands."""
    paths = [ROOT / "README.md", ROOT / "examples" / "README.md", *(ROOT / "docs").rglob("*.md")]
    pages = {str(path.relative_to(ROOT)): page_of(path.read_text(encoding="utf-8")) for path in paths}
    return {name: page for name, page in sorted(pages.items()) if page.commands}


def in_order(wanted: tuple[str, ...], printed: str) -> bool:
    """Whether the lines are there, one below the other."""
    lines = iter(printed.splitlines())
    return all(any(line.rstrip() == each.rstrip() for line in lines) for each in wanted)


@pytest.mark.parametrize("name", documents())
def test_commands_of_a_page_give_the_documented_output(site: Any, mpich: str, name: str) -> None:
    page = documents()[name]
    for path, text in page.files.items():
        (site.folder / path).write_text(text)
    for link, there in {".venv": Path(sys.prefix), "examples": ROOT / "examples"}.items():
        (site.folder / link).symlink_to(there)
    path = os.pathsep.join([str(Path(sys.prefix) / "bin"), site.environment.get("PATH", os.defpath)])
    script = "set -e\n"  # variables of one block hold in the next
    for command in page.commands:
        script += f"{command.line}\n"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=site.folder,
            env=site.environment | {"PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 0, f"{command.line}:\n{done.stdout}"
        assert in_order(command.printed, done.stdout), f"{command.line}:\n{done.stdout}"
        if "=" not in command.line.split()[0]:
            script = script.removesuffix(f"{command.line}\n")


def test_commands_and_their_output_are_found() -> None:
    page = page_of(
        "Write `a.c`:\n\n```c\nint a;\n```\n\n```console\n$ at=1\n$ run $at\nsum 1\n```\n```sh\n$ no\n```\n"
    )
    assert page == Page({"a.c": "int a;\n"}, [Command("at=1", ()), Command("run $at", ("sum 1",))])
    assert in_order(("b", "d"), "a\nb\nc\nd\n")
    assert not in_order(("d", "b"), "a\nb\nc\nd\n")
