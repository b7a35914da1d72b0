# SPDX-License-Identifier: BSD-3-Clause
"""What changes with time in a run as a whole: bytes in flight, imbalance, ranks of each job."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nereus.analysis.trace.file import Numbers
from nereus.analysis.trace.model import Timeline, Track

_INTERVALS = 200


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
    return found + _imbalance(run) + _ranks(run)


def _in_flight(run: Timeline) -> Counter:
    """Of messages whose receive is known, from their sending to when the receiver saw them."""
    size = run.messages["bytes"].astype(np.int64)
    sent = run.messages["sent"]
    changes = _summed(
        np.concatenate([sent, np.maximum(run.messages["received"], sent)]), np.concatenate([size, -size])
    )
    return Counter("bytes in flight", "bytes", *changes)


def _imbalance(run: Timeline) -> list[Counter]:
    """By how much the process that is outside of MPI longest exceeds the mean, in each interval of the run.

    Percent imbalance: O. Pearce et al.: Quantifying the effectiveness of load balance algorithms, ICS 2012,
    section 2. Of processes that are there, and recorded, all through the interval, if there are several.
    """
    if not run.has_all_calls:
        return []
    edges = np.unique(np.linspace(0, run.last, _INTERVALS + 1).astype(np.int64))
    if len(edges) < 2:
        return []
    outside = np.array([_outside(track, edges) for track in run.tracks])
    there = np.array([_is_there(track, edges) for track in run.tracks])
    several = there.sum(axis=0) > 1
    most = np.where(there, outside, 0).max(axis=0)
    mean = np.where(there, outside, 0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    known = several & (mean > 0)
    excess = np.where(known, np.rint(100 * (most / np.where(known, mean, 1) - 1)), 0).astype(np.int64)
    return [Counter("imbalance", "%", edges, np.append(excess, 0))] if known.any() else []


def _outside(track: Track, edges: Numbers) -> Numbers:
    """ns of each interval in which the thread that makes most calls was in none."""
    if not len(track.begin):
        return np.diff(edges)
    calls = np.flatnonzero(track.thread == np.bincount(track.thread).argmax())
    calls = calls[np.argsort(track.begin[calls], kind="stable")]
    begin = np.maximum.accumulate(track.begin[calls])
    end = np.maximum.accumulate(np.maximum(track.end[calls], begin))
    begin = np.maximum(begin, np.concatenate([[0], end[:-1]]))
    spent = np.cumsum(end - begin)
    moments = np.stack([begin, end], axis=1).ravel()
    inside = np.stack([spent - (end - begin), spent], axis=1).ravel()
    outside: Numbers = np.diff(edges) - np.diff(np.interp(edges, moments, inside)).astype(np.int64)
    return outside


def _is_there(track: Track, edges: Numbers) -> npt.NDArray[np.bool_]:
    """In which intervals, all through."""
    if not len(track.begin):
        return np.zeros(len(edges) - 1, dtype=bool)
    there = np.asarray((edges[:-1] >= track.begin.min()) & (edges[1:] <= track.last))
    for begin, end in track.pauses:
        there &= (edges[1:] <= begin) | (edges[:-1] >= end)
    return there


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
