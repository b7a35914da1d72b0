# SPDX-License-Identifier: BSD-3-Clause
"""Matrix Market files, the exchange format of collections of matrices."""

from pathlib import Path

from scipy.io import mminfo, mmread
from scipy.sparse import coo_array, csr_array

from nereus.matrix.file import MatrixError, refuse_what_is_not_finite

_FIELDS = ("real", "integer", "unsigned-integer")


def read_market(path: Path) -> csr_array:
    """Read a matrix of real numbers; what symmetry leaves out is added, what is there twice is summed."""
    try:
        path.open("rb").close()  # scipy's own complaint names no file
        *_, field, _ = mminfo(path)
        if field not in _FIELDS:
            raise MatrixError(f"{path}: has {field} entries: allowed are {', '.join(_FIELDS)}")
        matrix = csr_array(coo_array(mmread(path)), dtype=float)
    except OSError as problem:
        raise MatrixError(f"{path}: {problem.strerror}") from problem
    except (ValueError, OverflowError) as problem:
        raise MatrixError(f"{path}: is no Matrix Market file: {problem}") from problem
    refuse_what_is_not_finite(path, matrix.data)
    return matrix
