# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: sentences that say what is wrong and what is allowed."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import COMMAND
from typer.main import get_command

from nereus.cli.main import app
from nereus.cli.usage import allowed_of

Nereus = Callable[..., tuple[int, str, str]]
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "emulate" / "minimal.toml"


def test_all_errors_of_an_experiment_are_reported(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "e.toml"
    file.write_text(
        EXAMPLE.read_text() + "\n[[groups]]\nranks = 0\n[[groups]]\nranks = -1\n[[groups]]\nrank = 1\n"
    )
    code, _, err = nereus("emulate", file, "--print")
    assert code == 2
    told = err.splitlines()
    assert len(told) >= 3 and all(line.startswith(f"nereus: {file}:") for line in told)
    assert "more)" not in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "-n", "two", "ls"], "'-n' / '--ranks': a whole number from 1 is allowed"),
        (["run", "-n", "9" * 5000, "ls"], "'-n' / '--ranks': a whole number from 1 is allowed"),
        (["top", "--interval", "x"], "'--interval': a number from 0.05 to 3600 is allowed"),
        (["top", "--interval", "0"], "'--interval': a number from 0.05 to 3600 is allowed"),
        (["place", "--format", "x"], "'--format': 'x': one of hydra, openmpi, slurm, keys is allowed"),
    ],
)
def test_invalid_value_is_reported_with_allowed_values(nereus: Nereus, words: list[str], said: str) -> None:
    assert nereus(*words) == (2, "", f"nereus: Invalid value for {said} (nereus --help)\n")


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not hasattr(command, "list_commands"):
        yield path, command
        return
    context = typer.Context(command)
    for name in command.list_commands(context):
        yield from leaves(command.resolve_command(context, [name])[1], (*path, name))


NUMBERS = [
    (path, option.opts[0], allowed)
    for path, command in leaves(get_command(app))
    for option in command.params
    if option.opts[0].startswith("-") and (allowed := allowed_of(option) or "").find("number") >= 0
]


def test_numeric_options_exist() -> None:
    assert len(NUMBERS) > 20 and ("run",) in {path for path, *_ in NUMBERS}


@pytest.mark.parametrize(("path", "option", "allowed"), NUMBERS)
def test_every_numeric_option_reports_allowed_values(
    nereus: Nereus, path: tuple[str, ...], option: str, allowed: str
) -> None:
    code, out, err = nereus(*path, option, "two")
    assert (code, out) == (2, "")
    assert f"{option}'" in err and err.endswith(f": {allowed} is allowed (nereus --help)\n")


def test_monitor_reports_missing_builds(
    nereus: Nereus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEREUS_BUILDS", str(tmp_path))
    assert nereus("monitor", "--", "ls") == (
        2,
        "",
        "nereus: no MPI build of Nereus is installed; run `make build`\n",
    )


def test_closed_stdout_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    command = ", ".join(['"x"'] * 50_000)
    file.write_text(
        '{"event": "header", "format": "nereus-monitor", "version": 1, "run": "0", "command": ['
        + command
        + "]}\n"
    )
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, "report", file, "--json"], stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")
