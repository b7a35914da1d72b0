# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: data frames of what was simulated of a workload."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_workload import WORKLOAD

import nereus as package
from nereus.simulation.workload.results_file import read_results

Nereus = Callable[..., tuple[int, str, str]]


@pytest.fixture
def kept(nereus: Nereus, tmp_path: Path) -> tuple[dict[str, Any], Path]:
    """The document of a comparison, and the file with its results."""
    workload, file = tmp_path / "w.toml", tmp_path / "results.jsonl"
    workload.write_text(WORKLOAD)
    code, out, _ = nereus("simulate", "workload", workload, "--results", file, "--json", "--quiet")
    assert code == 0
    return json.loads(out), file


def flat(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in row.items():
        found |= (
            {f"{key}_{part}": v for part, v in value.items()} if isinstance(value, dict) else {key: value}
        )
    return found


def test_frames_of_a_workload_say_what_its_document_says(kept: tuple[dict[str, Any], Path]) -> None:
    document, file = kept
    found = package.load(file)
    assert (found.kind, found.notes) == ("workload", ())
    wanted = {"simulations": document["rows"], **{n: document[n] for n in ("summary", "changes_percent")}}
    for name, rows in wanted.items():
        own = [{k: v for k, v in row.items() if k in rows_of} for row, rows_of in zip(
            found[name].to_dict("records"), map(flat, rows), strict=True)]  # fmt: skip
        assert own == [flat(row) for row in rows]
        told = {key for row in rows for key in flat(row)}
        assert found[name][[c for c in found[name] if c not in told]].isna().all(axis=None)


def test_results_that_are_cut_are_loaded_up_to_there_and_say_so(kept: tuple[dict[str, Any], Path]) -> None:
    _, file = kept
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    found = package.load(file)
    assert found.notes == (f"{file}: its last line is half written, and is left out",)
    assert len(found.simulations) == 3
    assert file.read_bytes() == whole[:-20]


def test_results_of_another_version_of_nereus_are_loaded(kept: tuple[dict[str, Any], Path]) -> None:
    _, file = kept
    header, *lines = file.read_text().splitlines()
    file.write_text("\n".join([json.dumps({**json.loads(header), "nereus": "9.9"}), *lines, ""]))
    assert len(package.load(file).simulations) == 4


def test_results_without_a_simulation_have_empty_frames(kept: tuple[dict[str, Any], Path]) -> None:
    _, file = kept
    file.write_text(file.read_text().splitlines(keepends=True)[0])
    assert {len(frame) for frame in package.load(file).values()} == {0}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("killed", "many", ":2: killed = 'many': a number from 0 is allowed"),
        ("killed", 1.5, ":2: killed = 1.5: a number from 0 is allowed"),
        ("resizes", -1, ":2: resizes = -1: a number from 0 is allowed"),
        ("makespan_seconds", 1e16, ":2: makespan_seconds = 1e+16: a number is allowed"),
        ("makespan_seconds", 10**400, ":2: makespan_seconds = 1000"),
        ("energy_kwh", 1.0, ":3: the figures of the line before are allowed: "),
        ("seed", True, ":2: malleable_percent and seed"),
        ("order", 3, ":2: order and strategy"),
    ],
)
def test_damaged_line_of_results_is_named(
    kept: tuple[dict[str, Any], Path], key: str, value: Any, said: str
) -> None:
    _, file = kept
    lines = file.read_text().splitlines(keepends=True)
    lines[1] = json.dumps({**json.loads(lines[1]), key: value}) + "\n"
    file.write_text("".join(lines))
    with pytest.raises(package.UserError) as found:
        package.load(file)
    assert str(found.value).startswith(f"{file}{said}")


def test_file_of_another_version_of_the_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text('{"format": "nereus-workload-results", "version": 2}\n')
    with pytest.raises(package.UserError, match=r":1: version = 2: 1 is allowed$"):
        read_results(file)
