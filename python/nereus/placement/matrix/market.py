# SPDX-License-Identifier: BSD-3-Clause
"""Matrix Market files, the exchange format of collections of matrices."""

import bz2
import gzip
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from scipy.sparse import coo_array, csr_array

from nereus.placement.matrix.file import MatrixError, refuse_what_is_not_finite
from nereus.reading import MOST_UNPACKED

_FIELDS = ("real", "integer", "unsigned-integer")
_OPEN: dict[str, Callable[[Path], Any]] = {".gz": gzip.open, ".bz2": bz2.open}
#: Of rows and of columns; and of entries, of which each has 24 bytes in memory.
MOST_ROWS, MOST_ENTRIES = 2**28, 2**33
_LEAST_LINE = 2  # bytes of an entry: a digit and its end


def read_market(path: Path, most_rows: int = MOST_ROWS) -> csr_array:
    """Read a matrix of real numbers; what symmetry leaves out is added, what is there twice is summed."""
    from scipy.io import mmread  # takes long to import

    try:
        path.open("rb").close()  # scipy's own complaint names no file
        _check_header(path, most_rows)
        with _opened(path) as file:
            matrix = csr_array(coo_array(mmread(_Ended(file, path.suffix in _OPEN))), dtype=float)
    except OSError as problem:
        raise MatrixError(f"{path}: {problem.strerror or problem}") from problem
    except (ValueError, OverflowError, EOFError, MemoryError, zlib.error) as problem:
        raise MatrixError(f"{path}: is no Matrix Market file: {problem}") from problem
    refuse_what_is_not_finite(path, matrix.data)
    return matrix


def _check_header(path: Path, most_rows: int) -> None:
    """What it says is made room for before an entry is read."""
    from scipy.io import mminfo

    with _opened(path) as file:
        rows, columns, entries, form, field, _ = mminfo(_Ended(file, path.suffix in _OPEN))
    if field not in _FIELDS:
        raise MatrixError(f"{path}: has {field} entries: allowed are {', '.join(_FIELDS)}")
    if max(rows, columns) > most_rows:
        raise MatrixError(f"{path}: has {rows} rows and {columns} columns: up to {most_rows} are allowed")
    least = _LEAST_LINE * (rows * columns // 2 if form == "array" else entries)
    is_short = path.suffix not in _OPEN and least > path.stat().st_size
    if is_short or entries > MOST_ENTRIES:
        raise MatrixError(f"{path}: is too short for {entries} entries; up to {MOST_ENTRIES} are allowed")


def _opened(path: Path) -> Any:
    unpacked = _OPEN.get(path.suffix)
    return path.open("rb") if unpacked is None else unpacked(path)


class _Ended:
    """A file whose last line has an end: without one, scipy reads on behind what is wrong in it.

    What was packed has an end at all: a megabyte may become terabytes.
    """

    def __init__(self, file: BinaryIO, is_packed: bool) -> None:
        self._file = file
        self._is_over = False
        self._left = MOST_UNPACKED if is_packed else None

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size)
        if self._left is not None:
            self._left -= len(content)
            if self._left < 0:
                raise ValueError(f"more than {MOST_UNPACKED} bytes when it is unpacked, which are allowed")
        if content or self._is_over:
            return content
        self._is_over = True
        return b"\n"
