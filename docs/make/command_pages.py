# SPDX-License-Identifier: BSD-3-Clause
"""Man pages of all commands, made by help2man of what they print with --help."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from nereus.cli.main import app
from nereus.cli.start import OWN_COMMAND

NEEDED = "help2man"
_SECTIONS = Path(__file__).with_name("sections.h2m")
_COLUMNS = 80


def paths(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The words of each command and group, with its sentence."""
    context = typer.Context(group)
    for name in group.list_commands(context):
        words = (*before, name)
        yield words, group.get_command(context, name).help
        command = group.resolve_command(context, [name])[1]
        if hasattr(command, "list_commands"):
            yield from paths(command, words)


def write_pages(folder: Path, day: str) -> list[Path]:
    """Into folder/man1: a page for each command, and one for `nereus`."""
    root: Any = get_command(app)
    into = folder / "man1"
    into.mkdir(parents=True, exist_ok=True)
    commands = [((), root.help.split("\n\n")[0]), *paths(root)]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor() as pool:
        program = _program(Path(name))
        return list(pool.map(lambda each: _write(into, day, program, *each), commands))


def _program(folder: Path) -> Path:
    """The command as it is called; what it says of itself does not depend on where it is."""
    program = folder / "nereus"
    program.write_text(f'#!/bin/sh\nCOLUMNS={_COLUMNS} exec {shlex.join(OWN_COMMAND)} "$@"\n')
    program.chmod(0o755)
    return program


def _write(folder: Path, day: str, program: Path, words: Sequence[str], sentence: str) -> Path:
    name = "-".join(["nereus", *words])
    options = ["--no-info", "--include", str(_SECTIONS), "--help-option", " ".join([*words, "--help"])]
    options += ["--version-string", "nereus"]  # no page shows it, and the command is not asked for it
    made = subprocess.run(
        [NEEDED, *options, "--name", _short(sentence), str(program)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    ).stdout
    page = folder / f"{name}.1"
    page.write_text("\n".join(_lines(made, name, day)) + "\n")
    return page


def _short(sentence: str) -> str:
    """As `whatis` shows it: no capital, no stop, the first sentence."""
    text = " ".join(sentence.split()).split(". ")[0].rstrip(".")
    return text[:1].lower() + text[1:]


def _lines(made: str, name: str, day: str) -> Iterator[str]:
    """With the page's own name, a day that mandoc reads, and lines that fit."""
    in_name = False
    for line in made.splitlines():
        if line.startswith(".TH "):
            yield f'.TH {name.upper()} "1" "{day}" "nereus" "User Commands"'
        elif in_name and line.startswith("nereus "):
            yield from _folded(line.replace("nereus ", f"{name} ", 1))
        else:
            yield from _folded(line)
        in_name = line == ".SH NAME"


def _folded(line: str) -> Iterator[str]:
    """A line of text is cut between words; a word that would begin a request stays where it is."""
    if line.startswith((".", "'")):
        yield line
        return
    rest = line
    while len(rest) > _COLUMNS:
        cut = rest.rfind(" ", 1, _COLUMNS + 1)
        if cut < 1 or rest[cut + 1 :].startswith((".", "'")):
            break
        yield rest[:cut].rstrip()
        rest = rest[cut + 1 :].lstrip()
    yield rest
