# SPDX-License-Identifier: BSD-3-Clause
"""The processes over which an array is distributed, and what each of them has."""

import ctypes
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nereus.binding.codes import Code, Failure, Layout
from nereus.binding.distribution import Block, Distribution, dealt
from nereus.binding.grid import grid_over
from nereus.binding.library import library
from nereus.binding.structures import CDistributed


@dataclass(frozen=True)
class Holders:
    """An array over `ranks` of a communicator: who is which of them, and has what."""

    distribution: Distribution
    ranks: tuple[int, ...]

    def number_of(self, rank: int) -> int | None:
        """Which of the holders a rank is; None where it is none."""
        return self.ranks.index(rank) if rank in self.ranks else None

    def part_shape(self, rank: int) -> tuple[int, ...]:
        """Shape of what a rank has; 0 rows where it is no holder."""
        number = self.number_of(rank)
        count = 0 if number is None else self._call("count", number)
        if self.distribution.layout is not Layout.GRID:
            return (count, *self.distribution.shape[1:])
        if number is None:
            return (0, 0)
        return self.distribution.grid_part_shape(len(self.ranks), number)

    def locate(self, element: int) -> tuple[int, int]:
        """Rank of the process that has a row, with GRID an item, and its index in that part."""
        number = ctypes.c_int()
        there = max(-1, min(element, self.distribution.elements))  # ctypes cuts off what is too large for C
        index = self._call("locate", there, ctypes.byref(number))
        return self.ranks[number.value], index

    def numbers(self, rank: int) -> NDArray[np.int64]:
        """Global numbers of a rank's rows, in their order; with GRID those of its items."""
        number, array = self.number_of(rank), self.distribution
        if number is None:
            return np.empty((0, 0) if array.layout is Layout.GRID else 0, dtype=np.int64)
        count = self._call("count", number)
        if array.layout is Layout.GRID:
            rows, columns = self._rows_and_columns(number)
            return rows[:, np.newaxis] * array.shape[1] + columns
        if array.layout is Layout.CYCLIC:
            return dealt(array.elements, _rows_of(array.block), len(self.ranks), number)
        before = 0 if array.layout is Layout.REPLICATED else sum(self._counts(number))
        return np.arange(before, before + count, dtype=np.int64)

    def item_by_item(self) -> "Holders":
        """The same parts, where the library counts items and no rows: for another side with GRID."""
        array = self.distribution
        items, in_row = array.shape[0] * array.shape[1], array.shape[1]
        if array.layout is Layout.GRID:
            return self
        if array.layout is Layout.REPLICATED or not items:
            return Holders(Distribution((items,), array.itemsize, Layout.REPLICATED), self.ranks)
        if in_row == 1:
            return Holders(replace(array, shape=(items,)), self.ranks)
        one_row_each = array.layout is Layout.BLOCK and array.shape[0] <= len(self.ranks)
        if array.layout is Layout.CYCLIC or one_row_each:
            block = (1 if one_row_each else min(_rows_of(array.block), array.shape[0])) * in_row
            return Holders(Distribution((items,), array.itemsize, Layout.CYCLIC, block=block), self.ranks)
        # Whole rows are not equal parts of the items; and who has no row is no holder, as weights are from 1.
        counts = [(rank, count) for rank, count in zip(self.ranks, self._counts(), strict=True) if count]
        unit = math.gcd(*(count for _, count in counts))
        weights = tuple(count // unit for _, count in counts)
        ranks = tuple(rank for rank, _ in counts)
        return Holders(Distribution((items,), array.itemsize, Layout.WEIGHTED, weights), ranks)

    def relabelled(self, size: int, before: "Holders") -> tuple[int, ...]:
        """These ranks in the order in which most stays where `before` has it, in a communicator of that size.

        Beside GRID, processes to which WEIGHTED gives no row get the remaining ranks.
        """
        one, other = before, self
        if Layout.GRID in (one.distribution.layout, other.distribution.layout):
            one, other = one.item_by_item(), other.item_by_item()
        ordered = (ctypes.c_int * len(other.ranks))()
        old, new = ctypes.byref(one.c()), ctypes.byref(other.c())
        elements = other.distribution.elements
        if (code := library().nereus_distributed_relabel(elements, size, old, new, ordered)) < 0:
            raise Failure(Code(code), f"nereus_distributed_relabel: NEREUS_{Code(code).name}: {one}, {other}")
        have_rows = set(other.ranks)
        ranks, left = iter(ordered), iter(rank for rank in self.ranks if rank not in have_rows)
        return tuple(next(ranks if rank in have_rows else left) for rank in self.ranks)

    def c(self) -> CDistributed:
        """For nereus_redistribute() and nereus_distributed_relabel()."""
        ranks = (ctypes.c_int * len(self.ranks))(*self.ranks)
        return CDistributed(ctypes.pointer(self.distribution.c()), len(self.ranks), ranks)

    def _rows_and_columns(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of a matrix with GRID: which of them are a holder's."""
        rows, columns = grid_over(len(self.ranks), self.distribution.grid)
        assert isinstance(self.distribution.block, tuple)
        return (
            dealt(self.distribution.shape[0], self.distribution.block[0], rows, number // columns),
            dealt(self.distribution.shape[1], self.distribution.block[1], columns, number % columns),
        )

    def _counts(self, holders: int | None = None) -> list[int]:
        """Rows of the first holders, or of all."""
        return [self._call("count", number) for number in range(len(self.ranks))[:holders]]

    def _call(self, name: str, *arguments: Any) -> int:
        """The number that nereus_distributed_NAME() returned; Failure where it is a code."""
        called = getattr(library(), f"nereus_distributed_{name}")
        distribution = ctypes.byref(self.distribution.c())
        number = int(called(distribution, self.distribution.elements, len(self.ranks), *arguments))
        if number < 0:
            code = Code(number)
            where = f"{self.distribution} over {len(self.ranks)} processes"
            raise Failure(code, f"nereus_distributed_{name}: NEREUS_{code.name}: {where}")
        return number


def _rows_of(block: Block | None) -> int:
    """Of one block with CYCLIC, which has one row if nothing is said."""
    assert not isinstance(block, tuple)
    return 1 if block is None else block
