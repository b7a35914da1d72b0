# SPDX-License-Identifier: BSD-3-Clause
"""The report of a study as CSV files, one for each list of its document, and one of all single runs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nereus.analysis.study.cells import Found
from nereus.analysis.study.comparison import Row, heading
from nereus.analysis.study.results import MEASURES

LISTS = ("cells", "normality", "differences", "preferred", "growth", "speedup", "background", "failures")


def write_tables(found: Found, document: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write runs.csv and a file for each list; the paths of what was written."""
    from pandas import DataFrame

    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, rows in rows_of(found, document).items():
        if rows:
            written.append(folder / f"{name}.csv")
            DataFrame(rows).to_csv(written[-1], index=False, lineterminator="\n")
    return written


def rows_of(found: Found, document: Mapping[str, Any]) -> Mapping[str, list[Row]]:
    """What stands in each table; a measure that a cell lacks is one column with nothing in it."""
    return {"runs": _runs(found), **{name: _flat(document[name]) for name in LISTS}}


def _runs(found: Found) -> list[Row]:
    """Every good run with its measures."""
    return [
        {**heading(key), **{name: getattr(run, name) for name in MEASURES}}
        for key, runs in found.cells.items()
        for run in runs
    ]


def _flat(rows: Sequence[Row]) -> list[Row]:
    """A row for each entry of the list that a row has, and columns for what a table in it has."""
    flat: list[Row] = []
    for row in rows:
        inner = next((key for key in ("pairs", "cells") if key in row), "")
        own = _columns({key: value for key, value in row.items() if key not in (inner, "stages", "counts")})
        below = row[inner] if inner else []
        flat += [own | _beside(own, inner.removesuffix("s"), _columns(entry)) for entry in below] or [own]
    return flat


def _beside(own: Row, inner: str, entry: Row) -> Row:
    """An entry's columns, which do not hide those of its row: the p of a pair is none of all variants."""
    return {f"{inner}_{name}" if name in own else name: value for name, value in entry.items()}


def _columns(row: Row) -> Row:
    columns: Row = {}
    for key, value in row.items():
        if isinstance(value, dict):
            columns |= {f"{key}_{name}": figure for name, figure in value.items()}
        elif isinstance(value, list):
            columns[key] = " ".join(map(str, value))
        else:
            columns[key] = value
    return columns
