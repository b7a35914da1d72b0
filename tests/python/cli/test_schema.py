# SPDX-License-Identifier: BSD-3-Clause
"""Schemas for editors take what the readers take, and refuse what these refuse in a single value."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from nereus.cli.schema import SCHEMAS, Kind

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "docs" / "schemas"
FIRST = "#:schema "


def validator(kind: Kind) -> Draft202012Validator:
    schema = SCHEMAS[kind]()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def wrong_places(kind: Kind, text: str) -> list[str]:
    """Where the schema does not take the file: keys, joined by dots."""
    errors = validator(kind).iter_errors(tomllib.loads(text))
    return sorted(".".join(map(str, each.absolute_path)) for each in errors)


def examples() -> list[Path]:
    return sorted((ROOT / "examples").rglob("*.toml"))


@pytest.mark.parametrize("kind", list(Kind))
def test_shipped_schema_is_what_the_command_prints(shell: Any, kind: Kind) -> None:
    result = shell.nereus("schema", kind.value)
    assert result.returncode == 0, result.stderr
    assert (SHIPPED / f"{kind}.json").read_text() == result.stdout, (
        f"renew it: nereus schema {kind} > docs/schemas/{kind}.json"
    )


@pytest.mark.parametrize("path", examples(), ids=lambda path: str(path.relative_to(ROOT / "examples")))
def test_example_names_its_schema_which_takes_it(path: Path) -> None:
    text = path.read_text()
    first = text.splitlines()[0]
    assert first.startswith(FIRST)
    schema = (path.parent / first.removeprefix(FIRST)).resolve()
    assert schema.parent == SHIPPED.resolve()
    assert wrong_places(Kind(schema.stem), text) == []


EXPERIMENT = """
name = "x"
[data]
constant_bytes = "64 MiB"
[[phases]]
iterations = 10
[[phases.stages]]
type = "pi"
time = "50 ms"
[resize]
transfer_method = "col"
[[groups]]
ranks = 2
"""
SCENARIO = """
[cluster]
cores = 4
[[jobs]]
name = "a"
ranks = 2
iterations = 10
time = { fixed = 1.0 }
[live]
repetitions = 2
"""
WORKLOAD = """
cores = 4
order = ["easy"]
[[jobs]]
name = "a"
ranks = 2
seconds = 10
limit = 20
"""
ADAPTER = """
[save]
signal = "TERM"
files = ["x"]
within = "2 min"
"""
STUDY = """
name = "x"
pairs = [[1, 2]]
[[applications]]
name = "cg"
experiment = "cg.toml"
"""


@pytest.mark.parametrize(
    ("kind", "text", "old", "new", "place"),
    [
        (Kind.EXPERIMENT, EXPERIMENT, "", "", None),
        (Kind.EXPERIMENT, EXPERIMENT, 'name = "x"', "", None),
        (Kind.EXPERIMENT, EXPERIMENT, '"64 MiB"', '"64 miles"', "data.constant_bytes"),
        (Kind.EXPERIMENT, EXPERIMENT, '"50 ms"', "-1.0", "phases.0.stages.0.time"),
        (Kind.EXPERIMENT, EXPERIMENT, '"pi"', '"pie"', "phases.0.stages.0.type"),
        (Kind.EXPERIMENT, EXPERIMENT, '"col"', '"coal"', "resize.transfer_method"),
        (Kind.EXPERIMENT, EXPERIMENT, "ranks = 2", "rank = 2", "groups.0"),
        (Kind.EXPERIMENT, EXPERIMENT, 'name = "x"', 'name = "a b"', "name"),
        (Kind.SCENARIO, SCENARIO, "", "", None),
        (Kind.SCENARIO, SCENARIO, "cores = 4", "cores = 0", "cluster.cores"),
        (Kind.SCENARIO, SCENARIO, "repetitions = 2", 'repetitions = "2"', "live.repetitions"),
        (Kind.WORKLOAD, WORKLOAD, "", "", None),
        (Kind.WORKLOAD, WORKLOAD, "seconds = 10", "seconds = -10", "jobs.0.seconds"),
        (Kind.ADAPTER, ADAPTER, "", "", None),
        (Kind.ADAPTER, ADAPTER, '"2 min"', '"2 miles"', "save.within"),
        (Kind.ADAPTER, ADAPTER, '["x"]', "[]", "save.files"),
        (Kind.STUDY, STUDY, "", "", None),
        (Kind.STUDY, STUDY, "[[1, 2]]", "[[1, 2, 3]]", "pairs.0"),
        (Kind.STUDY, STUDY, 'name = "x"', 'name = "x"\nvariants = "all"', "variants"),
        (Kind.STUDY, STUDY, 'name = "x"', 'name = "x"\nvariants = "papers"', None),
    ],
)
def test_schema_tells_the_place_of_a_wrong_value(
    kind: Kind, text: str, old: str, new: str, place: str | None
) -> None:
    assert set(wrong_places(kind, text.replace(old, new, 1))) == ({place} if place else set())


def test_unknown_kind_is_refused_with_those_there_are(shell: Any) -> None:
    result = shell.nereus("schema", "job")
    assert result.returncode == 2
    assert "one of experiment, study, scenario, workload, adapter is allowed" in result.stderr


def test_schema_is_one_json_document(shell: Any) -> None:
    document = json.loads(shell.nereus("schema", "study").stdout)
    assert document["$schema"].endswith("2020-12/schema")
    assert "pairs" in document["properties"]
