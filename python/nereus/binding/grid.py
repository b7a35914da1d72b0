# SPDX-License-Identifier: BSD-3-Clause
"""Which grid GRID makes of processes."""

import ctypes
import operator

from nereus.binding.codes import Code, Failure
from nereus.binding.library import library

#: Rows and columns of processes; 0: as many as leave none over.
Grid = tuple[int, int]

_MOST_PROCESSES = 2**31 - 1


def grid_over(processes: int, wanted: Grid) -> Grid:
    """Rows and columns of so many processes. They fill the grid that is wanted: else the library says so."""
    rows, columns = wanted
    if not any(wanted):
        return _most_square_grid(processes)
    return rows or processes // columns, columns or processes // rows


def as_grid(grid: Grid) -> Grid:
    """With numbers of Python's; what C refuses is left to it, what it would not see is refused."""
    try:
        rows, columns = map(operator.index, grid)
    except (TypeError, ValueError) as problem:
        raise type(problem)(f"grid = {grid!r}: allowed is (rows, columns): {problem}") from problem
    if max(abs(rows), abs(columns)) > _MOST_PROCESSES:
        raise ValueError(f"grid = {grid}: allowed are numbers from 0 to {_MOST_PROCESSES}")
    return rows, columns


def check_is_seen(grid: Grid) -> None:
    """Failure where the library is of an earlier version, which would take the most square grid."""
    if any(grid) and not hasattr(library(), "nereus_transpose"):
        raise Failure(
            Code.ERR_UNSUPPORTED, f"grid = {grid}: the library is one that has the most square grid alone"
        )


def _most_square_grid(processes: int) -> Grid:
    rows, columns = ctypes.c_int(), ctypes.c_int()
    code = library().nereus_grid(processes, ctypes.byref(rows), ctypes.byref(columns))
    if code < 0:
        raise Failure(Code(code), f"nereus_grid: NEREUS_{Code(code).name}")
    return rows.value, columns.value
