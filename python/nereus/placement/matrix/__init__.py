# SPDX-License-Identifier: BSD-3-Clause
"""Sparse matrices: read from Matrix Market files, kept in files that programs of many processes read.

In:  Matrix Market (scipy reads it), or a file of docs/formats/matrix.md.
Out: a file of docs/formats/matrix.md, and what there is to know about one.
Knows nothing of jobs.
"""

from nereus.placement.matrix.facts import Facts, facts_of
from nereus.placement.matrix.file import MatrixError, read_matrix, write_matrix
from nereus.placement.matrix.market import read_market

__all__ = ["Facts", "MatrixError", "facts_of", "read_market", "read_matrix", "write_matrix"]
