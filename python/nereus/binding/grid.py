# SPDX-License-Identifier: BSD-3-Clause
"""Which grid GRID makes of processes."""

import ctypes

from nereus.binding.codes import Code, Failure
from nereus.binding.library import library


def grid(processes: int) -> tuple[int, int]:
    """Rows and columns."""
    rows, columns = ctypes.c_int(), ctypes.c_int()
    code = library().nereus_grid(processes, ctypes.byref(rows), ctypes.byref(columns))
    if code < 0:
        raise Failure(Code(code), f"nereus_grid: NEREUS_{Code(code).name}")
    return rows.value, columns.value
