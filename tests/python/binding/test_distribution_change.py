# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of a job get other distributions, also while it is resized; nobody waits for one that is wrong."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import LaunchError, choose

pytestmark = [
    pytest.mark.alone,
    pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed"),
]

PROGRAM = Path(__file__).with_name("changing_program.py")
LIMIT = 60.0


def found_by(part: str, *settings: str, processes: int = 2) -> Any:
    """What the processes of the program found; None where it prints nothing."""
    try:
        launcher = choose("mpich").mpiexec
    except LaunchError as error:
        pytest.skip(str(error))
    done = subprocess.run(
        [launcher, "-n", str(processes), sys.executable, PROGRAM, part, *settings],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if done.stdout else None


@pytest.fixture(scope="module")
def mistakes() -> Any:
    """By what the last of 3 processes does wrong: type, code and text of what each process gets."""
    return found_by("errors", processes=3)


@pytest.mark.parametrize("memory", ["shared", "private"])
@pytest.mark.parametrize("method", ["merge", "baseline-inter"])
def test_views_are_right_after_each_change_and_for_newcomers(memory: str, method: str) -> None:
    changes, wrong, size = found_by(
        "resized", f"--nereus-memory={memory}", f"--nereus-process-method={method}", "--nereus-verify=on"
    )
    assert changes >= 240 and (wrong, size) == (0, 2)


def test_program_that_continues_from_an_epoch_has_what_was_saved(tmp_path: Path) -> None:
    assert found_by("saved", f"--nereus-save={tmp_path}") is None
    resume = f"--nereus-resume={tmp_path}"
    assert found_by("saved", f"--nereus-save={tmp_path}", resume, processes=3) == [12, 0, 3]


def test_swapped_arrays_change_what_they_hold() -> None:
    assert found_by("swapped") == [True] * 8


@pytest.mark.parametrize(
    ("mistake", "kind", "text"),
    [
        ("grid", "ValueError", "BLOCK cannot become GRID, shape = (8, 3)"),
        ("no grid", "ValueError", "allowed is GRID alone"),
        ("block", "ValueError", "block = 2: with layout BLOCK"),
        ("block of 0", "Failure", "block = 0"),
        ("weights", "ValueError", "weights = (1, 2): allowed with layout WEIGHTED alone"),
        ("weights of none", "Failure", "needs weights"),
        ("fraction", "TypeError", "'float'"),
        ("grid of 2 rows", "Failure", "grid_rows, grid_columns = 2, 0"),
        ("layout", "ValueError", "9 is not a valid Layout"),
        ("held", "BufferError", "a view of 'shared' is held"),
    ],
)
def test_mistake_of_one_process_is_explained_there_and_changes_nothing(
    mistakes: Any, mistake: str, kind: str, text: str
) -> None:
    *others, own = mistakes[mistake]
    assert own[0] == kind and text in own[2]
    assert [each[:2] for each in others] == [["Failure", "ERR_ARGUMENT"]] * 2


def test_different_distributions_are_refused_on_all(mistakes: Any) -> None:
    assert [each[:2] for each in mistakes["other block"]] == [["Failure", "ERR_MISMATCH"]] * 3


def test_mistake_that_all_make_is_explained_on_all(mistakes: Any) -> None:
    assert [each[0] for each in mistakes["all alike"]] == ["ValueError"] * 3


def test_view_of_a_former_part_keeps_what_it_shows(mistakes: Any) -> None:
    assert mistakes["old view"] == [True] * 3
