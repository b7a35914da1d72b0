# SPDX-License-Identifier: BSD-3-Clause
"""How an array of NumPy is described to the library, and the shape of its parts."""

import ctypes
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from nereus.binding.codes import Layout
from nereus.binding.grid import Grid, as_grid, check_is_seen, grid_over
from nereus.binding.structures import CDistribution

Block = int | tuple[int, int]

_MOST_WEIGHT = 2**31 - 1
_MOST_ELEMENTS = 2**62


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
    grid: Grid = (0, 0)

    def __post_init__(self) -> None:
        """Refuse what the library would not see; numbers of NumPy would wrap, or be none of Python's."""
        object.__setattr__(self, "shape", tuple(map(operator.index, self.shape)))
        object.__setattr__(self, "weights", tuple(map(operator.index, self.weights)))
        object.__setattr__(self, "block", _as_block(self.block))
        object.__setattr__(self, "grid", as_grid(self.grid))
        if not self.shape or any(length < 0 for length in self.shape):
            raise ValueError(f"shape = {self.shape}: allowed are one or more lengths from 0")
        if not self.element_bytes:
            raise ValueError(f"shape = {self.shape}: a row needs at least 1 byte")
        self._refuse_what_is_too_large()
        self._refuse_what_is_of_other_layouts()

    def _refuse_what_is_too_large(self) -> None:
        """For C, where ctypes would make another number of it without a word."""
        if self.elements > _MOST_ELEMENTS:
            raise ValueError(f"shape = {self.shape}: allowed are {_MOST_ELEMENTS} elements at most")
        if any(abs(weight) > _MOST_WEIGHT for weight in self.weights):
            raise ValueError(f"weights = {self.weights}: allowed are numbers from 1 to {_MOST_WEIGHT}")
        blocks = self.block if isinstance(self.block, tuple) else (self.block or 0,)
        if any(abs(length) > _MOST_ELEMENTS for length in blocks):
            raise ValueError(f"block = {self.block}: allowed are numbers from 1 to {_MOST_ELEMENTS}")

    def _refuse_what_is_of_other_layouts(self) -> None:
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
        if any(self.grid) and self.layout is not Layout.GRID:
            raise ValueError(f"grid = {self.grid}: allowed with layout GRID alone")
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
            check_is_seen(self.grid)
            distribution.grid_rows, distribution.grid_columns = self.grid
        elif self.block is not None:
            distribution.block = self.block
        return distribution

    def changed_to(
        self, layout: Layout, weights: Sequence[int], block: Block | None, grid: Grid
    ) -> "Distribution":
        """The same array with another layout; ValueError where the library would count something else."""
        changed = replace(self, layout=Layout(layout), weights=tuple(weights), block=block, grid=grid)
        if (changed.elements, changed.element_bytes) != (self.elements, self.element_bytes):
            allowed = "GRID alone" if self.layout is Layout.GRID else "any but GRID"
            raise ValueError(
                f"{self.layout.name} cannot become {changed.layout.name}, shape = {self.shape}: items are "
                f"distributed with GRID, rows with the others; allowed is {allowed}"
            )
        return changed

    def as_in(self, now: CDistribution) -> "Distribution":
        """The same array with the layout that nereus_array_distribution() says."""
        layout = Layout(now.layout)
        blocks: dict[Layout, Block] = {
            Layout.CYCLIC: now.block,
            Layout.GRID: (now.block_rows, now.block_columns),
        }
        grid = (now.grid_rows, now.grid_columns) if layout is Layout.GRID else (0, 0)
        return self.changed_to(layout, now.weights[: now.weight_count], blocks.get(layout), grid)

    def grid_part_shape(self, processes: int, rank: int) -> tuple[int, ...]:
        """Shape of the own matrix of a rank, with GRID over that many processes."""
        assert isinstance(self.block, tuple)
        grid = grid_over(processes, self.grid)
        places = (rank // grid[1], rank % grid[1])
        return tuple(map(_dealt, self.shape, self.block, grid, places))


def dealt(length: int, block: int, parts: int, number: int) -> NDArray[np.int64]:
    """Which of `length`, dealt out in blocks, come to part `number`."""
    firsts = np.arange(number * block, length, parts * block, dtype=np.int64)
    numbers = (firsts[:, np.newaxis] + np.arange(min(block, length), dtype=np.int64)).reshape(-1)
    return numbers[numbers < length]


def _dealt(length: int, block: int, parts: int, number: int) -> int:
    """How much of `length`, dealt out in blocks, comes to part `number`."""
    whole, rest = divmod(length, block)
    rounds, extra = divmod(whole, parts)
    return rounds * block + (block if number < extra else rest if number == extra else 0)


def _as_block(block: Block | None) -> Block | None:
    if block is None:
        return None
    if isinstance(block, Sequence):
        rows, columns = map(operator.index, block)
        return rows, columns
    return operator.index(block)


def distribution_of(
    shape: int | Sequence[int],
    dtype: "np.dtype[np.generic]",
    layout: Layout,
    weights: Sequence[int],
    block: Block | None,
    grid: Grid,
) -> Distribution:
    """The distribution that the arguments of Job.array() describe."""
    if dtype.hasobject:
        raise ValueError(f"dtype = {dtype}: objects of Python cannot be moved to another process")
    lengths = (shape,) if isinstance(shape, SupportsIndex) else tuple(shape)
    return Distribution(lengths, dtype.itemsize, Layout(layout), tuple(weights), block, grid)
