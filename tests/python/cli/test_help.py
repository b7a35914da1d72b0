# SPDX-License-Identifier: BSD-3-Clause
"""What commands say of themselves: on 80 columns, in plain words, asked for in any usual way."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.main import get_command

from nereus.cli.main import app

_MAIN: Any = get_command(app)
COLUMNS = 80


def paths(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of each command, and of each group of commands."""
    context = typer.Context(group)
    for name in group.list_commands(context):
        words = (*before, name)
        yield words
        command = group.resolve_command(context, [name])[1]
        if hasattr(command, "list_commands"):
            yield from paths(command, words)


ALL = [(), *paths(_MAIN)]


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_fits_80_columns_and_names_values_in_words(shell: Any, words: tuple[str, ...]) -> None:
    result = shell.nereus(*words, "--help", COLUMNS=str(COLUMNS))
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert [line for line in lines if len(line) > COLUMNS] == []
    assert lines[0].startswith(" ".join(["Usage: nereus", *words]))
    for unnamed in ("<bool>", "<int", "<float", "<str>", "<path>", "…"):
        assert unnamed not in result.stdout


def test_no_option_is_cut_at_a_hyphen(shell: Any) -> None:
    """Where a sentence names it too."""
    text = shell.nereus("emulate", "--help").stdout
    assert "results/NAME-TIME" in text
    cut = [
        line
        for words in ALL
        for line in shell.nereus(*words, "--help").stdout.splitlines()
        if line.endswith("-")
    ]
    assert cut == []


@pytest.mark.parametrize("words", [(), ("run",), ("bench",), ("bench", "transfer"), ("simulate", "transfer")])
def test_help_is_had_in_three_ways(shell: Any, words: tuple[str, ...]) -> None:
    asked = [shell.nereus(*line) for line in ((*words, "--help"), (*words, "-h"), ("help", *words))]
    assert [each.returncode for each in asked] == [0, 0, 0]
    assert len({each.stdout for each in asked}) == 1


def test_help_of_a_command_that_starts_programs_starts_none(shell: Any) -> None:
    result = shell.nereus("help", "run", "touch", "started")
    assert result.returncode == 0
    assert result.stdout.startswith("Usage: nereus run")
    assert not (shell.folder / "started").exists()


def test_help_of_an_unknown_command_is_refused(shell: Any) -> None:
    result = shell.nereus("help", "nonsense")
    assert result.returncode == 2
    assert "No such command 'nonsense'" in result.stderr


def test_commands_are_listed_in_sections_with_all_of_their_sentence(shell: Any) -> None:
    listed = shell.nereus("--help").stdout
    sections = [line[:-1] for line in listed.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert sections == ["Options", "Run and resize", "Look", "Study", "Simulate and place", "Operate"]
    assert " ".join(listed.split()).count("so that `nereus resize` can ask it for another size.") == 1


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("nereus ca", {"capture", "calibrate"}),
        ("nereus bench tr", {"transfer"}),
        ("nereus bench transfer --process-", {"--process-methods", "--process-strategies"}),
    ],
)
def test_shell_completes_commands_and_options(shell: Any, typed: str, completed: set[str]) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    result = shell.nereus(_NEREUS_COMPLETE="complete_bash", **words)
    assert set(result.stdout.split()) == completed


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_completion_of_each_shell_is_written(shell: Any, kind: str) -> None:
    result = shell.nereus(_NEREUS_COMPLETE=f"source_{kind}")
    assert result.returncode == 0
    assert "_NEREUS_COMPLETE" in result.stdout
    if kind == "bash":
        subprocess.run(["bash", "-n"], input=result.stdout, text=True, check=True)
    assert sys.executable not in result.stdout
