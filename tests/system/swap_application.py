# SPDX-License-Identifier: BSD-3-Clause
"""A job in Python that swaps two arrays in each step: prints what rank 0 found, as JSON.

python swap_application.py SIZES...    e.g. 3 1: the sizes that it goes through
"""

import json
import sys

import numpy as np

import nereus

ROWS = 3
BETWEEN = 3  # an odd number of swaps between two resizes


def refused(job: nereus.Job, one: nereus.Array, other: nereus.Array) -> str:
    """What is thrown for two that cannot be swapped."""
    try:
        job.swap(one, other)
    except ValueError as error:
        return str(error)
    return "nothing"


def iterate(job: nereus.Job) -> None:
    """Rows of `now` hold their numbers and the step, those of `before` the step before."""
    sizes = [int(size) for size in sys.argv[1:] if not size.startswith("--")]
    now, before = job.array("now", ROWS, np.float64), job.array("before", ROWS, np.float64)
    whole = job.array("whole", ROWS, np.int64)
    pairs = job.array("pairs", (ROWS, 2), np.float64), job.array("halves", (ROWS, 2, 1), np.float64)
    step, asked = job.value("step", 0), job.value("asked", -1)
    if job.generation == 0:
        now.view[:] = now.first + np.arange(len(now.view))
        before.view[:] = now.view - 1
    good = []
    while True:
        rows = now.first + np.arange(len(now.view))
        good.append(np.array_equal(now.view, rows + step.value) and np.array_equal(before.view, now.view - 1))
        if job.generation == len(sizes):
            break
        if job.generation != asked.value and step.value % BETWEEN == 0:
            asked.value = job.generation
            if job.comm.rank == 0:
                job.resize(sizes[job.generation])
        before.view[:] = now.view + 1
        job.swap(now, before)
        step.value += 1
        if job.checkpoint() is nereus.Outcome.LEAVE:
            assert all(good), good
            return
    found = {
        "good": all(job.comm.allgather(all(good))),
        "resizes": job.generation,
        "refused": [refused(job, now, whole), refused(job, *pairs)],
    }
    if job.comm.rank == 0:
        print(json.dumps(found))


nereus.run(iterate)
