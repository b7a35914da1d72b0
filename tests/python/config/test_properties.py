# SPDX-License-Identifier: BSD-3-Clause
"""What holds for every experiment and every file, not only for those someone thought of."""

from __future__ import annotations

import json
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from nereus.cli.schema import SCHEMAS, Kind
from nereus.config import ConfigError, Experiment, load, write_toml
from nereus.config.json_lines import json_lines
from nereus.config.toml_lines import toml_lines
from nereus.methods import (
    PROCESS_STRATEGIES,
    TRANSFER_METHODS_ALLOWED,
    TRANSFER_STRATEGIES_ALLOWED,
    transfer_conflict,
)
from nereus.methods.strategies import conflict_in

EXAMPLES = Path(__file__).parents[3] / "examples" / "emulate"
SETTINGS = settings(
    max_examples=60,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)

SCHEMA = Draft202012Validator(SCHEMAS[Kind.EXPERIMENT]())

sizes = st.integers(0, 2**60)
iterations = st.integers(0, 2**40)
positive = st.floats(1e-9, 1e9)
times = st.floats(0, 1e9)
granularity = st.integers(1, 2**31 - 1)
plain_stages = st.fixed_dictionaries(
    {"type": st.sampled_from(["p2p", "bcast", "allgather", "reduce", "allreduce", "write", "read"])},
    optional={
        "time": times,
        "bytes": st.integers(0, 2**31 - 1),
        "granularity": granularity,
        "capped": st.booleans(),
    }
    | {"ranks": st.integers(0, 2**31 - 1)},
)
compute_stages = st.fixed_dictionaries(
    {"type": st.sampled_from(["pi", "matrix"])}, optional={"time": times, "granularity": granularity}
)
pairs = st.integers(0, 9).map(lambda n: [{"type": "ip2p", "bytes": 8, "id": n}, {"type": "wait", "id": n}])
stage_lists = st.tuples(st.lists(plain_stages | compute_stages, min_size=1, max_size=3), pairs, st.booleans())
phases = st.builds(
    lambda iterations, stages: {
        "iterations": iterations,
        "stages": stages[0] + (stages[1] if stages[2] else []),
    },
    st.integers(1, 2**40),
    stage_lists,
)
words = st.lists(st.sampled_from(PROCESS_STRATEGIES), unique=True)
strategy_lists = words.filter(lambda chosen: conflict_in(chosen) is None)


def moves_somehow(group: dict[str, Any]) -> bool:
    """Whether there is such a transfer."""
    keys = ("process_method", "transfer_method", "transfer_strategy")
    return transfer_conflict(*(group.get(key) for key in keys)) is None


groups = st.lists(
    st.fixed_dictionaries(
        {"ranks": st.integers(1, 2**31 - 1)},
        optional={
            "iterations": iterations,
            "factor": positive,
            "weights": st.lists(positive, min_size=1, max_size=1),
            "placement": st.sampled_from(["compact", "spread"]),
            "process_method": st.sampled_from(["merge", "baseline-inter", "baseline-intra"]),
            "process_strategies": strategy_lists,
            "release_unit": st.sampled_from(["job", "host", "rank"]),
            "survivors": st.sampled_from(["auto", "first", "least-movement"]),
            "transfer_method": st.sampled_from(TRANSFER_METHODS_ALLOWED),
            "transfer_strategy": st.sampled_from(TRANSFER_STRATEGIES_ALLOWED),
        },
    ).filter(moves_somehow),
    min_size=1,
    max_size=4,
    unique_by=lambda group: group["ranks"],
)
experiments = st.fixed_dictionaries(
    {
        "name": st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True),
        "phases": st.lists(phases, min_size=1, max_size=3),
        "groups": groups,
    },
    optional={
        "seed": st.integers(0, 2**63 - 1),
        "barrier": st.booleans(),
        "verify": st.booleans(),
        "capture": st.sampled_from(["max", "mean", "median"]),
        "weights": st.lists(positive, min_size=1, max_size=1),
        "data": st.fixed_dictionaries(
            {},
            optional={
                "constant_bytes": sizes,
                "variable_bytes": sizes,
                "element_bytes": st.sampled_from([1, 2, 4, 8]),
                "memory": st.sampled_from(["auto", "shared", "private"]),
            },
        )
        | st.fixed_dictionaries({"bytes": sizes, "constant_percent": st.floats(0, 100)}),
    },
)


def loaded_or_error(content: bytes, suffix: str) -> Experiment | ConfigError:
    """What load() makes of the bytes; any other exception is a failure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"e{suffix}"
        path.write_bytes(content)
        try:
            return load(path).experiment
        except ConfigError as error:
            assert len(str(error).splitlines()) == 1
            assert str(error).startswith(str(path))
            return error


@SETTINGS
@given(experiments)
def test_written_experiment_is_read_back_unchanged(values: dict[str, Any]) -> None:
    experiment = Experiment.model_validate(values)
    assert loaded_or_error(write_toml(experiment).encode(), ".toml") == experiment


@SETTINGS
@given(experiments)
def test_run_file_is_valid_json(values: dict[str, Any]) -> None:
    run = Experiment.model_validate(values).to_run()
    assert json.loads(json.dumps(run, allow_nan=False)) == run


@SETTINGS
@given(experiments)
def test_schema_takes_every_experiment(values: dict[str, Any]) -> None:
    Experiment.model_validate(values)
    assert SCHEMA.is_valid(values)


@SETTINGS
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode(errors="replace")))
def test_any_bytes_give_an_experiment_or_a_one_line_error(content: bytes) -> None:
    for suffix in (".toml", ".json", ".ini"):
        loaded_or_error(content, suffix)


VALUES = [
    "",
    "0",
    "-1",
    "nan",
    "1e400",
    "9" * 40,
    "true",
    '"x"',
    '"3 MiB"',
    "[]",
    "[1]",
    "{}",
    "null",
    "1:2",
    "é",
]


def damaged(text: str, cuts: list[tuple[int, int, str]]) -> str:
    """`text` with some of its lines cut and filled anew."""
    lines = text.split("\n")
    for line, column, value in cuts:
        at = line % len(lines)
        lines[at] = lines[at][: column % (len(lines[at]) + 1)] + value
    return "\n".join(lines)


@SETTINGS
@given(
    st.sampled_from(["cg.toml", "io.toml", "cg.ini", "cg.json"]),
    st.lists(
        st.tuples(st.integers(0, 99), st.integers(0, 40), st.sampled_from(VALUES)), min_size=1, max_size=3
    ),
)
def test_damaged_example_gives_an_experiment_or_a_one_line_error(
    name: str, cuts: list[tuple[int, int, str]]
) -> None:
    text = PROTEO_JSON if name == "cg.json" else (EXAMPLES / name).read_text(encoding="utf-8")
    loaded_or_error(damaged(text, cuts).encode(), Path(name).suffix)


@SETTINGS
@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_every_key_of_a_json_file_has_a_line(tree: object) -> None:
    text = json.dumps(tree, indent=1)
    lines = json_lines(text)
    for path, value in nodes(tree):
        if isinstance(value, str) and path:
            assert json.dumps(value) in text.split("\n")[lines[path] - 1]


@SETTINGS
@given(
    st.dictionaries(
        st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=5),
        st.integers() | st.lists(st.integers()),
    )
)
def test_every_key_of_a_toml_file_has_its_line(tree: dict[str, Any]) -> None:
    text = "".join(f"# a comment\n\n{json.dumps(key)} = {value}\n" for key, value in tree.items())
    assert tomllib.loads(text) == tree
    assert {path[0]: line for path, line in toml_lines(text).items() if len(path) == 1} == {
        key: 3 * index for index, key in enumerate(tree, start=1)
    }


def nodes(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], object]]:
    """Every value below `value` with its path."""
    below: list[tuple[str | int, object]] = []
    if isinstance(value, dict):
        below = list(value.items())
    elif isinstance(value, list):
        below = list(enumerate(value))
    return [(path, value), *(node for key, item in below for node in nodes(item, (*path, key)))]


PROTEO_JSON = """{
 "general": {"Total_Resizes": 1, "Total_Phases": 1, "SDR": 10, "ADR": 0,
  "Datasize": 1,
  "Rigid": 0},
 "phases": [
  {"Total_Iters": 4,
   "Total_Stages": 1,
   "stages": [
    {"Stage_Type": 6,
     "Stage_Bytes": 8,
     "Stage_Identifier": -1,
     "Stage_Time": 0}]}],
 "groups": [
  {"Iters": 1, "Procs": 1},
  {"Iters": 1,
   "Procs": 2,
   "FactorS": 1,
   "Redistribution_Strategy": [0],
   "Spawn_Strategy": [0]}]
}"""
