# SPDX-License-Identifier: BSD-3-Clause
"""Redistributes arrays over 4 processes; rank 0 prints what all of them found, as JSON.

mpiexec -n 4 python redistributing_program.py pairs | orders | matrices | errors | other-comms
"""

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations, product
from typing import Any

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

import nereus

WORLD = MPI.COMM_WORLD
RANK = WORLD.Get_rank()
PROCESSES: tuple[dict[str, Any], ...] = ({}, {"processes": 2}, {"ranks": (3, 1)}, {"ranks": (2,)})
LAYOUTS: tuple[dict[str, Any], ...] = (
    {"layout": nereus.BLOCK},
    {"layout": nereus.WEIGHTED, "weights": (3, 1, 2)},
    {"layout": nereus.CYCLIC},
    {"layout": nereus.CYCLIC, "block": np.int64(3)},
    {"layout": nereus.REPLICATED},
    {"layout": nereus.GRID, "block": (2, 3)},
    {"layout": nereus.GRID, "block": (1, 2), "grid": (0, 1)},
)
TYPES = (np.float64, np.complex128, np.int8, np.dtype([("mass", "f4"), ("place", "i8", 3)]))
# Of the last two, some or all processes have no row.
SHAPES: tuple[tuple[int, ...], ...] = ((7, 5), (11,), (5, 2, 3), (2, 3), (0, 4))


def whole(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array whose bytes tell where they are from."""
    array = np.empty(shape, dtype)
    array.reshape(-1).view(np.uint8)[:] = np.arange(array.nbytes) * 131 % 251
    return array


def part_of(array: NDArray[Any], side: nereus.Distributed, rank: int = RANK) -> NDArray[Any]:
    rows = side.numbers(WORLD, array.shape, rank)
    part: NDArray[Any] = array.reshape(-1)[rows] if side.layout is nereus.GRID else array[rows]
    return part


def sides(shape: tuple[int, ...]) -> list[nereus.Distributed]:
    layouts = [layout for layout in LAYOUTS if len(shape) == 2 or layout["layout"] is not nereus.GRID]
    return [nereus.Distributed(**layout, **over) for layout, over in product(layouts, PROCESSES)]


def moves() -> Iterator[bool]:
    """Whether each byte of each pair of distributions came to its place."""
    for shape in SHAPES:
        for number, (before, after) in enumerate(product(sides(shape), repeat=2)):
            array = whole(shape, TYPES[number % len(TYPES)])
            part = part_of(array, before)
            given = part.copy()
            got = nereus.redistribute(WORLD, shape, before, after, part, dtype=array.dtype)
            wanted = part_of(array, after)
            yield (
                got.dtype == array.dtype
                and got.shape == wanted.shape == after.part_shape(WORLD, shape)
                and got.tobytes() == wanted.tobytes()
                and part.tobytes() == given.tobytes()
            )


def places() -> Iterator[bool]:
    """Whether numbers() and part_shape() say the same as the library does of each element."""
    for shape in SHAPES:
        for side in sides(shape):
            numbers = [side.numbers(WORLD, shape, rank) for rank in range(WORLD.Get_size())]
            for rank, its in enumerate(numbers):
                assert side.part_shape(WORLD, shape, rank)[: its.ndim] == its.shape
            elements = int(np.prod(shape)) if side.layout is nereus.GRID else shape[0]
            for element in range(elements):
                rank, index = side.locate(WORLD, shape, element)
                yield int(numbers[rank].reshape(-1)[index]) == element
            if side.layout is not nereus.REPLICATED:
                yield sum(its.size for its in numbers) == elements


def overlaps(
    shape: tuple[int, ...], before: nereus.Distributed, after: nereus.Distributed
) -> NDArray[np.int64]:
    """How many items of a rank, by column, each of the holders of the new side is to have, by line."""
    items = np.arange(int(np.prod(shape))).reshape(shape)
    ranks = range(WORLD.Get_size())
    old = [part_of(items, before, rank).reshape(-1) for rank in ranks]
    holders = after.over(WORLD, shape).ranks
    return np.array(
        [[np.isin(part_of(items, after, to), old[rank]).sum() for rank in ranks] for to in holders]
    )


def orders() -> Iterator[bool]:
    """Whether relabelled sides have the same ranks in the order that keeps most, of all that there are."""
    for shape in SHAPES:
        for number, (before, after) in enumerate(product(sides(shape), repeat=2)):
            if number % WORLD.Get_size() != RANK:
                continue
            ranks = after.over(WORLD, shape).ranks
            ordered = after.relabelled(WORLD, shape, before)
            assert ordered.ranks is not None and ordered.processes is None
            stays = overlaps(shape, before, after)
            kept = [int(stays[range(len(ranks)), order].sum()) for order in permutations(ranks)]
            own = int(stays[range(len(ranks)), ordered.ranks].sum())
            is_best = own == max(kept)
            # Beside GRID, whom weights give no row is not asked for another place.
            by_weight = before.layout is nereus.GRID and after.layout is nereus.WEIGHTED
            if by_weight and any(0 in after.part_shape(WORLD, shape, rank) for rank in ranks):
                is_best = own >= kept[0]
            yield is_best and sorted(ordered.ranks) == sorted(ranks)


def grids() -> Iterator[nereus.Distributed]:
    """Of a matrix, over all processes, some of them, and one."""
    for over, grid in product(PROCESSES, ((0, 0), (0, 1), (1, 0), (0, 2), (2, 0))):
        processes = nereus.Distributed(**over).over(WORLD, 1).ranks
        if len(processes) % (max(grid) or 1) == 0:
            yield nereus.Distributed(nereus.GRID, block=(2, 3), grid=grid, **over)


def transposed() -> Iterator[bool]:
    """Whether each item of a matrix that is transposed came to its place."""
    for shape in ((7, 5), (1, 9), (0, 4)):
        for number, (before, after) in enumerate(product(grids(), repeat=2)):
            array = whole(shape, TYPES[number % len(TYPES)])
            part = part_of(array, before)
            given = part.copy()
            got = nereus.transpose(WORLD, shape, before, after, part, dtype=array.dtype)
            wanted = part_of(np.ascontiguousarray(array.T), after)
            yield got.shape == wanted.shape and got.tobytes() == wanted.tobytes()
            yield part.tobytes() == given.tobytes()


def wrong_matrices() -> dict[str, list[list[str]]]:
    """What all processes get where rank 1 alone is wrong; in between all of them are right."""
    shape, grid = (6, 4), nereus.Distributed(nereus.GRID, block=(1, 1))
    array = np.arange(24.0).reshape(shape)
    good = part_of(array, grid)

    def call(
        part: Any = good, shape: Any = shape, before: Any = grid, after: Any = grid, dtype: Any = float
    ) -> Any:
        return nereus.transpose(WORLD, shape, before, after, part, dtype=dtype)

    wrong: dict[str, dict[str, Any]] = {
        "shape": {"part": good[:-1]},
        "rows": {"before": nereus.Distributed()},
        "copies": {"after": nereus.Distributed(nereus.REPLICATED)},
        "no dtype": {"dtype": "none such"},
        "one axis": {"shape": (24,)},
        "no shape": {"shape": 24},
        "no layout": {"after": None},
        "grid of 3": {"after": nereus.Distributed(nereus.GRID, block=(1, 1), grid=(3, 0))},
        "negative grid": {"after": nereus.Distributed(nereus.GRID, block=(1, 1), grid=(-1, 0))},
        "other grid": {"after": nereus.Distributed(nereus.GRID, block=(1, 1), grid=(4, 0))},
    }
    found = {}
    for name, arguments in wrong.items():
        found[name] = WORLD.allgather(outcome(partial(call, **(arguments if RANK == 1 else {}))))
        assert np.array_equal(call(shape=list(shape)), part_of(np.ascontiguousarray(array.T), grid))
    grids_of_none: dict[str, Any] = {
        "grid for C": (2**32, 0),
        "half a row": (0.5, 1),
        "no pair": 4,
        "three": (1, 2, 3),
    }
    for name, given in grids_of_none.items():
        no_grid = partial(nereus.Distributed, nereus.GRID, block=(1, 1), grid=given)
        found[name] = WORLD.allgather(outcome(no_grid))
    in_rows = nereus.Distributed(grid=(1, 0))
    found["grid of rows"] = WORLD.allgather(outcome(partial(in_rows.part_shape, WORLD, shape)))
    return found


def outcome(call: Callable[[], Any]) -> list[str]:
    """What a call throws: the type, the code of a Failure, and the text."""
    try:
        call()
    except nereus.Failure as failure:
        return ["Failure", failure.code.name, str(failure)]
    except (TypeError, ValueError, MemoryError) as error:
        return [type(error).__name__, "", str(error)]
    return ["nothing", "", ""]


def errors() -> dict[str, list[list[str]]]:
    """What all processes get where rank 1 alone is wrong; in between all of them are right."""
    block, cyclic = nereus.Distributed(), nereus.Distributed(nereus.CYCLIC)
    shape = (8, 3)
    good = part_of(np.arange(24.0).reshape(shape), block)

    def call(
        part: Any = good, shape: Any = shape, before: Any = block, after: Any = cyclic, dtype: Any = float
    ) -> Any:
        return nereus.redistribute(WORLD, shape, before, after, part, dtype=dtype)

    wrong: dict[str, dict[str, Any]] = {
        "Fortran order": {"part": np.asfortranarray(good)},
        "strided": {"part": np.repeat(good, 2, axis=0)[::2]},
        "shape": {"part": good[:-1]},
        "dtype": {"part": good.astype(np.float32)},
        "list": {"part": good.tolist()},
        "no part": {"part": None},
        "other dtype": {"part": good.astype(np.float32), "dtype": np.float32},
        "other layout": {"after": block},
        "objects": {"dtype": object},
        "no dtype": {"dtype": "none such"},
        "block of 0": {"after": nereus.Distributed(nereus.CYCLIC, block=0)},
        "no layout": {"after": None},
        "ranks twice": {"after": nereus.Distributed(ranks=(1, 1))},
        "rank of nobody": {"after": nereus.Distributed(ranks=(0, 2**32))},
        "too many processes": {"after": nereus.Distributed(processes=5)},
        "weights of none": {"after": nereus.Distributed(nereus.WEIGHTED)},
        "weight for C": {"after": nereus.Distributed(nereus.WEIGHTED, weights=(2**32 + 1,))},
        "rows for C": {"shape": (2**64 + 8, 3)},
        "more than memory": {"before": nereus.Distributed(ranks=(0,)), "shape": (2**50, 3)},
    }
    found = {}
    for name, arguments in wrong.items():
        found[name] = WORLD.allgather(outcome(partial(call, **(arguments if RANK == 1 else {}))))
        assert np.array_equal(call(), part_of(np.arange(24.0).reshape(shape), cyclic))
    other = partial(block.relabelled, WORLD, shape, nereus.Distributed(nereus.CYCLIC, block=0))
    # Half of the processes have nothing of what is described by a number that is none.
    halves = nereus.Distributed(nereus.CYCLIC, block=3 / 2, processes=2)  # type: ignore[arg-type]
    found["fraction of a block"] = WORLD.allgather(outcome(partial(call, before=halves)))
    found["fraction of a row"] = WORLD.allgather(outcome(partial(call, shape=(16 / 2, 3))))
    found["order of none"] = WORLD.allgather(outcome(other))
    found["all alike"] = WORLD.allgather(outcome(partial(call, **wrong["block of 0"])))
    found["no such row"] = WORLD.allgather(outcome(partial(block.locate, WORLD, shape, 2**64)))
    return found


def other_comms() -> dict[str, Any]:
    """Communicators that are not the world: halves, their parts in any order, and what is none."""
    half = MPI.Intracomm(WORLD.Split(RANK % 2, -RANK))
    array = whole((9, 2), np.float64)
    rows = nereus.Distributed().numbers(half, array.shape)
    to = nereus.Distributed(ranks=(1,))
    got = nereus.redistribute(half, array.shape, nereus.Distributed(), to, array[rows])
    wanted = array if half.Get_rank() == 1 else array[:0]
    between = half.Create_intercomm(0, WORLD, 2 if RANK % 2 else 3)
    others: list[Any] = [between, MPI.COMM_NULL, None]
    is_no_comm = [outcome(partial(nereus.redistribute, comm, 8, to, to))[0] for comm in others]
    between.Free()
    half.Free()
    return {"right": WORLD.allgather(np.array_equal(got, wanted)), "no comm": WORLD.allgather(is_no_comm)}


def counted(found: Iterator[bool]) -> list[int]:
    """How many there were on all processes, and how many were wrong."""
    each = list(found)
    return [sum(WORLD.allgather(len(each))), sum(WORLD.allgather(each.count(False)))]


def main() -> None:
    parts: dict[str, Callable[[], Any]] = {
        "pairs": lambda: {"moves": counted(moves()), "places": counted(places())},
        "orders": lambda: counted(orders()),
        "matrices": lambda: {"items": counted(transposed()), "wrong": wrong_matrices()},
        "errors": errors,
        "other-comms": other_comms,
    }
    found = parts[sys.argv[1]]()
    if RANK == 0:
        print(json.dumps(found))


main()
