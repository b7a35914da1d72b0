# SPDX-License-Identifier: BSD-3-Clause
"""Patterns are what they are called: a tree that reaches all, grids in which neighbours are neighbours."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from nereus.simulation.network import Pattern, matrix_of, of_matrix, reduce_heap, reduce_tree, stencil
from nereus.simulation.network.patterns import grid

RANKS = st.integers(1, 400)


def depth(pattern: Pattern, rank: int) -> int:
    """Steps to rank 0; fails where there is a circle."""
    parents = {child: parent for child, parent, _ in pattern.messages}
    steps = 0
    while rank != 0:
        rank = parents[rank]
        steps += 1
        assert steps < pattern.ranks
    return steps


@settings(deadline=None)
@given(RANKS, st.sampled_from([reduce_tree, reduce_heap]))
def test_reduction_has_each_rank_once_and_minimal_depth(ranks: int, tree: object) -> None:
    assert callable(tree)
    pattern = tree(ranks, 8)
    assert sorted(child for child, _, _ in pattern.messages) == list(range(1, ranks))
    assert max(depth(pattern, rank) for rank in range(ranks)) == int(math.log2(ranks))


def test_tree_is_that_of_open_mpi() -> None:
    edges = {(child, parent) for child, parent, _ in reduce_tree(8, 4_000_000).messages}
    assert edges == {(1, 0), (2, 0), (3, 1), (4, 2), (5, 1), (6, 2), (7, 3)}


@settings(deadline=None)
@given(RANKS, st.integers(2, 3))
def test_stencil_has_two_messages_through_each_inner_face(ranks: int, dimensions: int) -> None:
    shape = grid(ranks, dimensions)
    assert math.prod(shape) == ranks
    assert shape == sorted(shape, reverse=True)
    pattern = stencil(ranks, dimensions, 10)
    faces = sum((side - 1) * ranks // side for side in shape)
    assert len(pattern.messages) == 2 * faces == len(set(pattern.messages))
    matrix = matrix_of(pattern)
    assert (matrix != matrix.T).nnz == 0


def test_grids_are_as_square_as_possible() -> None:
    assert grid(64, 2) == [8, 8]
    assert grid(160, 2) == [16, 10]
    assert grid(64, 3) == [4, 4, 4]
    assert grid(7, 2) == [7, 1]


def test_matrix_is_divided_over_the_iterations_without_its_diagonal() -> None:
    matrix = csr_array(np.array([[5.0, 100.0], [3.0, 0.0]]))
    pattern = of_matrix("m", matrix, 10)
    assert set(pattern.messages) == {(0, 1, 10), (1, 0, 1)}
    assert not pattern.relay
