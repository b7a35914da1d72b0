# SPDX-License-Identifier: BSD-3-Clause
"""Rows as a file for other programs, by the ending of its name; the unit of a column is part of its name."""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from nereus import UserError
from nereus.simulation.workload.comparison import Row

if TYPE_CHECKING:
    from pandas import DataFrame


class ExportError(UserError):
    """No file of that kind can be written there; the text says what is allowed."""


def check_export(file: Path) -> None:
    """ExportError for what would go wrong after the simulations."""
    if file.suffix not in _WRITERS or file.is_dir() or not file.absolute().parent.is_dir():
        endings = ", ".join(_WRITERS)
        raise ExportError(f"--output = {file}: allowed is a file in a folder that exists, one of {endings}")
    if file.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise ExportError(f"--output = {file}: pyarrow is not installed; pip install pyarrow installs it")


def write_rows(rows: Sequence[Row], file: Path) -> None:
    """The same keys in all kinds of files."""
    _WRITERS[file.suffix](rows, file)


def _write_csv(rows: Sequence[Row], file: Path) -> None:
    _frame(rows).to_csv(file, index=False, lineterminator="\n")


def _write_lines(rows: Sequence[Row], file: Path) -> None:
    file.write_text("".join(json.dumps(row.document()) + "\n" for row in rows), encoding="utf-8")


def _write_parquet(rows: Sequence[Row], file: Path) -> None:
    _frame(rows).to_parquet(file, engine="pyarrow", index=False)


def _frame(rows: Sequence[Row]) -> "DataFrame":
    from pandas import DataFrame

    return DataFrame([row.document() for row in rows])


_WRITERS: Mapping[str, Callable[[Sequence[Row], Path], None]] = {
    ".csv": _write_csv,
    ".jsonl": _write_lines,
    ".parquet": _write_parquet,
}
