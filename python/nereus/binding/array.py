# SPDX-License-Identifier: BSD-3-Clause
"""A global array and a value, as one process sees them."""

import ctypes
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import ArrayLike, NDArray

from nereus.binding.calls import Calls
from nereus.binding.codes import Kind, Layout
from nereus.binding.distributed import Distributed
from nereus.binding.distribution import Block, Distribution
from nereus.binding.grid import Grid
from nereus.binding.handles import bytes_type
from nereus.binding.memory import Memory


class Array:
    """This process' part of a global array: `view` is always the present one."""

    def __init__(
        self, calls: Calls, name: str, dtype: "np.dtype[Any]", distribution: Distribution, memory: Memory
    ) -> None:
        self.name = name
        self._calls, self._dtype, self._distribution, self._memory = calls, dtype, distribution, memory
        self._pointer = ctypes.c_void_p()
        self._shape: tuple[int, ...] = ()

    def register(self, kind: Kind) -> None:
        """Collective: tell the library of it."""
        distribution, functions = self._distribution.c(), self._memory.functions()
        self._pointer.value = self._memory.first_part(
            self._distribution.elements * self._distribution.element_bytes
        )
        with bytes_type(self._distribution.element_bytes) as handle:
            self._calls.check(
                "array_distributed",
                self.name.encode(),
                handle,
                self._distribution.elements,
                ctypes.byref(distribution),
                kind,
                ctypes.byref(self._pointer),
                None if functions is None else ctypes.byref(functions),
            )
        self._memory.keep_only(self._pointer.value)
        # What a newcomer joins, or an epoch has, may have another layout than the one registered.
        now = self._calls.distribution(self.name)
        if now is not None:
            self._distribution = self._distribution.as_in(now)
        self.renew()

    def change_distribution(
        self,
        layout: Layout,
        *,
        weights: Sequence[int] = (),
        block: Block | None = None,
        grid: Grid = (0, 0),
    ) -> NDArray[Any]:
        """Distribute it anew over the processes of the job: collective. @return the new `view`

        The arguments are those of Job.array(), and the same on all processes. One that was given something
        that is not allowed, or holds a view of shared memory, raises what says so, and all others a Failure:
        nothing is changed then.
        """
        name = self.name.encode()
        try:
            self.check_not_viewed()
            changed = self._distribution.changed_to(layout, weights, block, grid)
            wanted = changed.c()
        except Exception:
            # The others are on their way into the call, which ends on all of them where it is refused on one.
            self._calls.number("change_distribution", name, None)
            raise
        self._calls.check("change_distribution", name, ctypes.byref(wanted))
        self._distribution = changed
        self.renew()
        return self.view

    def renew(self) -> None:
        """The part is another one: look how large it is."""
        count, now = self._calls.number("count", self.name.encode()), self._distribution
        if now.layout is Layout.GRID and count >= 0 and self._calls.comm != MPI.COMM_NULL:
            self._shape = now.grid_part_shape(self._calls.comm.Get_size(), self._calls.comm.Get_rank())
        else:
            self._shape = (max(0, count), *now.shape[1:])

    def swap(self, other: "Array") -> None:
        """Hold what the other one holds, and the other way round.

        ValueError where elements differ: the library compares their size alone.
        """
        for one, two in (
            (self._dtype, other._dtype),
            (self._distribution.shape[1:], other._distribution.shape[1:]),
        ):
            if one != two:
                raise ValueError(
                    f"{self.name!r} of {one} and {other.name!r} of {two} cannot be swapped: "
                    "allowed are arrays whose elements are alike"
                )
        self._calls.check("swap", self.name.encode(), other.name.encode())
        self._memory, other._memory = other._memory, self._memory

    def end(self) -> None:
        """The job is closed: what the library had is gone."""
        if self._memory.functions() is None:
            self._pointer.value, self._shape = None, (0, *self._shape[1:])

    @property
    def view(self) -> NDArray[Any]:
        """The part: its rows, in the order of the array; with GRID its own matrix."""
        address = self._pointer.value
        if address is None or 0 in self._shape:
            return np.empty(self._shape, dtype=self._dtype)
        size = int(np.prod(self._shape)) * self._dtype.itemsize
        return self._memory.part(address, size).view(self._dtype).reshape(self._shape)

    @property
    def distribution(self) -> Distributed:
        """How it is distributed now; where rows were balanced since, `first` and `view` say who has which."""
        now = self._distribution
        return Distributed(now.layout, weights=now.weights, block=now.block, grid=now.grid)

    @property
    def first(self) -> int:
        """Global number of the first row of `view`; Failure where parts are no ranges (CYCLIC, GRID)."""
        return self._calls.checked_number("first", self.name.encode())

    def locate(self, element: int) -> tuple[int, int]:
        """Rank of the process that has a row, with GRID an item, and its index in that part."""
        rank = ctypes.c_int()
        there = max(-1, min(element, self._distribution.elements))  # ctypes cuts off what is too large for C
        index = self._calls.checked_number("locate", self.name.encode(), there, ctypes.byref(rank))
        return rank.value, index

    def place(self, element: int) -> tuple[int, int]:
        """`locate` by its former name, until the next version."""
        warnings.warn("call Array.locate()", DeprecationWarning, stacklevel=2)
        return self.locate(element)

    def check_not_viewed(self) -> None:
        """BufferError where memory that may go is in use."""
        if self._memory.viewed():
            raise BufferError(
                f"a view of {self.name!r} is held, which is shared: let go of it before a checkpoint "
                "and before its distribution is changed"
            )


class Value:
    """A small value that is the same on all processes."""

    def __init__(self, calls: Calls, name: str, initial: ArrayLike) -> None:
        self.name = name
        self._data = np.array(initial, order="C")
        if self._data.dtype.hasobject or not self._data.size:
            raise ValueError(
                f"value {name!r} = {initial!r}: allowed are numbers and arrays of them, not empty ones"
            )
        with bytes_type(self._data.dtype.itemsize) as handle:
            calls.check("value", name.encode(), handle, self._data.size, self._data.ctypes.data)

    @property
    def value(self) -> Any:
        """A number, or the array, whose elements may be set."""
        return self._data if self._data.ndim else self._data.item()

    @value.setter
    def value(self, new: ArrayLike) -> None:
        self._data[...] = new
