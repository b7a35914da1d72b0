# SPDX-License-Identifier: BSD-3-Clause
"""What ranks send each other, from any file that tells it; always sparse, so that many ranks fit."""

from io import StringIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from scipy.sparse import coo_array, csr_array, load_npz

from nereus.analysis.monitor.kinds import is_prof, is_recording
from nereus.analysis.monitor.totals import counted
from nereus.placement.error import PlaceError
from nereus.placement.matrix import MatrixError, read_market, read_matrix
from nereus.placement.matrix.file import MAGIC
from nereus.placement.selection import Selection
from nereus.placement.topology import MOST_COST
from nereus.reading import MOST_RECORDED, MOST_UNPACKED, content_of

MOST_RANKS = 2**24
_MARKET = (".mtx", ".mtx.gz", ".mtx.bz2")
_ENDS = ["source", "destination"]
_MOST_COLUMNS = 100


def read_traffic(path: Path, selection: Selection) -> csr_array:
    """Row i, column j: what rank i sends to rank j. A UserError says what is wrong."""
    if not path.is_file():
        raise PlaceError(f"--matrix {path}: no such file")
    if is_prof(path) or is_recording(path):
        from nereus.placement.recorded import recorded_traffic  # pandas takes long to import

        return _padded(path, checked(path, recorded_traffic(path, selection)), selection.ranks)
    if selection.is_of_records:
        raise PlaceError(
            f"--matrix {path}: --generation and --phase are allowed with records of the monitor only"
        )
    return _padded(path, checked(path, _matrix(path, selection)), selection.ranks)


def _matrix(path: Path, selection: Selection) -> csr_array:
    with path.open("rb") as file:
        begin = file.read(len(MAGIC))
    if begin == MAGIC:
        return read_matrix(path)
    if path.name.endswith(_MARKET):
        return read_market(path, MOST_RANKS)
    if path.suffix in {".npy", ".npz"}:
        return _numpy(path)
    return _text(path, selection)


def _numpy(path: Path) -> csr_array:
    try:
        found: Any = _unpacked(path) if path.suffix == ".npz" else np.load(path, allow_pickle=False)
        if found.ndim == 2 and max(found.shape) <= MOST_RANKS:
            matrix = csr_array(found, dtype=float)
            # What points behind its end is not found by whoever reads it.
            matrix.check_format(full_check=True)
            return matrix
    except Exception as problem:  # of a damaged file they raise what they come upon
        raise PlaceError(f"{path}: is no matrix of NumPy or SciPy: {problem}") from None
    raise PlaceError(f"{path}: has the shape {found.shape}: 2 dimensions of up to {MOST_RANKS} are allowed")


def _unpacked(path: Path) -> Any:
    """Sizes are looked at before anything is unpacked: a megabyte may become terabytes."""
    with ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > MOST_UNPACKED:
        raise ValueError(f"{size} bytes when it is unpacked: up to {MOST_UNPACKED} are allowed")
    return load_npz(path)


def _text(path: Path, selection: Selection) -> csr_array:
    """Rows of numbers, or a table with a line for each pair."""
    try:
        text = content_of(path, MOST_RECORDED).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PlaceError(
            f"{path}: a record of the monitor, Matrix Market (.mtx), .npy, .npz, a file of "
            "`nereus matrix convert`, or text is allowed"
        ) from None
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if not first:
        raise PlaceError(f"{path}: is empty")
    if set(_ENDS) <= {name.strip() for name in first.split(",")}:
        return _pairs(path, first, text, selection)
    try:
        return csr_array(np.loadtxt(StringIO(text), delimiter="," if "," in first else None, ndmin=2))
    except Exception as problem:
        raise PlaceError(f"{path}: rows of as many numbers each are allowed: {problem}") from None


def _pairs(path: Path, first: str, text: str, selection: Selection) -> csr_array:
    import pandas as pd

    if first.count(",") >= _MOST_COLUMNS:  # pandas takes the square of columns of one name
        raise PlaceError(f"{path}:1: up to {_MOST_COLUMNS} columns are allowed")
    try:
        table = pd.read_csv(StringIO(text), comment="#", skipinitialspace=True)
    except Exception as problem:
        raise PlaceError(f"{path}: is no table: {problem}") from None
    if selection.what not in table:
        raise PlaceError(f"{path}:1: a column {selection.what} is missing")
    if "generation" in table and table["generation"].nunique() > 1:
        raise PlaceError(f"{path}: pairs of several generations: the record that they come from is allowed")
    ends = table[_ENDS].to_numpy()
    if not all(pd.api.types.is_integer_dtype(table[name].dtype) for name in _ENDS) or (
        len(ends) and ends.min() < 0
    ):
        raise PlaceError(f"{path}: source and destination: whole numbers from 0 are allowed")
    if len(ends) and ends.max() >= MOST_RANKS:
        raise PlaceError(f"{path}: rank {ends.max()}: ranks up to {MOST_RANKS - 1} are allowed")
    kept = table[counted(table)] if "kind" in table else table
    values = pd.to_numeric(kept[selection.what], errors="coerce").to_numpy(dtype=float)
    ranks = int(ends.max()) + 1 if len(ends) else 0
    rows, columns = (kept[name].to_numpy() for name in _ENDS)
    return csr_array(coo_array((values, (rows, columns)), shape=(ranks, ranks)))


def checked(path: Path, matrix: csr_array) -> csr_array:
    """Refused unless it is square and has numbers from 0 only."""
    rows, columns = matrix.shape
    if rows != columns or rows == 0:
        raise MatrixError(
            f"{path}: has {rows} rows and {columns} columns: as many of both, at least 1, are allowed"
        )
    wrong = np.flatnonzero(~np.isfinite(matrix.data) | (matrix.data < 0))
    if len(wrong):
        entries = matrix.tocoo()
        at = wrong[0]
        where = f"row {entries.coords[0][at]}, column {entries.coords[1][at]}"
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise MatrixError(f"{path}: {where}: {entries.data[at]:g}: finite numbers from 0 are allowed{more}")
    with np.errstate(over="ignore"):
        total = matrix.data.sum()
    if not total <= MOST_COST:
        raise MatrixError(f"{path}: all entries together are {total:g}: up to {MOST_COST:g} is allowed")
    return matrix


def _padded(path: Path, matrix: csr_array, ranks: int | None) -> csr_array:
    if ranks is None or ranks == matrix.shape[0]:
        return matrix
    if ranks < matrix.shape[0]:
        raise PlaceError(f"--ranks {ranks}: {path} has {matrix.shape[0]} ranks: no fewer are allowed")
    padded = matrix.copy()
    padded.resize((ranks, ranks))
    return padded
