# SPDX-License-Identifier: BSD-3-Clause
"""Changes how arrays of a job are distributed; rank 0 prints what all processes found, as JSON.

mpiexec -n 2 python changing_program.py resized | saved | swapped | errors [--nereus-NAME=VALUE...]
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nereus

#: Sizes that the job goes through, from 2.
SIZES = (4, 3, 1, 2)
RECORD = np.dtype([("mass", "f4"), ("place", "i8", 3)])
ROWS: tuple[dict[str, Any], ...] = (
    {"layout": nereus.CYCLIC},
    {"layout": nereus.WEIGHTED, "weights": (3, 1)},
    {"layout": nereus.REPLICATED},
    {"layout": nereus.CYCLIC, "block": 2},
    {"layout": nereus.BLOCK},
)
GRIDS: tuple[dict[str, Any], ...] = (
    {"layout": nereus.GRID, "block": (2, 3)},
    {"layout": nereus.GRID, "block": (1, 1), "grid": (0, 1)},
    {"layout": nereus.GRID, "block": (2, 3), "grid": (1, 0)},
    {"layout": nereus.GRID, "block": (4, 2)},
)
#: Of a matrix with one column a row is an item: all can become all.
COLUMNS = (*ROWS, {"layout": nereus.GRID, "block": (2, 1)})


def whole(array: nereus.Array, shape: tuple[int, ...]) -> NDArray[Any]:
    """What all processes together are to hold: bytes that tell where they are from."""
    made = np.empty(shape, array.view.dtype)
    made.reshape(-1).view(np.uint8)[:] = np.arange(made.nbytes) * 131 % 251
    return made


def part_of(job: nereus.Job, array: nereus.Array, shape: tuple[int, ...]) -> NDArray[Any]:
    """What this process is to hold, as the distribution says that the array has."""
    rows = array.distribution.numbers(job.comm, shape)
    everything = whole(array, shape)
    part: NDArray[Any] = (
        everything.reshape(-1)[rows] if array.distribution.layout is nereus.GRID else everything[rows]
    )
    return part


def is_right(job: nereus.Job, array: nereus.Array, shape: tuple[int, ...]) -> bool:
    """Whether the view is that part, and the job has each row where it is."""
    wanted, view = part_of(job, array, shape), array.view
    numbers = array.distribution.numbers(job.comm, shape).reshape(-1)
    places = [array.locate(int(element)) for element in numbers]
    if array.distribution.layout is not nereus.REPLICATED and places != [
        (job.comm.rank, index) for index in range(len(numbers))
    ]:
        return False
    return view.shape == wanted.shape and view.tobytes() == wanted.tobytes()


class Case:
    """An array, and the distributions that it gets."""

    def __init__(
        self,
        job: nereus.Job,
        name: str,
        shape: tuple[int, ...],
        ways: tuple[dict[str, Any], ...],
        **named: Any,
    ) -> None:
        self.job, self.shape, self.ways = job, shape, ways
        self.array = job.array(name, shape, **named)

    def fill(self) -> None:
        self.array.view[...] = part_of(self.job, self.array, self.shape)

    def change(self, step: int) -> bool:
        """Get the next distribution; whether all is right before it and after it."""
        way = self.ways[step % len(self.ways)]
        before = self.right()
        count = self.array.change_distribution(**way).size
        return (
            before
            and self.array.distribution.layout is way["layout"]
            and self.array.distribution.grid == way.get("grid", (0, 0))
            and count == self.array.view.size
            and self.right()
        )

    def right(self) -> bool:
        return is_right(self.job, self.array, self.shape)


def cases_of(job: nereus.Job) -> list[Case]:
    """All kinds of arrays, as the program registers them at its start, also where they are something else."""
    return [
        Case(job, "rows", (13, 3), ROWS, dtype=RECORD),
        Case(job, "shared", (11, 2), ROWS, dtype=np.int32, shared=True),
        Case(job, "constant", (9,), ROWS, kind=nereus.CONSTANT),
        Case(job, "few", (1, 5), ROWS, dtype=np.int8, layout=nereus.CYCLIC, block=3),
        Case(job, "grid", (9, 7), GRIDS, dtype=np.int16, layout=nereus.GRID, block=(3, 2)),
        Case(job, "column", (10, 1), COLUMNS),
    ]


def resized(job: nereus.Job) -> list[Any] | None:
    """Changes in each iteration, and resizes."""
    cases = cases_of(job)
    step, changes, wrong = job.value("step", 0), job.value("changes", 0), job.value("wrong", 0)
    if job.generation == 0:
        for case in cases:
            case.fill()
    else:
        wrong.value += job.comm.allreduce([case.right() for case in cases].count(False))
    while job.generation < len(SIZES) or step.value < 40:
        found = [case.change(step.value) for case in cases]
        changes.value += len(found)
        wrong.value += job.comm.allreduce(found.count(False))
        if job.comm.rank == 0 and step.value % 4 == 0 and job.generation < len(SIZES):
            job.resize(SIZES[job.generation])
        step.value += 1
        outcome = job.checkpoint()
        if outcome is nereus.Outcome.LEAVE:
            return None
        if outcome is nereus.Outcome.RESIZED:
            wrong.value += job.comm.allreduce([case.right() for case in cases].count(False))
    return [changes.value, wrong.value, job.comm.size]


def saved(job: nereus.Job) -> list[int] | None:
    """Changes all, saves it and leaves; or continues with it, on other processes."""
    cases, step = cases_of(job), job.value("step", 0)
    if step.value:
        found = [case.right() for case in cases] + [case.change(1) for case in cases]
        return [len(found), job.comm.allreduce(found.count(False)), job.comm.size]
    for case in cases:
        case.fill()
        case.change(0)
    step.value = 1
    if job.comm.rank == 0:
        job.save(stop=True)
    while job.checkpoint() is not nereus.Outcome.LEAVE:
        pass
    return None


def swapped(job: nereus.Job) -> list[bool]:
    """Whether arrays that were swapped before and after changes have what they are to have."""
    found = []
    for shared in (False, True):
        one, other = (job.array(f"{name} {shared}", (7, 2), shared=shared) for name in ("one", "other"))
        one.view[:], other.view[:] = 1, 2
        job.swap(one, other)
        for array in (one, other):
            array.change_distribution(nereus.WEIGHTED, weights=(3, 1))
            array.change_distribution(nereus.CYCLIC)
        found.append(bool((one.view == 2).all() and (other.view == 1).all()))
        job.swap(one, other)
        one.change_distribution(nereus.BLOCK)
        found.append(bool((one.view == 1).all() and (other.view == 2).all()))
    everywhere: list[bool] = job.comm.allreduce(found)
    return everywhere


def outcome(call: Callable[[], Any]) -> list[str]:
    """What a call throws: the type, the code of a Failure, and the text."""
    try:
        call()
    except nereus.Failure as failure:
        return ["Failure", failure.code.name, str(failure)]
    except (BufferError, TypeError, ValueError) as error:
        return [type(error).__name__, "", str(error)]
    return ["nothing", "", ""]


def errors(job: nereus.Job) -> dict[str, Any]:
    """What all processes get where the last rank alone is wrong; in between all of them are right."""
    rows, shape = job.array("rows", (8, 3)), (8, 3)
    grid = job.array("grid", (8, 3), layout=nereus.GRID, block=(2, 2))
    shared = job.array("shared", (8, 3), shared=True)
    for array in (rows, grid, shared):
        array.view[...] = part_of(job, array, shape)
    is_wrong = job.comm.rank == job.comm.size - 1
    wrong: dict[str, tuple[nereus.Array, dict[str, Any]]] = {
        "grid": (rows, {"layout": nereus.GRID, "block": (2, 2)}),
        "no grid": (grid, {"layout": nereus.BLOCK}),
        "block": (rows, {"layout": nereus.BLOCK, "block": 2}),
        "block of 0": (rows, {"layout": nereus.CYCLIC, "block": 0}),
        "weights": (rows, {"layout": nereus.BLOCK, "weights": (1, 2)}),
        "weights of none": (rows, {"layout": nereus.WEIGHTED}),
        "fraction": (rows, {"layout": nereus.WEIGHTED, "weights": (1, 0.5)}),
        "layout": (rows, {"layout": 9}),
        "grid of 2 rows": (grid, {"layout": nereus.GRID, "block": (2, 2), "grid": (2, 0)}),
        "other block": (rows, {"layout": nereus.CYCLIC, "block": 3}),
    }
    right: dict[str, dict[str, Any]] = {
        "rows": {"layout": nereus.CYCLIC},
        "grid": {"layout": nereus.GRID, "block": (1, 3)},
    }
    found = {}
    for name, (array, arguments) in wrong.items():
        given = arguments if is_wrong else right[array.name]
        found[name] = job.comm.allgather(outcome(partial(array.change_distribution, **given)))
        assert is_right(job, array, shape)
    found["all alike"] = job.comm.allgather(
        outcome(partial(rows.change_distribution, nereus.GRID, block=(1, 1)))
    )
    held = shared.view if is_wrong else None
    found["held"] = job.comm.allgather(outcome(partial(shared.change_distribution, nereus.CYCLIC)))
    del held
    for array in (rows, grid, shared):
        assert is_right(job, array, shape)
        array.change_distribution(**right.get(array.name, right["rows"]))
        assert is_right(job, array, shape)
    # Of the same distribution a held view keeps showing what there is.
    view = rows.view
    assert rows.change_distribution(nereus.CYCLIC) is not view and np.shares_memory(rows.view, view)
    # One that was changed since holds what it held.
    copy = view.copy()
    rows.change_distribution(nereus.REPLICATED)
    rows.view[:] = -1
    found["old view"] = job.comm.allgather(bool(np.array_equal(view, copy)))
    return found


def main() -> None:
    parts: dict[str, Callable[[nereus.Job], Any]] = {
        "resized": resized,
        "saved": saved,
        "swapped": swapped,
        "errors": errors,
    }

    def stay(job: nereus.Job) -> None:
        found = parts[sys.argv[1]](job)
        if found is not None and job.comm.rank == 0:
            print(json.dumps(found))

    nereus.run(stay)


main()
