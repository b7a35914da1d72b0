# SPDX-License-Identifier: BSD-3-Clause
"""What is worth knowing of a matrix before rows of it are given to processes."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

BLOCKS = (2, 4, 8)


@dataclass(frozen=True)
class Facts:
    """Sizes in elements; row lengths are numbers of nonzeros."""

    rows: int
    columns: int
    nonzeros: int
    symmetric: bool
    shortest_row: int
    median_row: float
    longest_row: int
    unbalance: dict[int, float]
    """For numbers of processes: nonzeros of the fullest block of rows over the mean of all blocks."""


def facts_of(matrix: csr_array) -> Facts:
    """Look at all of a matrix."""
    rows, columns = matrix.shape
    lengths = np.diff(matrix.indptr)
    return Facts(
        rows=rows,
        columns=columns,
        nonzeros=int(matrix.nnz),
        symmetric=rows == columns and (matrix != matrix.T).nnz == 0,
        shortest_row=int(lengths.min(initial=columns)) if rows else 0,
        median_row=float(np.median(lengths)) if rows else 0.0,
        longest_row=int(lengths.max(initial=0)),
        unbalance={blocks: _unbalance(lengths, blocks) for blocks in BLOCKS if blocks <= rows},
    )


def _unbalance(lengths: np.ndarray, blocks: int) -> float:
    """As NEREUS_BLOCK cuts: the first blocks have one row more, as array_split() does it."""
    sums = [int(block.sum()) for block in np.array_split(lengths, blocks)]
    return max(sums) * blocks / sum(sums) if sum(sums) else 1.0
