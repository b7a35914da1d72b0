# SPDX-License-Identifier: BSD-3-Clause
"""A trace of jobs in the Standard Workload Format, drawn by a seed, to time `nereus simulate` with.

python bench/days_trace.py day.swf [JOBS [CORES [SEED]]]
"""

import sys
from pathlib import Path

import numpy as np

_DAY = 86400  # s
_LOAD = 0.8  # of the cores, over the day


def trace(jobs: int, cores: int, seed: int) -> str:
    """Jobs that come all day long: of 1 to 256 ranks, powers of two; log-normal run times."""
    random = np.random.default_rng(seed)
    submit = np.sort(random.integers(0, _DAY, jobs))
    ranks = 2 ** random.integers(0, 9, jobs)
    drawn = random.lognormal(6.5, 1.5, jobs)
    seconds = np.clip(drawn * _LOAD * cores * _DAY / (drawn * ranks).sum(), 1, _DAY / 2)
    lines = (
        f"{number} {at} -1 {run:.0f} {size} -1 -1 {size} {2 * run:.0f} -1 1 1 1 1 1 -1 -1 -1"
        for number, (at, run, size) in enumerate(zip(submit, seconds, ranks, strict=True), start=1)
    )
    return "\n".join(["; drawn by bench/days_trace.py", *lines, ""])


def main() -> None:
    file, *numbers = sys.argv[1:]
    jobs, cores, seed = (*map(int, numbers), *(10_000, 4096, 1)[len(numbers) :])
    Path(file).write_text(trace(jobs, cores, seed))


if __name__ == "__main__":
    main()
