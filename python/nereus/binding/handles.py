# SPDX-License-Identifier: BSD-3-Clause
"""MPI handles between mpi4py and the library."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mpi4py import MPI

from nereus.binding.library import COMM, DATATYPE


def comm_handle(comm: MPI.Comm) -> Any:
    """The handle of a communicator, for an argument of the library."""
    return COMM.from_address(MPI._addressof(comm))


def communicator(handle: int | None) -> MPI.Intracomm:
    """A communicator of the library; mpi4py does not free it."""
    comm = MPI.Intracomm()
    if handle is not None:
        COMM.from_address(MPI._addressof(comm)).value = handle
    return comm


@contextmanager
def bytes_type(count: int) -> Iterator[Any]:
    """The handle of a datatype of `count` bytes: the library looks at no more than that."""
    datatype = MPI.BYTE.Create_contiguous(count)
    try:
        yield DATATYPE.from_address(MPI._addressof(datatype))
    finally:
        datatype.Free()
