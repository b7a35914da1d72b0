# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a command tells people, programs can have as JSON; what has no --json has a reason here."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from nereus.cli.main import app, run

#: Commands without the option, and why.
WITHOUT = {
    "run": "stdout is the program's; `nereus jobs --json` tells of the job",
    "monitor": "stdout is the program's; the record is lines of JSON, and `nereus report --json` reads it",
    "trace": "stdout is the program's; `nereus export --json` tells what is in the trace",
    "schema": "prints a JSON Schema, and nothing else",
}
MARKET = "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 4\n2 3 -1\n"


def commands(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Each command that does something by itself: those in groups, and groups with options of their own."""
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.resolve_command(context, [name])[1]
        words = (*before, name)
        if not hasattr(command, "list_commands"):
            yield " ".join(words), command
            continue
        if any(each.name != "help" for each in command.params):
            yield " ".join(words), command
        yield from commands(command, words)


ALL = dict(commands(get_command(app)))


def has_json(command: Any) -> bool:
    return any("--json" in option.opts for option in command.params)


def test_commands_in_groups_and_groups_that_do_something_are_found() -> None:
    assert {"daemon", "daemon stop", "matrix convert", "bench transfer", "simulate scenario"} <= ALL.keys()
    assert "bench" not in ALL


def test_every_command_prints_json_or_has_a_reason_not_to() -> None:
    assert {name for name, command in ALL.items() if not has_json(command)} == WITHOUT.keys()


def printed(capsys: pytest.CaptureFixture[str], *words: str | Path) -> Any:
    assert run([str(word) for word in words]) == 0
    return json.loads(capsys.readouterr().out)


def test_convert_tells_its_file_and_its_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = Path(__file__).parents[1] / "config" / "golden" / "new.ini"
    found = printed(capsys, "convert", old, tmp_path / "new.toml", "--json")
    assert found.keys() == {"file", "warnings"}
    assert Path(found["file"]).read_text().count('name = "new"') == 1
    (warning,) = found["warnings"]
    assert "read with the new codes of Proteo" in warning


def test_matrix_convert_tells_the_sizes_of_the_matrix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.mtx").write_text(MARKET)
    found = printed(capsys, "matrix", "convert", tmp_path / "a.mtx", tmp_path / "a.nm", "--json")
    assert found == {"file": str(tmp_path / "a.nm"), "rows": 2, "columns": 3, "nonzeros": 2}
    told = printed(capsys, "matrix", "info", tmp_path / "a.nm", "--json")
    assert {key: told[key] for key in ("rows", "columns", "nonzeros")}.items() <= found.items()


def test_daemon_tells_where_it_made_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = printed(capsys, "daemon", "--make-keys", tmp_path / "keys", "--json")
    assert found == {"folder": str(tmp_path / "keys")}


def test_printed_experiment_is_no_json(shell: Any, small: Path) -> None:
    refused = shell.nereus("emulate", small, "--print", "--json")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == "nereus: --json: allowed without --print, which prints TOML\n"
