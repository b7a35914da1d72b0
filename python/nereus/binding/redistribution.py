# SPDX-License-Identifier: BSD-3-Clause
"""An array from one distribution to another, over the processes of a communicator and without a job."""

import ctypes
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from mpi4py import MPI
from numpy.typing import DTypeLike, NDArray

from nereus.binding.codes import Code, Failure, Layout
from nereus.binding.distributed import Distributed
from nereus.binding.handles import bytes_type, comm_handle
from nereus.binding.library import library
from nereus.binding.structures import CDistributed


@dataclass(frozen=True)
class _Move:
    """What one process hands over to the library, and what it is to get."""

    elements: int
    element_bytes: int
    before: CDistributed
    after: CDistributed
    #: None: not looked at.
    address: int | None
    moved: NDArray[Any]


def redistribute(
    comm: MPI.Comm,
    shape: int | Sequence[int],
    before: Distributed,
    after: Distributed,
    part: NDArray[Any] | None = None,
    *,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Move an array from one distribution to another one: collective. @return this process' new part

    All arguments but `part` are the same on all processes. One that was given something that is not allowed
    raises what says so, and all others a Failure: nothing was moved then.
    """

    def move() -> _Move:
        return _move_of(comm, (shape, shape), (before, after), part, np.dtype(dtype))

    return _carried_out("nereus_redistribute", comm, move, is_counted=True)


def transpose(
    comm: MPI.Comm,
    shape: Sequence[int],
    before: Distributed,
    after: Distributed,
    part: NDArray[Any] | None = None,
    *,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Transpose a matrix of that shape, and move it to another distribution: collective. @return the new part

    Both distributions have layout GRID, `after` that of `(columns, rows)`. Else as redistribute().
    """

    def move() -> _Move:
        rows, columns = _sides_of(shape, (before, after))
        return _move_of(comm, ((rows, columns), (columns, rows)), (before, after), part, np.dtype(dtype))

    return _carried_out("nereus_transpose", comm, move, is_counted=False)


def _carried_out(
    function: str, comm: MPI.Comm, move_of_this: Callable[[], _Move], is_counted: bool
) -> NDArray[Any]:
    """This process' new part, from a function of the library that is given the number of elements, or not."""
    if not isinstance(comm, MPI.Comm) or comm == MPI.COMM_NULL or comm.Is_inter():
        raise TypeError(f"comm = {comm!r}: allowed is an intra-communicator of mpi4py")
    call, handle = getattr(library(), function), comm_handle(comm)
    with ExitStack() as held:
        try:
            move = move_of_this()
            element = held.enter_context(bytes_type(move.element_bytes))
        except Exception:
            # The others are on their way into the call, which ends on all of them where it is refused on one.
            with bytes_type(1) as byte:
                call(handle, byte, *([0] * is_counted), None, None, None, None)
            raise
        old, new = ctypes.byref(move.before), ctypes.byref(move.after)
        elements = [move.elements] * is_counted
        code = call(handle, element, *elements, old, move.address, new, move.moved.ctypes.data)
    if code < 0:
        raise Failure(Code(code), f"{function}: NEREUS_{Code(code).name}: {_WHY.get(code, 'see stderr')}")
    return move.moved


_WHY = {
    Code.ERR_ARGUMENT: "a process was given what is not allowed: see its exception, or stderr",
    Code.ERR_MISMATCH: "processes were given different arguments",
    Code.ERR_MEMORY: "a process has no memory for the plan, or for a transposed part",
    Code.ERR_MPI: "a call of MPI failed",
}


def _move_of(
    comm: MPI.Comm,
    shapes: tuple[int | Sequence[int], int | Sequence[int]],
    distributed: tuple[Distributed, Distributed],
    part: NDArray[Any] | None,
    dtype: "np.dtype[Any]",
) -> _Move:
    rank = comm.Get_rank()
    for side in distributed:
        if not isinstance(side, Distributed):
            raise TypeError(f"{side!r}: allowed as before and after are objects of Distributed")
    before, after = (side.over(comm, shape, dtype) for side, shape in zip(distributed, shapes, strict=True))
    address = None
    if before.number_of(rank) is not None:
        address = _checked(part, before.part_shape(rank), dtype)
    moved = np.empty(after.part_shape(rank), dtype=dtype)
    if Layout.GRID in (before.distribution.layout, after.distribution.layout):
        before, after = before.item_by_item(), after.item_by_item()
    array = before.distribution
    return _Move(array.elements, array.element_bytes, before.c(), after.c(), address, moved)


def _sides_of(shape: Sequence[int], distributed: tuple[Distributed, Distributed]) -> tuple[int, int]:
    """Of a matrix that is to be transposed."""
    for side in distributed:
        if isinstance(side, Distributed) and side.layout is not Layout.GRID:
            raise ValueError(f"layout {side.layout.name}: a matrix is transposed from GRID to GRID alone")
    lengths = () if isinstance(shape, SupportsIndex) else tuple(shape)
    if len(lengths) != 2:
        raise ValueError(f"shape = {shape}: allowed is (rows, columns)")
    return lengths[0], lengths[1]


def _checked(part: NDArray[Any] | None, shape: tuple[int, ...], dtype: "np.dtype[Any]") -> int | None:
    """Address of a part that is as it has to be."""
    if part is None and 0 in shape:
        return None
    if not isinstance(part, np.ndarray) or part.dtype != dtype:
        is_now = part.dtype if isinstance(part, np.ndarray) else type(part).__name__
        raise TypeError(f"part is of {is_now}: allowed is an array of {dtype}")
    if part.shape != shape:
        raise ValueError(f"part has shape {part.shape}: this process has a part of {shape}")
    if not part.flags.c_contiguous:
        raise ValueError("part does not lie row by row in memory: give numpy.ascontiguousarray(part)")
    return int(part.ctypes.data)
