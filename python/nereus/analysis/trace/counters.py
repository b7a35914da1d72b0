# SPDX-License-Identifier: BSD-3-Clause
"""What changes with time in a run as a whole: bytes in flight, ranks of each job."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from nereus.analysis.trace.file import Numbers
from nereus.analysis.trace.model import Timeline


@dataclass(frozen=True)
class Counter:
    """A value from each moment on, to the next one; moments are in ns, in order and each once."""

    name: str
    unit: str  # "" where it is a number of things
    time: Numbers
    value: Numbers


def counters(run: Timeline) -> list[Counter]:
    """Those that the run has anything of."""
    found = [_in_flight(run)] if len(run.messages) else []
    return found + _ranks(run)


def _in_flight(run: Timeline) -> Counter:
    """Of messages whose receive is known, from their sending to when the receiver saw them."""
    size = run.messages["bytes"].astype(np.int64)
    sent = run.messages["sent"]
    changes = _summed(
        np.concatenate([sent, np.maximum(run.messages["received"], sent)]), np.concatenate([size, -size])
    )
    return Counter("bytes in flight", "bytes", *changes)


def _ranks(run: Timeline) -> list[Counter]:
    jobs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for span in run.generations:
        jobs[span.job] += [(span.begin, 1), (span.end, -1)]
    found = []
    for number, changes in enumerate(jobs.values(), 1):
        time, change = np.array(sorted(changes), dtype=np.int64).T
        name = "ranks" if len(jobs) == 1 else f"ranks of job {number}"
        found.append(Counter(name, "", *_summed(time, change)))
    return found


def _summed(time: Numbers, change: Numbers) -> tuple[Numbers, Numbers]:
    moments, place = np.unique(time, return_inverse=True)
    changes = np.zeros(len(moments), dtype=np.int64)
    np.add.at(changes, place, change)
    return moments, np.cumsum(changes)
