# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of NumPy get any other distribution over real processes; a mistake of one keeps nobody waiting."""

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

PROGRAM = Path(__file__).with_name("redistributing_program.py")
LIMIT = 120.0


def found_by(part: str) -> Any:
    """What 4 processes of the program found."""
    try:
        launcher = choose("mpich").mpiexec
    except LaunchError as error:
        pytest.skip(str(error))
    done = subprocess.run(
        [launcher, "-n", "4", sys.executable, PROGRAM, part],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def mistakes() -> Any:
    """By what rank 1 does wrong: type, code and text of what each process gets."""
    return found_by("errors")


def test_items_of_all_types_and_shapes_come_to_their_places_between_any_two_distributions() -> None:
    found = found_by("pairs")
    (moves, wrong_moves), (places, wrong_places) = found["moves"], found["places"]
    assert moves > 10_000 and places > 3_000
    assert (wrong_moves, wrong_places) == (0, 0)


def test_items_of_a_transposed_matrix_come_to_their_places_between_any_two_grids() -> None:
    found, wrong = found_by("matrices").values()
    assert found[0] > 7_000 and found[1] == 0
    for name, text in (
        ("shape", "part has shape"),
        ("rows", "layout BLOCK: a matrix is transposed from GRID to GRID alone"),
        ("copies", "layout REPLICATED: a matrix is transposed"),
        ("no dtype", "none such"),
        ("one axis", "shape = (24,): allowed is (rows, columns)"),
        ("no shape", "shape = 24: allowed is (rows, columns)"),
        ("no layout", "None: allowed as before and after"),
        ("grid of 3", "grid=(3, 0)"),
        ("negative grid", "grid=(-1, 0)"),
    ):
        first, own, *others = wrong[name]
        assert own[0] in ("ValueError", "TypeError", "Failure") and text in own[2], (name, own)
        assert [each[:2] for each in (first, *others)] == [["Failure", "ERR_ARGUMENT"]] * 3, name
    assert [each[:2] for each in wrong["other grid"]] == [["Failure", "ERR_MISMATCH"]] * 4
    assert {(each[0], each[2]) for each in wrong["grid for C"]} == {
        ("ValueError", "grid = (4294967296, 0): allowed are numbers from 0 to 2147483647")
    }
    for name, kind in (("half a row", "TypeError"), ("no pair", "TypeError"), ("three", "ValueError")):
        for each in wrong[name]:
            assert each[0] == kind and "allowed is (rows, columns)" in each[2]
    assert {each[2] for each in wrong["grid of rows"]} == {"grid = (1, 0): allowed with layout GRID alone"}


def test_processes_of_a_new_distribution_are_taken_in_the_order_that_keeps_most() -> None:
    orders, wrong_orders = found_by("orders")
    assert orders > 1_500 and wrong_orders == 0


def test_any_intracommunicator_is_taken_and_nothing_else() -> None:
    assert found_by("other-comms") == {"right": [True] * 4, "no comm": [["TypeError"] * 3] * 4}


@pytest.mark.parametrize(
    ("mistake", "kind", "text"),
    [
        ("Fortran order", "ValueError", "numpy.ascontiguousarray(part)"),
        ("strided", "ValueError", "numpy.ascontiguousarray(part)"),
        ("shape", "ValueError", "part has shape (1, 3): this process has a part of (2, 3)"),
        ("dtype", "TypeError", "part is of float32: allowed is an array of float64"),
        ("list", "TypeError", "part is of list"),
        ("no part", "TypeError", "part is of NoneType"),
        ("no dtype", "TypeError", "none such"),
        ("objects", "ValueError", "objects of Python cannot be moved"),
        ("block of 0", "Failure", "block=0"),
        ("no layout", "TypeError", "None: allowed as before and after"),
        ("ranks twice", "ValueError", "ranks = (1, 1)"),
        ("rank of nobody", "ValueError", "ranks = (0, 4294967296)"),
        ("too many processes", "ValueError", "processes = 5: allowed is 1 .. 4"),
        ("weights of none", "Failure", "weights=()"),
        ("weight for C", "ValueError", "weights = (4294967297,)"),
        ("rows for C", "ValueError", "allowed are 4611686018427387904 elements at most"),
        ("more than memory", "MemoryError", "Unable to allocate"),
    ],
)
def test_mistake_of_one_process_is_explained_there_and_ends_the_call_on_all(
    mistakes: Any, mistake: str, kind: str, text: str
) -> None:
    first, own, *others = mistakes[mistake]
    assert own[0] == kind and text in own[2]
    assert [each[:2] for each in (first, *others)] == [["Failure", "ERR_ARGUMENT"]] * 3


@pytest.mark.parametrize("mistake", ["other dtype", "other layout"])
def test_different_arguments_are_refused_on_all(mistakes: Any, mistake: str) -> None:
    assert [each[:2] for each in mistakes[mistake]] == [["Failure", "ERR_MISMATCH"]] * 4


def test_mistake_that_all_make_is_explained_on_all(mistakes: Any) -> None:
    for kind, code, text in mistakes["all alike"]:
        assert (kind, code) == ("Failure", "ERR_ARGUMENT") and "block=0" in text


@pytest.mark.parametrize("number", ["fraction of a block", "fraction of a row"])
def test_fraction_is_refused_on_all_also_where_they_have_nothing(mistakes: Any, number: str) -> None:
    for kind, _, text in mistakes[number]:
        assert kind == "TypeError" and "'float' object cannot be interpreted as an integer" in text


def test_row_beyond_the_array_is_not_taken_for_another_one(mistakes: Any) -> None:
    assert [each[:2] for each in mistakes["no such row"]] == [["Failure", "ERR_RANGE"]] * 4


def test_order_for_what_is_not_allowed_is_refused(mistakes: Any) -> None:
    for kind, code, text in mistakes["order of none"]:
        assert (kind, code) == ("Failure", "ERR_ARGUMENT") and "block=0" in text
