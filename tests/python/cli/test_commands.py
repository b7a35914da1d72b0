# SPDX-License-Identifier: BSD-3-Clause
"""The other commands, and what all commands have in common."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from matplotlib.image import imread
from typer.main import get_command

from nereus.cli.main import app

_MAIN: Any = get_command(app)
_COMMANDS = list(_MAIN.commands)
#: What commands that only ask, and helps, start sooner without.
_HEAVY = {"asyncio", "elftools", "matplotlib", "numpy", "pandas", "scipy", "simpy", "tomlkit"}


@pytest.mark.parametrize("command", _COMMANDS)
def test_every_command_has_help_with_an_example(shell: Any, command: str) -> None:
    result = shell.nereus(command, "--help")
    assert result.returncode == 0
    assert f"Example: nereus {command}" in result.stdout


def listed(group: Any) -> Iterator[tuple[str, str, Any]]:
    """Each command of a group and of those in it: its name, its help in the group's list, itself."""
    context = typer.Context(group)
    for name in group.list_commands(context):
        command = group.resolve_command(context, [name])[1]
        yield name, group.get_command(context, name).help, command
        if hasattr(command, "list_commands"):
            yield from listed(command)


def test_lists_show_the_first_paragraph_of_each_commands_help() -> None:
    found = list(listed(_MAIN))
    assert {"emulate", "daemon", "stop", "convert", "scenario", "bench"} <= {name for name, *_ in found}
    for name, text, command in found:
        assert text and text.split("\n\n")[0] == command.help.split("\n\n")[0], name


def test_without_command_the_commands_are_listed(shell: Any) -> None:
    result = shell.nereus()
    assert result.returncode == 0
    assert all(command in result.stdout for command in ("emulate", "doctor", "report", "convert"))


def test_version_is_printed(shell: Any) -> None:
    result = shell.nereus("--version")
    assert result.returncode == 0
    assert result.stdout.startswith("nereus ")


@pytest.mark.parametrize(
    "arguments", [["emulte"], ["emulate"], ["doctor", "--jsn"], ["emulate", "x", "--max-ranks", "0"]]
)
def test_wrong_command_line_gives_one_line(shell: Any, arguments: list[str]) -> None:
    result = shell.nereus(*arguments)
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith("nereus: ")


@pytest.mark.parametrize(
    ("arguments", "meant"), [(["calibrat"], "calibrate"), (["bench", "proceses"], "processes")]
)
def test_mistyped_word_gets_a_suggestion(shell: Any, arguments: list[str], meant: str) -> None:
    assert f"Did you mean '{meant}'?" in shell.nereus(*arguments).stderr


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (
            ["run", "--", "./nothing"],
            {"numpy", "rich", "nereus.config", "nereus.analysis.report", "nereus.cli.bench"},
        ),
        (["resize", "nowhere", "2"], {"numpy", "pandas", "nereus.cli.run", "nereus.cli.bench"}),
        (["emulate", "nowhere.toml"], {"numpy", "pandas", "matplotlib", "nereus.cli.calibrate"}),
        (["bench", "processes", "--from", "2", "--to", "1"], {"numpy", "nereus.cli.bench_transfer"}),
    ],
)
def test_command_imports_only_the_modules_it_needs(
    shell: Any, arguments: list[str], needless: set[str]
) -> None:
    modules, errors = imported(shell, arguments)
    assert errors.startswith("nereus: ")
    assert f"nereus.cli.{arguments[0]}" in modules
    assert needless & modules == set()


def imported(shell: Any, arguments: list[str]) -> tuple[set[str], str]:
    """The modules that a command line has imported at its end, and its stderr."""
    program = "import sys; from nereus.cli.main import run; run(sys.argv[1:]); print(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=shell.folder,
        env=shell.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split()), done.stderr


@pytest.mark.parametrize("arguments", [[], ["--help"], ["--version"], ["emulte"]])
def test_command_line_without_a_command_imports_none(shell: Any, arguments: list[str]) -> None:
    modules, _ = imported(shell, arguments)
    ours = {name for name in modules if name.startswith("nereus.")}
    first = ("help_text", "lazy", "main", "messages", "usage")
    assert ours == {"nereus.cli", *(f"nereus.cli.{name}" for name in first)}
    assert modules & (_HEAVY | {"zmq"}) == set()


@pytest.mark.parametrize("group", ["bench", "daemon", "simulate"])
def test_help_of_a_group_imports_no_command_of_it(shell: Any, group: str) -> None:
    modules, _ = imported(shell, [group, "--help"])
    assert f"nereus.cli.{group}" in modules
    assert [name for name in modules if name.startswith(f"nereus.cli.{group}_")] == []


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (["jobs"], {"rich", "nereus.supervisor.messages", "nereus.supervisor.job", "nereus.config"}),
        (["daemon", "status"], {"rich", "nereus.supervisor.messages", "nereus.daemon.daemon"}),
        (["resize", "--help"], {"nereus.supervisor.messages", "nereus.analysis.report.events"}),
        (["run", "--help"], {"nereus.config", "nereus.analysis.report", "nereus.daemon.daemon"}),
        (["doctor", "--help"], {"nereus.config", "nereus.analysis.report.events"}),
        (["report", "--help"], {"zmq", "nereus.config", "nereus.bench", "nereus.analysis.study.model"}),
        (["study", "--help"], {"nereus.daemon", "nereus.policy", "nereus.simulation.jobs"}),
        (["convert", "--help"], {"zmq", "nereus.cli.emulate", "nereus.bench"}),
    ],
)
def test_simple_command_imports_nothing_heavy(shell: Any, arguments: list[str], needless: set[str]) -> None:
    modules, _ = imported(shell, arguments)
    assert f"nereus.cli.{arguments[0]}" in modules
    assert modules & (_HEAVY | needless) == set()


def test_doctor_reports_features_with_reasons(shell: Any) -> None:
    shell.install("old", can_spawn=False)
    result = shell.nereus("doctor", "--json")
    assert result.returncode == 0
    document = json.loads(result.stdout)
    mpich, old = document["builds"]
    assert (mpich["name"], mpich["malleable"], mpich["remedy"]) == ("mpich", True, None)
    assert (old["name"], old["malleable"]) == ("old", False)
    assert old["features"]["spawn"] == {"works": False, "reason": "Error in spawn call"}
    assert old["remedy"] == "use --mpi mpich"
    assert document["cores"] >= 1
    assert document["memory_bytes"] > 2**20


def test_doctor_prints_readable_text(shell: Any) -> None:
    shell.install("old", can_spawn=False)
    text = shell.nereus("doctor").stdout
    assert "mpich: can resize jobs" in text
    assert "old: runs jobs of fixed size only; to resize, use --mpi mpich" in text


def test_doctor_fails_when_no_mpi_can_resize(shell: Any) -> None:
    shell.install("old", can_spawn=False)
    result = shell.nereus("doctor", "--mpi", "old")
    assert result.returncode == 1
    assert "mpich: can" not in result.stdout


def test_doctor_explains_how_to_get_an_mpi(shell: Any) -> None:
    result = shell.nereus("doctor", NEREUS_BUILDS=str(shell.folder))
    assert result.returncode == 1
    assert "make build" in result.stdout


def test_report_shows_the_results_again(shell: Any, small: Path) -> None:
    shell.nereus("emulate", small, "--output", "out", "--no-picture", "-q")
    for path in (shell.folder / "out").glob("*.csv"):
        path.unlink()
    result = shell.nereus("report", "out", "--csv", "--proteo", "--picture", "again.png")
    assert result.returncode == 0, result.stderr
    assert "1 → 2" in result.stdout
    assert (shell.folder / "again.png").read_bytes().startswith(b"\x89PNG")
    names = {path.name for path in (shell.folder / "out").iterdir()}
    assert "resizes.csv" in names
    assert any(name.endswith("_Global.out") for name in names)


def test_report_draws_runs_beside_each_other(shell: Any, small: Path) -> None:
    shell.nereus("emulate", small, "--output", "out", "--no-picture", "-q")
    pictures = {"one.png": (), "three.png": ("--beside", "out", "--beside", "out")}
    for name, beside in pictures.items():
        result = shell.nereus("report", "out", "--picture", name, *beside)
        assert result.returncode == 0, result.stderr
    assert imread(shell.folder / "three.png").shape[0] > imread(shell.folder / "one.png").shape[0]


def test_run_beside_another_without_picture_is_refused(shell: Any, small: Path) -> None:
    shell.nereus("emulate", small, "--output", "out", "--no-picture", "-q")
    result = shell.nereus("report", "out", "--beside", "out")
    assert result.returncode == 2
    assert result.stderr.startswith("nereus: --beside: allowed only with --picture")


def test_report_without_results_gives_one_line(shell: Any) -> None:
    result = shell.nereus("report", "nowhere")
    assert result.returncode == 2
    assert result.stderr.startswith("nereus: ")
    assert "nowhere" in result.stderr


def test_unwritable_picture_gives_one_line(shell: Any, small: Path) -> None:
    shell.nereus("emulate", small, "--output", "out", "--no-picture", "-q")
    result = shell.nereus("report", "out", "--picture", "small.toml/p.png")
    assert result.returncode == 2
    assert "cannot be written" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_converted_experiment_is_equivalent(shell: Any, small: Path) -> None:
    assert shell.nereus("convert", small, "new.toml").returncode == 0

    def values(name: str) -> dict[str, Any]:
        rows = json.loads(shell.nereus("emulate", name, "--print-config", "--json").stdout)
        return {row["key"]: row["value"] for row in rows}

    assert values("new.toml") == values("small.toml")


def test_convert_overwrites_a_file_only_with_force(shell: Any, small: Path) -> None:
    shell.write("new.toml", "precious")
    refused = shell.nereus("convert", small, "new.toml")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert (shell.folder / "new.toml").read_text() == "precious"
    assert shell.nereus("convert", small, "new.toml", "--force").returncode == 0
    assert "small" in (shell.folder / "new.toml").read_text()


def test_convert_keeps_the_old_file_when_the_input_is_wrong(shell: Any) -> None:
    shell.write("new.toml", "precious")
    shell.write("bad.ini", "no section\n")
    assert shell.nereus("convert", "bad.ini", "new.toml", "--force").returncode == 2
    assert (shell.folder / "new.toml").read_text() == "precious"


def test_closed_stdout_causes_no_complaint(shell: Any, small: Path) -> None:
    with shell.start("emulate", small, "--print-config") as process:
        process.stdout.close()
        errors = process.stderr.read()
        process.wait(timeout=60)
    assert errors == ""
