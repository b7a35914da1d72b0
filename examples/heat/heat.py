# SPDX-License-Identifier: BSD-3-Clause
"""Heat in a plate whose rows are dealt out over the processes by weights; neighbours exchange border rows.

    nereus run -n 2 -- python heat.py 3 1    becomes 3 processes, then 1
    nereus run -n 2 -- python heat.py        stays as it is: the checksum is the same, to the last bit

Each cell becomes the mean of its four neighbours: the longest stable explicit step of the heat equation.
"""

import sys

import numpy as np
from mpi4py import MPI
from numpy.typing import NDArray

import nereus

ROWS, COLUMNS, LAST, BETWEEN = 96, 64, 400, 50
WEIGHTS = (2, 1, 3)
TOP, LEFT = 1.0, 0.5  # what the plate is kept at there; 0 at the right and at the bottom


def plate(u: nereus.Array, comm: MPI.Intracomm) -> NDArray[np.float64]:
    """The rows of this process in a frame of their neighbours."""
    framed = np.zeros((len(u.view) + 2, COLUMNS + 2))
    framed[1:-1, 1:-1] = u.view
    framed[:, 0] = LEFT
    before = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    after = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    if before == MPI.PROC_NULL:
        framed[0] = TOP
    comm.Sendrecv(framed[-2], after, recvbuf=framed[0], source=before)
    comm.Sendrecv(framed[1], before, recvbuf=framed[-1], source=after)
    return framed


def step(u: nereus.Array, comm: MPI.Intracomm) -> None:
    """One step of time, the additions in the order of heat.f90."""
    old = plate(u, comm)
    u.view[:] = ((old[:-2, 1:-1] + old[2:, 1:-1]) + (old[1:-1, :-2] + old[1:-1, 2:])) * 0.25


def ask(job: nereus.Job, done: int, sizes: list[int]) -> None:
    """Rank 0 asks for the sizes one after the other.

    Without a strategy newcomers are made while all wait for them. Else `nereus run` has them start while the
    job goes on, and this one takes less time than their start.
    """
    wanted = job.generation
    if job.comm.rank == 0 and wanted < len(sizes) and done == BETWEEN * (wanted + 1):
        job.resize(sizes[wanted], process_strategies=nereus.ProcessStrategy(0))


def print_checksum(job: nereus.Job, u: nereus.Array) -> None:
    """The sum of all cells' bits: no rounding, so that it does not depend on how the cells are cut."""
    mine = np.sum(u.view.view(np.uint64), keepdims=True).ravel()
    total = np.zeros(1, dtype=np.uint64)
    job.comm.Reduce(mine, total)
    if job.comm.rank == 0:
        print(f"checksum {total[0]:016x} after {job.generation} resizes", flush=True)


def iterate(job: nereus.Job) -> None:
    """This process' stay in the job."""
    u = job.array("u", (ROWS, COLUMNS), layout=nereus.WEIGHTED, weights=WEIGHTS)  # zeroed for founders
    done = job.value("done", 0)
    while done.value < LAST:
        step(u, job.comm)
        ask(job, done.value, [int(size) for size in sys.argv[1:] if not size.startswith("--")])
        done.value += 1
        if job.checkpoint() is nereus.Outcome.LEAVE:
            return
    print_checksum(job, u)


if __name__ == "__main__":
    nereus.run(iterate)
