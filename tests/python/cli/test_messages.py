# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: sentences that say what is wrong and what is allowed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Nereus = Callable[..., tuple[int, str, str]]
COMMAND = [sys.executable, "-c", "from nereus.cli.main import main; main()"]
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "emulate" / "minimal.toml"


def test_all_that_is_wrong_with_an_experiment_is_said(nereus: Nereus, tmp_path: Path) -> None:
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
        (["run", "-n", "two", "ls"], "Invalid value for '-n' / '--ranks': a whole number is allowed"),
        (["top", "--interval", "x"], "Invalid value for '--interval': a number is allowed"),
    ],
)
def test_a_number_that_is_none_is_told_of_in_our_words(nereus: Nereus, words: list[str], said: str) -> None:
    assert nereus(*words) == (2, "", f"nereus: {said} (nereus --help)\n")


def test_monitor_says_that_no_build_is_there(
    nereus: Nereus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEREUS_BUILDS", str(tmp_path))
    assert nereus("monitor", "--", "ls") == (
        2,
        "",
        "nereus: no MPI build of Nereus is installed; `make build` makes them\n",
    )


def test_a_reader_that_has_enough_is_no_mistake(tmp_path: Path) -> None:
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
