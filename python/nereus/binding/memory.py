# SPDX-License-Identifier: BSD-3-Clause
"""Where the part of an array lies: in memory of Python's, or in that of the library."""

import ctypes
import mmap
import weakref
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from nereus.binding.structures import Allocate, CMemory, Release

# Linux' number on all but a few machines, which Python's mmap has from 3.13.
_NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)


class Memory(Protocol):
    """The memory of one array."""

    def functions(self) -> CMemory | None:
        """For nereus_array_distributed(): where parts come from; None for the library's own."""

    def first_part(self, most: int) -> int | None:
        """Address of zeroed memory for a part of `most` bytes or fewer; None where the library has it."""

    def keep_only(self, address: int | None) -> None:
        """The part is there: a newcomer's came with its data."""

    def part(self, address: int, size: int) -> NDArray[np.uint8]:
        """The bytes of the present part."""

    def viewed(self) -> bool:
        """Whether somebody holds a view that would be left without its memory at a resize."""


class KeptMemory:
    """Memory that lives as long as a view of it does, whatever became of the array."""

    def __init__(self) -> None:
        self._parts: dict[int, NDArray[np.uint8]] = {}
        self._functions = CMemory(Allocate(self._allocate), Release(self._release), None)

    def functions(self) -> CMemory:
        """The library calls them at a resize, if need be in a thread of its own."""
        return self._functions

    def first_part(self, most: int) -> int:
        """Addresses for `most` bytes: how long the part is says only the registered array.

        Memory is taken by what is touched; none is reserved, as the array may be larger than this host.
        """
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
        return self._keep(np.frombuffer(mmap.mmap(-1, max(1, most), flags=flags), dtype=np.uint8))

    def keep_only(self, address: int | None) -> None:
        """The part is there: a newcomer's came with its data."""
        self._parts = {place: part for place, part in self._parts.items() if place == address}

    def part(self, address: int, size: int) -> NDArray[np.uint8]:
        """The bytes of the present part."""
        return self._parts[address][:size]

    def viewed(self) -> bool:
        """Never: views keep their memory."""
        return False

    def _keep(self, part: NDArray[np.uint8]) -> int:
        address = int(part.ctypes.data)
        self._parts[address] = part
        return address

    def _allocate(self, size: int, _: int | None) -> int | None:
        try:
            return self._keep(np.empty(max(1, size), dtype=np.uint8))
        except MemoryError:
            return None

    def _release(self, address: int | None, _: int | None) -> None:
        if address is not None:
            self._parts.pop(address, None)


class SharedMemory:
    """Memory of the library, which the processes of a host share: it goes at a resize, and views with it."""

    def __init__(self) -> None:
        self._held: weakref.ref[Any] = weakref.ref(type(self))
        self._address = 0

    def functions(self) -> None:
        """The library's own."""
        return

    def first_part(self, most: int) -> None:
        """The library has it."""
        return

    def keep_only(self, address: int | None) -> None:
        """The library's parts come and go by themselves."""

    def part(self, address: int, size: int) -> NDArray[np.uint8]:
        """The bytes of the present part; all views of it hold the same object."""
        held = self._held() if address == self._address else None
        if held is None:
            held = (ctypes.c_ubyte * size).from_address(address)
            self._held, self._address = weakref.ref(held), address
        return np.frombuffer(memoryview(held), dtype=np.uint8)

    def viewed(self) -> bool:
        """Whether an array that came from part() is still there, or one that was made of it."""
        return self._address != 0 and self._held() is not None
