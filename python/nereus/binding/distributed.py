# SPDX-License-Identifier: BSD-3-Clause
"""How an array is distributed over processes of a communicator, without a job."""

import operator
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

from nereus.binding.codes import Layout
from nereus.binding.distribution import Block, distribution_of
from nereus.binding.grid import Grid, as_grid
from nereus.binding.holders import Holders

# The shapes of parts are the same for all types.
_ANY_TYPE: "np.dtype[np.generic]" = np.dtype(np.uint8)


@dataclass(frozen=True)
class Distributed:
    """A layout over some or all processes of a communicator.

    `layout`, `weights` and `block` are those of Job.array(). The processes are `ranks` of the communicator,
    or its first `processes`, or all; with GRID they make a `grid` of so many rows and columns: 0 for as
    many as leave none over, (0, 0) for the most square grid.
    """

    layout: Layout = Layout.BLOCK
    _: KW_ONLY
    weights: Sequence[int] = ()
    block: Block | None = None
    grid: Grid = (0, 0)
    processes: int | None = None
    ranks: Sequence[int] | None = None

    def __post_init__(self) -> None:
        """Refuse two numbers of processes; keep what cannot change."""
        object.__setattr__(self, "layout", Layout(self.layout))
        object.__setattr__(self, "weights", tuple(map(operator.index, self.weights)))
        object.__setattr__(self, "grid", as_grid(self.grid))
        if self.ranks is None:
            return
        object.__setattr__(self, "ranks", tuple(map(operator.index, self.ranks)))
        if self.processes not in (None, len(self.ranks)):
            raise ValueError(f"processes = {self.processes}: there are {len(self.ranks)} ranks")

    def part_shape(
        self, comm: MPI.Comm, shape: int | Sequence[int], rank: int | None = None
    ) -> tuple[int, ...]:
        """Shape of the part of a process, of this one if no `rank` is given; 0 rows where it has none.

        With GRID that of its own matrix.
        """
        return self.over(comm, shape).part_shape(_or_own(rank, comm))

    def numbers(
        self, comm: MPI.Comm, shape: int | Sequence[int], rank: int | None = None
    ) -> NDArray[np.int64]:
        """Global numbers of the rows of that part, in their order; with GRID a matrix of its items'."""
        return self.over(comm, shape).numbers(_or_own(rank, comm))

    def locate(self, comm: MPI.Comm, shape: int | Sequence[int], element: int) -> tuple[int, int]:
        """Rank of the process that has a row, with GRID an item, and its index in that part."""
        return self.over(comm, shape).locate(element)

    def relabelled(self, comm: MPI.Comm, shape: int | Sequence[int], before: "Distributed") -> "Distributed":
        """The same over the same processes, in the order in which most stays where `before` has it.

        No process is asked: all that give the same get the same.
        """
        ranks = self.over(comm, shape).relabelled(comm.Get_size(), before.over(comm, shape))
        return replace(self, processes=None, ranks=ranks)

    def over(
        self, comm: MPI.Comm, shape: int | Sequence[int], dtype: "np.dtype[np.generic]" = _ANY_TYPE
    ) -> Holders:
        """An array of that shape over the communicator."""
        array = distribution_of(shape, dtype, self.layout, self.weights, self.block, self.grid)
        return Holders(array, self._ranks_in(comm.Get_size()))

    def _ranks_in(self, size: int) -> tuple[int, ...]:
        if self.ranks is None:
            processes = size if self.processes is None else self.processes
            if not 1 <= processes <= size:
                raise ValueError(f"processes = {processes}: allowed is 1 .. {size}")
            return tuple(range(processes))
        ranks = tuple(self.ranks)
        if not ranks or len(set(ranks)) < len(ranks) or not 0 <= min(ranks) <= max(ranks) < size:
            raise ValueError(f"ranks = {ranks}: allowed are one or more of 0 .. {size - 1}, no two alike")
        return ranks


def _or_own(rank: int | None, comm: MPI.Comm) -> int:
    return int(comm.Get_rank()) if rank is None else rank
