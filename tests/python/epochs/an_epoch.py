# SPDX-License-Identifier: BSD-3-Clause
"""A folder of epochs as jobs write it, without the arrays' data."""

import json
from pathlib import Path
from typing import Any

X = {
    "name": "x",
    "value": False,
    "constant": False,
    "extent": 8,
    "halo": 0,
    "rows_of": "",
    "type": "float64",
    "own_memory": False,
    "shape": {"layout": 0, "elements": 100},
}


def document(number: int, **changes: Any) -> dict[str, Any]:
    usual = {
        "format": 1,
        "epoch": number,
        "iteration": 10 * number,
        "generation": 0,
        "io_phases": 0,
        "says_io": False,
        "ranks": 4,
        "program": "cg",
        "mpi": "MPICH Version: 5.0.2",
        "saved_unix": 1.8e9,
        "entries": [X],
    }
    return usual | changes


def folder_of_epochs(path: Path, *numbers: int) -> Path:
    path.mkdir(exist_ok=True)
    write(path / "zarr.json", {"zarr_format": 3, "attributes": {"nereus": {"epochs": 1}}})
    for number in numbers:
        (path / f"epoch-{number}").mkdir()
        write_epoch(path, number, document(number))
    return path


def write_epoch(path: Path, number: int, attributes: Any) -> None:
    write(path / f"epoch-{number}" / "zarr.json", {"zarr_format": 3, "attributes": {"nereus": attributes}})


def write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value))
