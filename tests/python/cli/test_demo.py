# SPDX-License-Identifier: BSD-3-Clause
"""`nereus demo` and `nereus examples`, with a build that is played by scripts and has our examples."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def examples(shell: Any, repository: Path) -> Path:
    """Those of the build."""
    folder = shell.builds / "mpich" / "share" / "nereus" / "examples"
    shutil.copytree(repository / "examples", folder)
    shutil.copytree(repository / "docs" / "schemas", folder.parent / "docs" / "schemas")
    return Path(folder)


def test_demo_leaves_both_runs_and_one_picture(shell: Any, examples: Path) -> None:
    done = shell.nereus("demo", "out")
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (shell.folder / "out").iterdir()} == {"cg", "cg-default", "picture.png"}
    assert done.stdout.count("2 → 4") == 2
    assert done.stderr.splitlines()[-1] == "picture: out/picture.png"


def test_demo_prints_both_runs_as_one_document(shell: Any, examples: Path) -> None:
    document = json.loads(shell.nereus("demo", "--json", "--quiet").stdout)
    assert {name: each["generations"][1]["ranks"] for name, each in document.items()} == {
        "cg": 4,
        "cg-default": 4,
    }


def test_demo_of_a_build_without_examples_is_refused(shell: Any) -> None:
    done = shell.nereus("demo", "out")
    assert done.returncode == 2
    assert "the build mpich has no such example; run `make build` again" in done.stderr
    assert not (shell.folder / "out").exists()


def test_demo_whose_run_dies_ends_with_what_there_is(shell: Any, examples: Path) -> None:
    done = shell.nereus("demo", "out", FAKE_EMULATOR="die")
    assert done.returncode == 1
    assert "the run did not finish" in done.stderr
    assert not (shell.folder / "out" / "cg-default").exists()


def test_examples_are_copied_into_a_new_folder_only(shell: Any, examples: Path) -> None:
    assert json.loads(shell.nereus("examples", "mine", "--json").stdout) == {"folder": "mine"}
    copied = shell.folder / "mine" / "emulate" / "cg.toml"
    assert (
        copied.read_text().splitlines()[1:] == (examples / "emulate" / "cg.toml").read_text().splitlines()[1:]
    )
    copied.write_text("changed")
    again = shell.nereus("examples", "mine")
    assert (again.returncode, copied.read_text()) == (2, "changed")
    assert again.stderr == "nereus: DIR = mine: is there already; a new folder is needed\n"


def test_copied_examples_find_their_schemas(shell: Any, examples: Path) -> None:
    shell.nereus("examples", "mine")
    begin = "#:schema "
    files = [(file, file.read_text().splitlines()[0]) for file in (shell.folder / "mine").rglob("*.toml")]
    named = [file.parent / line.removeprefix(begin) for file, line in files if line.startswith(begin)]
    assert len(named) > 10
    assert [path for path in named if not path.is_file()] == []
