# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the rows in files that other programs read."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest
from small_workload import WORKLOAD

from nereus.simulation.workload import export

Nereus = Callable[..., tuple[int, str, str]]


def rows_and_file(nereus: Nereus, folder: Path, ending: str) -> tuple[list[dict[str, Any]], Path]:
    workload, file = folder / "w.toml", folder / f"rows{ending}"
    workload.write_text(WORKLOAD)
    code, out, err = nereus("simulate", "workload", workload, "--output", file, "--json")
    assert (code, err) == (0, f"written: {file}\n")
    return json.loads(out)["rows"], file


def test_csv_has_the_rows(nereus: Nereus, tmp_path: Path) -> None:
    rows, file = rows_and_file(nereus, tmp_path, ".csv")
    assert file.read_text().splitlines()[0] == ",".join(rows[0])
    assert pandas.read_csv(file).to_dict("records") == rows


def test_lines_of_json_are_the_rows(nereus: Nereus, tmp_path: Path) -> None:
    rows, file = rows_and_file(nereus, tmp_path, ".jsonl")
    assert [json.loads(line) for line in file.read_text().splitlines()] == rows


def test_parquet_has_the_rows(nereus: Nereus, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    rows, file = rows_and_file(nereus, tmp_path, ".parquet")
    assert pandas.read_parquet(file).to_dict("records") == rows


@pytest.mark.parametrize("name", ["rows.xlsx", "missing/rows.csv"])
def test_what_cannot_be_written_is_said_before_anything_is_simulated(
    nereus: Nereus, tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    code, out, err = nereus("simulate", "workload", "no-such-file.toml", "-o", file)
    assert (code, out) == (2, "")
    allowed = "allowed is a file in a folder that exists, one of .csv, .jsonl, .parquet"
    assert err == f"nereus: --output = {file}: {allowed}\n"


def test_package_for_parquet_is_named_where_it_is_missing(
    nereus: Nereus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(name: str) -> object:
        return None if name == "pyarrow" else importlib.util.find_spec(name)

    monkeypatch.setattr(export, "find_spec", without)
    file = tmp_path / "rows.parquet"
    code, _, err = nereus("simulate", "workload", "no-such-file.toml", "-o", file)
    said = f"--output = {file}: pyarrow is not installed; pip install pyarrow installs it"
    assert (code, err) == (2, f"nereus: {said}\n")
