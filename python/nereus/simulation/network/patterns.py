# SPDX-License-Identifier: BSD-3-Clause
"""What ranks send each other in one iteration: trees, stencils, or what a matrix says."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array

from nereus.simulation.network.error import SmpiError

Message = tuple[int, int, int]  # source, destination, bytes


@dataclass(frozen=True)
class Pattern:
    """`relay`: who receives something waits for all of it before it sends; else all send at once."""

    name: str
    ranks: int
    messages: tuple[Message, ...]
    relay: bool = False


def reduce_tree(ranks: int, count: int) -> Pattern:
    """A reduction to rank 0 over Open MPI's binary tree.

    Level l begins with rank 2^l - 1; rank r of it has the children r + 2^l and r + 2^(l+1).
    """

    def children(rank: int) -> tuple[int, int]:
        span = 1 << ((rank + 1).bit_length() - 1)
        return rank + span, rank + 2 * span

    return _tree("reduce", ranks, count, children)


def reduce_heap(ranks: int, count: int) -> Pattern:
    """A reduction to rank 0 over the binary tree of textbooks: rank r has the children 2r + 1 and 2r + 2."""
    return _tree("reduce-heap", ranks, count, lambda rank: (2 * rank + 1, 2 * rank + 2))


def _tree(name: str, ranks: int, count: int, children: Callable[[int], tuple[int, int]]) -> Pattern:
    below = [(child, rank) for rank in range(ranks) for child in children(rank) if child < ranks]
    return Pattern(name, ranks, tuple((child, rank, count) for child, rank in below), relay=True)


def stencil(ranks: int, dimensions: int, count: int) -> Pattern:
    """Each rank and its neighbours in a grid without wrap-around, row by row; `count` bytes a face."""
    shape = grid(ranks, dimensions)
    numbers = np.arange(ranks).reshape(shape)
    messages = []
    for axis in range(dimensions):
        near, far = (np.take(numbers, part, axis).ravel() for part in _halves(shape[axis]))
        pairs = list(zip(near.tolist(), far.tolist(), strict=True))
        messages += [(a, b, count) for a, b in pairs] + [(b, a, count) for a, b in pairs]
    return Pattern(f"stencil-{dimensions}d", ranks, tuple(sorted(messages)))


#: By their words: of so many ranks, with so many bytes in a message.
PATTERNS: Mapping[str, Callable[[int, int], Pattern]] = {
    "reduce": reduce_tree,
    "reduce-heap": reduce_heap,
    "stencil-2d": lambda ranks, count: stencil(ranks, 2, count),
    "stencil-3d": lambda ranks, count: stencil(ranks, 3, count),
}


def _halves(length: int) -> tuple[range, range]:
    return range(length - 1), range(1, length)


def grid(ranks: int, dimensions: int) -> list[int]:
    """As equal sides as there are, the longest first."""
    shape = []
    for left in range(dimensions, 1, -1):
        root = round(ranks ** (1 / left), 9)
        side = next(side for side in range(math.ceil(root), ranks + 1) if ranks % side == 0)
        shape.append(side)
        ranks //= side
    return sorted([*shape, ranks], reverse=True)


def of_matrix(name: str, traffic: csr_array, iterations: int) -> Pattern:
    """All that ranks sent, in equal shares of the iterations; what ranks send themselves is left out."""
    entries = traffic.tocoo()
    shares = np.ceil(entries.data / iterations)
    return Pattern(name, int(traffic.shape[0]), tuple(_messages(entries.coords, shares)))


def _messages(coords: Sequence[np.ndarray], shares: np.ndarray) -> Iterator[Message]:
    for source, destination, share in zip(
        coords[0].tolist(), coords[1].tolist(), shares.tolist(), strict=True
    ):
        if source != destination and share > 0:
            if share > 2**50:
                raise SmpiError(f"rank {source} sends {share:g} bytes to rank {destination}: too many")
            yield source, destination, int(share)


def matrix_of(pattern: Pattern) -> csr_array:
    """What `nereus place` takes: bytes of an iteration."""
    if not pattern.messages:
        return csr_array((pattern.ranks, pattern.ranks), dtype=float)
    source, destination, count = zip(*pattern.messages, strict=True)
    shape = (pattern.ranks, pattern.ranks)
    return csr_array(coo_array((np.array(count, dtype=float), (source, destination)), shape=shape))
