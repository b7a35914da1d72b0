# SPDX-License-Identifier: BSD-3-Clause
"""How an array of NumPy is described to the library, and the shape of its parts."""

import ctypes
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nereus.binding.codes import Layout
from nereus.binding.structures import CDistribution

Block = int | tuple[int, int]


@dataclass(frozen=True)
class Distribution:
    """A global array and its layout.

    Rows are what is dealt out: one element of the library is a row, all of one index of the first axis. With
    GRID an element is one item of a matrix.
    """

    shape: tuple[int, ...]
    itemsize: int
    layout: Layout
    weights: tuple[int, ...] = ()
    block: Block | None = None

    def __post_init__(self) -> None:
        """Refuse what the library would not see."""
        if not self.shape or any(length < 0 for length in self.shape):
            raise ValueError(f"shape = {self.shape}: allowed are one or more lengths from 0")
        if not self.element_bytes:
            raise ValueError(f"shape = {self.shape}: a row needs at least 1 byte")
        if self.weights and self.layout is not Layout.WEIGHTED:
            raise ValueError(f"weights = {self.weights}: allowed with layout WEIGHTED alone")
        wanted = {Layout.CYCLIC: "rows, or none", Layout.GRID: "(rows, columns)"}.get(self.layout)
        good = (
            isinstance(self.block, tuple) if self.layout is Layout.GRID else not isinstance(self.block, tuple)
        )
        if not good or (self.block is not None and wanted is None):
            raise ValueError(
                f"block = {self.block}: with layout {self.layout.name} allowed is {wanted or 'none'}"
            )
        if self.layout is Layout.GRID and len(self.shape) != 2:
            raise ValueError(f"shape = {self.shape}: layout GRID needs (rows, columns)")

    @property
    def elements(self) -> int:
        """What the library counts."""
        return math.prod(self.shape) if self.layout is Layout.GRID else self.shape[0]

    @property
    def element_bytes(self) -> int:
        """Bytes of one of them."""
        return self.itemsize if self.layout is Layout.GRID else self.itemsize * math.prod(self.shape[1:])

    def c(self) -> CDistribution:
        """For nereus_array_distributed()."""
        weights = (ctypes.c_int32 * len(self.weights))(*self.weights) if self.weights else None
        distribution = CDistribution(
            layout=self.layout, weights=weights, weight_count=len(self.weights), block=1
        )
        if isinstance(self.block, tuple):
            distribution.rows, distribution.columns = self.shape
            distribution.block_rows, distribution.block_columns = self.block
        elif self.block is not None:
            distribution.block = self.block
        return distribution

    def part_shape(self, count: int, grid_columns: int, rank: int) -> tuple[int, ...]:
        """Shape of a part of `count` elements; the others say where in the grid it is."""
        if not isinstance(self.block, tuple):
            return (count, *self.shape[1:])
        columns = _dealt(self.shape[1], self.block[1], grid_columns, rank % grid_columns)
        return (count // columns if columns else 0, columns)


def _dealt(length: int, block: int, parts: int, number: int) -> int:
    """How much of `length`, dealt out in blocks, comes to part `number`."""
    whole, rest = divmod(length, block)
    rounds, extra = divmod(whole, parts)
    return rounds * block + (block if number < extra else rest if number == extra else 0)


def distribution_of(
    shape: int | Sequence[int],
    dtype: "np.dtype[np.generic]",
    layout: Layout,
    weights: Sequence[int],
    block: Block | None,
) -> Distribution:
    """The distribution that the arguments of Job.array() describe."""
    if dtype.hasobject:
        raise ValueError(f"dtype = {dtype}: objects of Python cannot be moved to another process")
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    return Distribution(lengths, dtype.itemsize, Layout(layout), tuple(weights), block)
