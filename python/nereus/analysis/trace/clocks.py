# SPDX-License-Identifier: BSD-3-Clause
"""One time for all processes: clocks of hosts are brought to that of one of them.

Processes of one system read the same monotonic clock. Others asked rank 0 of their world over MPI how far the
clocks are apart when the trace began, and again when it ended: in between, they drift evenly. Where no world
has processes of two systems, their time of day has to do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nereus.analysis.trace.file import ClockSample, Numbers, ProcessTrace

#: By how much an error grows with the time since clocks were compared; crystals differ by less.
_DRIFT = 100e-6
#: Between times of day, ns: hosts of a cluster have them from one server.
_TIME_OF_DAY = 10**9


@dataclass(frozen=True)
class _Link:
    """From one system's clock to another one's."""

    other: str
    samples: tuple[ClockSample, ...]  # one or two, in order; the drift between two is even

    def offset(self, time: Numbers) -> Numbers:
        first, last = self.samples[0], self.samples[-1]
        if last.time <= first.time:
            return np.full(len(time), first.offset, dtype=np.int64)
        share = (time - first.time) / (last.time - first.time)
        offset: Numbers = np.rint(first.offset + share * (last.offset - first.offset)).astype(np.int64)
        return offset

    def error(self, time: Numbers) -> Numbers:
        away = np.min([np.abs(time - sample.time) for sample in self.samples], axis=0)
        error: Numbers = np.ceil(max(each.error for each in self.samples) + _DRIFT * away).astype(np.int64)
        return error


class Clocks:
    """Finds out once; then brings times to the clock of the process that began first."""

    def __init__(self, processes: Sequence[ProcessTrace]) -> None:
        first = min(processes, key=lambda trace: trace.begun_unix)
        self._links = _links(processes)
        self._towards: dict[str, _Link | None] = {_system(first): None}
        self._follow()
        strangers = []
        for trace in processes:
            own = _system(trace)
            if own not in self._towards:
                strangers.append(trace.host)
                sample = ClockSample(trace.begun, _day(trace) - _day(first), _TIME_OF_DAY)
                self._towards[own] = _Link(_system(first), (sample,))
                self._follow()
        self.by_time_of_day = tuple(sorted(set(strangers)))

    def common(self, trace: ProcessTrace, time: Numbers) -> Numbers:
        """The times of the process by the common clock."""
        system = _system(trace)
        while (link := self._towards[system]) is not None:
            time = time + link.offset(time)
            system = link.other
        return time

    def error(self, trace: ProcessTrace, time: Numbers) -> Numbers:
        """How wrong these are at most, ns."""
        error = np.zeros(len(time), dtype=np.int64)
        system = _system(trace)
        while (link := self._towards[system]) is not None:
            error, time = error + link.error(time), time + link.offset(time)
            system = link.other
        return error

    def _follow(self) -> None:
        """From systems that are known on to those that are linked with them."""
        waiting = list(self._towards)
        while waiting:
            known = waiting.pop()
            for (own, other), link in self._links.items():
                if other == known and own not in self._towards:
                    self._towards[own] = link
                    waiting.append(own)


def _links(processes: Sequence[ProcessTrace]) -> dict[tuple[str, str], _Link]:
    """By the best samples, at the begin and at the end, that processes of the one have of the other."""
    roots = {trace.world: _system(trace) for trace in processes if trace.rank == 0}
    samples: dict[tuple[str, str], list[tuple[ClockSample, ...]]] = {}
    for trace in processes:
        own, root = _system(trace), roots.get(trace.world)
        if root is not None and root != own:
            samples.setdefault((own, root), []).append(trace.clock)
    links: dict[tuple[str, str], _Link] = {}
    for (own, root), found in samples.items():
        begin = min((each[0] for each in found), key=lambda sample: sample.error)
        ends = [each[-1] for each in found if len(each) > 1]
        both = (begin, *([min(ends, key=lambda sample: sample.error)] if ends else []))
        links[own, root] = _Link(root, both)
        turned = [ClockSample(each.time + each.offset, -each.offset, each.error) for each in both]
        links.setdefault((root, own), _Link(own, tuple(turned)))
    return links


def _system(trace: ProcessTrace) -> str:
    """Of which the clock is; a system that does not tell its boot is known by its host."""
    return trace.boot or trace.host


def _day(trace: ProcessTrace) -> int:
    """Time of day at which its monotonic clock was 0, ns."""
    return round(trace.begun_unix * 1e9) - trace.begun
