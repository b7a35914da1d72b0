# SPDX-License-Identifier: BSD-3-Clause
"""A job in Python that looks at its views and errors while it is resized: prints what rank 0 found, as JSON.

python heat_application.py SIZES...    e.g. 3 1: the sizes that it goes through
"""

import gc
import json
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

import nereus

ROWS, COLUMNS, WEIGHTS = 50, 4, (1, 3)
BETWEEN = 6


def numbers(first: int, rows: int) -> NDArray[np.float64]:
    """What the rows from `first` hold."""
    return np.arange(first * COLUMNS, (first + rows) * COLUMNS, dtype=np.float64).reshape(rows, COLUMNS)


def thrown(call: Any, *arguments: Any, **named: Any) -> str:
    """The name of what a call throws, and for a Failure its code."""
    try:
        call(*arguments, **named)
    except nereus.Failure as failure:
        return f"Failure {failure.code.name}"
    except (BufferError, TypeError, ValueError) as error:
        return type(error).__name__
    return "nothing"


def errors(job: nereus.Job) -> dict[str, Any]:
    """What is thrown for what cannot be: all of it on all ranks."""
    return {
        "taken": thrown(job.value, "weighted", 0),
        "weights": thrown(job.array, "a", 9, weights=(1, 2)),
        "no weights": thrown(job.array, "a", 9, layout=nereus.WEIGHTED),
        "objects": thrown(job.array, "a", 9, dtype=object),
        "resize": sorted(set(job.comm.allgather(thrown(job.resize, 0)))),
        "option": thrown(job.resize, 2, transfer_metod=1),
    }


def io_phases(job: nereus.Job) -> list[str]:
    """What a good I/O phase yields, and what is thrown for others: in one, and with fewer than 0 bytes."""
    with job.io_phase(8) as code:
        within = [thrown(job.checkpoint), thrown(job.io_phase().__enter__)]
    return [code.name, *within, thrown(job.io_phase(-1).__enter__)]


class Stay:
    """One process' stay in the job."""

    def __init__(self, job: nereus.Job) -> None:
        self.job = job
        self.sizes = [int(size) for size in sys.argv[1:] if not size.startswith("--")]
        self.weighted = job.array("weighted", (ROWS, COLUMNS), layout=nereus.WEIGHTED, weights=WEIGHTS)
        self.shared = job.array("shared", ROWS, np.int32, kind=nereus.CONSTANT, shared=True)
        self.dealt = job.array("dealt", (6, 10), np.int16, nereus.GRID, block=(2, 3))
        self.step = job.value("step", 0)
        self.end = job.value("end", 2)
        self.asked = job.value("asked", -1)
        self.pair = job.value("pair", np.array([1.0, 2.0]))
        self.old: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self.found: list[bool] = []
        if job.generation == 0:
            self.weighted.view[:] = numbers(self.weighted.first, len(self.weighted.view))
            self.shared.view[:] = np.arange(len(self.shared.view)) + self.shared.first
            self.fill_dealt()

    def fill_dealt(self) -> None:
        for element in range(60):
            rank, place = self.dealt.locate(element)
            if rank == self.job.comm.rank:
                self.dealt.view.ravel()[place] = element

    def good(self) -> bool:
        """Whether everything is where and what it should be, old views too."""
        ranks = self.job.comm.size
        rows = len(self.weighted.view)
        all_rows = self.job.comm.allreduce(rows)
        weights = [WEIGHTS[rank % 2] for rank in range(ranks)]
        right = [
            np.array_equal(self.weighted.view, numbers(self.weighted.first, rows)),
            all_rows == ROWS and abs(rows - ROWS * weights[self.job.comm.rank] / sum(weights)) < 1.5,
            np.array_equal(self.shared.view, np.arange(len(self.shared.view)) + self.shared.first),
            all(np.array_equal(view, copy) for view, copy in self.old),
            np.array_equal(self.pair.value, [1.0 + self.step.value, 2.0]),
            self.dealt_is_good(),
        ]
        gc.collect()
        return all(self.job.comm.allgather(all(right)))

    def dealt_is_good(self) -> bool:
        """Whether each item is where the library says, in a matrix with the columns of its own."""
        view = self.dealt.view
        places = [self.dealt.locate(element) for element in range(60)]
        own = [(place, e) for e, (rank, place) in enumerate(places) if rank == self.job.comm.rank]
        columns = {e % 10 for _, e in own}
        return [e for _, e in sorted(own)] == view.ravel().tolist() and (
            not own or view.shape[1] == len(columns)
        )

    def iterate(self) -> None:
        """Go through the sizes."""
        before = self.job.generation
        if before > 0:
            self.found.append(self.good())  # the others look after their checkpoint
        while self.job.generation < len(self.sizes) or self.step.value < self.end.value:
            if self.step.value == 1:
                self.found.append(self.views_are_refused())
            self.ask()
            self.step.value += 1
            self.pair.value[0] += 1
            # A view that is kept, and what it holds now.
            self.old.append((self.weighted.view, self.weighted.view.copy()))
            outcome = self.job.checkpoint()
            assert self.job.last_resize().code >= 0, self.job.message
            del self.old[:-BETWEEN]
            if outcome is nereus.Outcome.LEAVE:
                self.found.append(all(np.array_equal(view, copy) for view, copy in self.old))
                assert all(self.found), self.found
                return
            self.found.append(self.good())
            assert (outcome is nereus.Outcome.RESIZED) == (self.job.generation > before)
            before = self.job.generation
        self.tell()

    def ask(self) -> None:
        """Rank 0 asks for each size once; a resize that was rolled back is the end."""
        generation = self.job.generation
        if generation == self.asked.value or generation == len(self.sizes):
            return
        self.asked.value = generation
        self.end.value = self.step.value + BETWEEN
        if self.job.comm.rank == 0:
            self.job.resize(self.sizes[generation], transfer_method=nereus.TransferMethod.P2P)

    def views_are_refused(self) -> bool:
        """Whether no checkpoint is made while a view of memory that may go is held."""
        view = self.shared.view[1:]
        refused = thrown(self.job.checkpoint) == "BufferError"
        del view
        return refused

    def tell(self) -> None:
        """Rank 0 prints what was found, and how the latest resize was."""
        last = self.job.last_resize()
        said = {
            "good": all(self.found),
            "errors": errors(self.job),
            "io_phases": io_phases(self.job),
            "resizes": self.job.generation,
            "last": [last.code.name, last.from_, last.to, last.transfer_method.name, last.reason],
        }
        if self.job.comm.rank == 0:
            print(json.dumps(said), flush=True)


def stay(job: nereus.Job) -> None:
    """Open views end before the job does."""
    here = Stay(job)
    here.iterate()
    kept = here.weighted.view
    copy = kept.copy()
    if job.close():
        return
    assert np.array_equal(kept, copy) and np.array_equal(here.weighted.view, copy)
    assert len(here.shared.view) == 0
    assert thrown(job.checkpoint) == "Failure ERR_ARGUMENT"


if __name__ == "__main__":
    nereus.run(stay)
