# SPDX-License-Identifier: BSD-3-Clause
"""Command lines of `nereus` in documents and helps name commands and options that there are."""

import re
from collections.abc import Iterator
from typing import Any

import typer
from typer.main import get_command

from nereus.cli.main import app

# Indented or in a block of code, or behind "Example:" in a help; a name in running text is in backquotes.
_LINE = re.compile(
    r"^(?: {4}|\$ |\s*Example: )(?:\w+=\S+ )*(?:\.venv/bin/)?(nereus(?: .*)?)$|`(nereus [a-z][^`]*)`",
    re.MULTILINE,
)
_OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)")


def command_lines(text: str) -> Iterator[str]:
    """All of a document, each up to what is the program's that it starts."""
    for found in _LINE.finditer(text):
        yield re.split(r" -- | #|  +|[|;]", found[1] or found[2])[0]


def wrong_in(line: str) -> list[str]:
    """Words of a line that `nereus` does not know as what they stand for."""
    root: Any = get_command(app)
    command, words = root, line.split()[1:]
    while words and hasattr(command, "get_command"):
        inner = command.get_command(typer.Context(command), words[0])
        if inner is None and command is root and words[0].isalpha() and words[0].islower():
            return [words[0]]
        if inner is None:  # a group's usual command, or a placeholder
            command = command.get_command(typer.Context(command), "scenario") or command
            break
        command, words = inner, words[1:]
    known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help"}
    return [option for option in _OPTION.findall(" ".join(words)) if option not in known]


def test_documents_and_helps_name_commands_and_options_that_there_are(tracked: dict[str, str]) -> None:
    texts = {path: text for path, text in tracked.items() if path.endswith(".md") or "/cli/" in path}
    lines = [
        (path, line) for path, text in texts.items() for line in command_lines(text) if "tests/" not in path
    ]
    assert len(lines) > 100
    assert [(path, line, wrong) for path, line in lines if (wrong := wrong_in(line))] == []


def test_wrong_names_are_found() -> None:
    text = (
        "    nereus run -n 2 --hostz a -- ./app --own\n"
        "the `nereus emulte FILE` and `nereus simulate x --json`\n"
        "$ nereus jobs"
    )
    lines = list(command_lines(text))
    assert lines == [
        "nereus run -n 2 --hostz a",
        "nereus emulte FILE",
        "nereus simulate x --json",
        "nereus jobs",
    ]
    assert [wrong_in(line) for line in lines] == [["--hostz"], ["emulte"], [], []]
