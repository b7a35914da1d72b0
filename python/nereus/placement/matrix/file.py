# SPDX-License-Identifier: BSD-3-Clause
"""The binary file of a sparse matrix: docs/formats/matrix.md."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from nereus import UserError

MAGIC = b"NEREUS-M"
VERSION = 1
_NUMBERS = 4  # of the header, behind the magic: version, rows, columns, nonzeros
_HEADER_BYTES = len(MAGIC) + 8 * _NUMBERS
_WHOLE, _REAL = np.dtype("<i8"), np.dtype("<f8")


class MatrixError(UserError):
    """A file that is no matrix, or none that we can use."""


def write_matrix(path: Path, matrix: csr_array) -> None:
    """Write a matrix with its columns in rising order; never over a file that is there."""
    matrix.sort_indices()
    header = np.array([VERSION, *matrix.shape, matrix.nnz], _WHOLE)
    with path.open("xb") as file:
        file.write(MAGIC)
        for numbers, kind in (
            (header, _WHOLE),
            (matrix.indptr, _WHOLE),
            (matrix.indices, _WHOLE),
            (matrix.data, _REAL),
        ):
            file.write(numbers.astype(kind).tobytes())


def read_matrix(path: Path) -> csr_array:
    """Read a matrix that write_matrix() wrote; raises MatrixError where anything is not as it must be."""
    try:
        with path.open("rb") as file:
            rows, columns, nonzeros, more = _sizes(path, file.read(_HEADER_BYTES), path.stat().st_size)
            content = file.read(more + 1)
    except OSError as problem:
        raise MatrixError(f"{path}: {problem.strerror}") from problem
    if len(content) != more:
        raise MatrixError(f"{path}: does not have the {more} bytes that its header states")
    numbers = np.frombuffer(content, _WHOLE, rows + 1 + nonzeros)
    starts, indices = numbers[: rows + 1], numbers[rows + 1 :]
    data = np.frombuffer(content, _REAL, nonzeros, numbers.nbytes)
    if starts[0] != 0 or starts[-1] != nonzeros or np.any(starts[1:] < starts[:-1]):
        raise MatrixError(f"{path}: starts of rows must begin with 0, not fall, and end with {nonzeros}")
    if np.any((indices < 0) | (indices >= columns)):
        raise MatrixError(f"{path}: a nonzero is in no column of 0 .. {columns - 1}")
    return csr_array((data, indices, starts), shape=(rows, columns))


def _sizes(path: Path, header: bytes, size: int) -> tuple[int, int, int, int]:
    """Rows, columns and nonzeros, as the header has them, and bytes behind it."""
    if len(header) < _HEADER_BYTES or not header.startswith(MAGIC):
        raise MatrixError(f"{path}: is no matrix of `nereus matrix convert`")
    version, *sizes = (int(number) for number in np.frombuffer(header, _WHOLE, _NUMBERS, len(MAGIC)))
    if version != VERSION:
        raise MatrixError(f"{path}: version {version}: allowed is {VERSION}")
    rows, columns, nonzeros = sizes
    wanted = _HEADER_BYTES + 8 * (rows + 1) + 16 * nonzeros
    if min(sizes) < 0 or size != wanted:
        raise MatrixError(f"{path}: has {size} bytes, but its header states {wanted}")
    return rows, columns, nonzeros, wanted - _HEADER_BYTES


def refuse_what_is_not_finite(path: Path, values: Any) -> None:
    """No program could compute with infinite numbers."""
    if not np.all(np.isfinite(values)):
        raise MatrixError(f"{path}: has values that are no finite numbers")
