# SPDX-License-Identifier: BSD-3-Clause
"""The words of ways to resize are those of the public header, and say the same in both directions."""

import itertools
import re
import tomllib
from pathlib import Path

import pytest

from nereus import methods

ROOT = Path(__file__).parents[3]
HEADER = (ROOT / "include" / "nereus" / "resize.h").read_text("utf-8")
TABLE = tomllib.loads((ROOT / "src" / "base" / "methods.toml").read_text("utf-8"))
ENUMERATIONS = {
    "process_methods": "nereus_process_method",
    "transfer_methods": "nereus_transfer_method",
    "transfer_strategies": "nereus_transfer_strategy",
    "survivors": "nereus_survivors",
    "placements": "nereus_placement",
    "release_units": "nereus_release_unit",
}

KINDS = {*ENUMERATIONS, "memories", "process_strategies"}


def enumerators(name: str) -> dict[str, int]:
    found = re.search(rf"enum {name} \{{(.*?)\}};", HEADER, flags=re.DOTALL)
    assert found, name
    text = re.sub(r"/\*.*?\*/", "", found[1], flags=re.DOTALL)
    return {word: int(number) for word, number in re.findall(r"(\w+)\s*=\s*(\d+)", text)}


@pytest.mark.parametrize("kind", ENUMERATIONS)
def test_rows_are_the_enumerators_of_the_header_in_their_order(kind: str) -> None:
    numbers = {row["enumerator"]: place for place, row in enumerate(TABLE[kind])}
    assert numbers == enumerators(ENUMERATIONS[kind])


def test_values_of_process_strategies_are_bits_in_the_order_of_the_rows() -> None:
    bits = {row["enumerator"]: 1 << place for place, row in enumerate(TABLE["process_strategies"])}
    assert bits == enumerators("nereus_process_strategy")


def test_every_kind_is_an_enumeration_or_a_setting() -> None:
    others = {"one_sided_conflicts", "strategy_conflicts", "resize_options"}
    assert set(TABLE) - others == KINDS


FIELDS = [row["name"].replace("-", "_") for row in TABLE["resize_options"]]


def test_rows_of_resize_options_are_the_fields_of_the_header_in_their_order() -> None:
    found = re.search(r"typedef struct nereus_resize_options \{(.*?)\}", HEADER, flags=re.DOTALL)
    assert found
    fields = re.sub(r"/\*.*?\*/", "", found[1], flags=re.DOTALL)
    assert re.findall(r"(\w+)(?:\[256\])?;", fields) == [*FIELDS, "hosts"]


def test_rows_of_resize_options_are_the_fields_of_fortran() -> None:
    types = (ROOT / "bindings" / "fortran" / "nereus_types.f90").read_text("utf-8")
    found = re.search(r":: nereus_resize_options$(.*?)end type", types, flags=re.DOTALL | re.MULTILINE)
    assert found
    assert re.findall(r":: (\w+)", found[1]) == [*FIELDS, "hosts"]


@pytest.mark.parametrize("row", TABLE["resize_options"], ids=FIELDS)
def test_initial_value_of_a_resize_option_is_one_of_its_words(row: dict[str, str]) -> None:
    kind = row["values"]
    assert row["initial"] in (("off", "on") if kind == "switch" else methods.allowed(kind))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_auto_is_the_last_row_if_present(kind: str) -> None:
    words = [row["word"] for row in TABLE[kind]]
    assert len(set(words)) == len(words) and methods.AUTO not in words[:-1]


def test_auto_is_the_first_allowed_value() -> None:
    assert (methods.AUTO, *methods.TRANSFER_METHODS) == methods.TRANSFER_METHODS_ALLOWED
    assert (methods.AUTO, *methods.TRANSFER_STRATEGIES) == methods.TRANSFER_STRATEGIES_ALLOWED
    assert methods.SURVIVORS_ALLOWED[0] == methods.MEMORIES_ALLOWED[0] == methods.AUTO


@pytest.mark.parametrize("column", ["paper", "proteo"])
@pytest.mark.parametrize("kind", ["transfer_methods", "transfer_strategies"])
def test_column_is_read_in_both_directions(kind: str, column: str) -> None:
    words = methods.by_column(kind, column)
    assert list(words.values()) == [row["word"] for row in TABLE[kind] if column in row] != []
    assert methods.AUTO not in words.values()
    assert {value: key for key, value in methods.of_words(kind, column).items()} == words


def test_impossible_transfers_are_those_of_the_manual() -> None:
    refused = {
        way
        for way in itertools.product(
            methods.PROCESS_METHODS, methods.TRANSFER_METHODS, methods.TRANSFER_STRATEGIES
        )
        if methods.transfer_conflict(*way)
    }
    one_sided = ("rma-lock", "rma-lockall")
    between_groups = itertools.product(["baseline-inter"], one_sided, methods.TRANSFER_STRATEGIES)
    nonblocking = itertools.product(methods.PROCESS_METHODS, one_sided, ["nonblocking"])
    assert refused == {*between_groups, *nonblocking}


def test_unknown_values_cause_no_conflict() -> None:
    assert methods.transfer_conflict(None, "rma-lock", None) is None
    assert methods.transfer_conflict("baseline-inter", None, "nonblocking") is None
    assert methods.transfer_conflict("baseline-inter", methods.AUTO, methods.AUTO) is None
