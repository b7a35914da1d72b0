# SPDX-License-Identifier: BSD-3-Clause
"""All traces of a run as one: on one clock, with messages from process to process, through generations."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from nereus.analysis.monitor.identities import Identities, Place
from nereus.analysis.monitor.model import Process
from nereus.analysis.monitor.reader import read
from nereus.analysis.trace.clocks import Clocks
from nereus.analysis.trace.file import (
    GAPS,
    GENERATION,
    NO_PEER,
    PAUSED,
    RECEIVED,
    RESUMED,
    SENT,
    SHARED_THREAD,
    UNRECORDED_RECEIVES,
    UNRECORDED_SENDS,
    Numbers,
    ProcessTrace,
)
from nereus.analysis.trace.folder import traces_of
from nereus.analysis.trace.generations import Mark, first_job_of, spans_of, successions_of
from nereus.analysis.trace.groups import Groups, ProcessGroups
from nereus.analysis.trace.kinds import RECORD
from nereus.analysis.trace.messages import Ends, Flags, Side, matched
from nereus.analysis.trace.model import GenerationSpan, StateSpan, Timeline, Track
from nereus.analysis.trace.recoveries import recoveries_of
from nereus.analysis.trace.settings import settings_of
from nereus.analysis.trace.states import is_state, states_of

SENDS = (
    *("Send", "Bsend", "Ssend", "Rsend", "Isend", "Ibsend", "Issend", "Irsend"),
    *("Sendrecv", "Isendrecv", "Sendrecv_replace", "Isendrecv_replace"),
)
_MARKS = (SENT, RECEIVED, GENERATION, PAUSED, RESUMED, UNRECORDED_SENDS, UNRECORDED_RECEIVES, *GAPS)


def read_run(folder: Path) -> Timeline:
    """TraceError where it is none, RecordingError where its record is none."""
    return _Reading(folder).timeline()


class _Reading:
    def __init__(self, folder: Path) -> None:
        traces, self._problems = traces_of(folder)
        self._folder = folder
        self._recording = read(folder / RECORD)
        self._processes: dict[Place, Process] = {
            (world.name, process.facts.rank): process for world, process in self._recording.processes
        }
        self._clocks = Clocks(traces)
        self._traces = sorted(traces, key=lambda trace: (self._first(trace), trace.world, trace.rank))
        self._zero = self._first(self._traces[0])

    def timeline(self) -> Timeline:
        messages, unmatched = matched(*self._sides(), self._ends())
        jobs, keys = first_job_of(self._processes.values()), {}
        generations: list[GenerationSpan] = []
        states: list[StateSpan] = []
        for place, trace in enumerate(self._traces):
            process = self._process(trace)
            first, last = self._first(trace) - self._zero, self._last(trace)
            if process is not None:
                job = None
                if process.supervised is not None:
                    keys[place] = process.supervised.job
                    job = jobs[process.supervised.job]
                generations += spans_of(place, process, job, self._generation_marks(trace), first, last)
            phases = process.phases if process is not None else {}
            states += states_of(place, trace, self._common(trace, trace.begin), last, phases)
        tracks = [self._track(trace) for trace in self._traces]
        states += recoveries_of(generations, tracks, keys)
        first_trace = self._traces[0]
        begun = self._common(first_trace, np.array([first_trace.begun]))[0]
        return Timeline(
            self._folder,
            first_trace.begun_unix - begun * 1e-9,
            tracks,
            messages,
            unmatched,
            generations,
            successions_of(generations),
            states,
            [*self._problems, *self._notes()],
            settings_of(self._folder).has_all_calls,
        )

    def _process(self, trace: ProcessTrace) -> Process | None:
        return self._processes.get((trace.world, trace.rank))

    def _first(self, trace: ProcessTrace) -> int:
        """Its first event, by the common clock."""
        begin = trace.begin.min() if len(trace.begin) else trace.begun
        return int(self._clocks.common(trace, np.array([begin]))[0])

    def _last(self, trace: ProcessTrace) -> int:
        return int(self._common(trace, trace.end).max()) if len(trace.end) else 0

    def _common(self, trace: ProcessTrace, times: Numbers) -> Numbers:
        """Since the first event of the run."""
        return self._clocks.common(trace, times) - self._zero

    def _track(self, trace: ProcessTrace) -> Track:
        calls = _is_call(trace)
        events = trace.events[calls]
        process = self._process(trace)
        communicators = process.communicators if process is not None else {}
        error = self._clocks.error(trace, np.concatenate([trace.begin, [trace.begun]]))
        return Track(
            trace.world,
            trace.rank,
            trace.host,
            trace.process,
            trace.is_ended,
            trace.overwritten,
            int(error.max()),
            trace.names,
            trace.name[calls],
            trace.thread[calls],
            self._common(trace, trace.begin[calls]),
            self._common(trace, trace.end[calls]),
            events["bytes"],
            events["peer"].astype(np.int64),
            events["tag"].astype(np.int64),
            events["group"].astype(np.int64),
            events["number"].astype(np.int64),
            {number: communicator.name for number, communicator in communicators.items()},
            tuple(self._pauses(trace)),
        )

    def _pauses(self, trace: ProcessTrace) -> Iterator[tuple[int, int]]:
        """The last one may have no end."""
        times = self._common(trace, trace.begin)
        ends = times[trace.is_name(RESUMED)]
        last = self._last(trace)
        for begin in times[trace.is_name(PAUSED)].tolist():
            later = ends[ends >= begin]
            yield begin, int(later[0]) if len(later) else max(begin, last)

    def _sides(self) -> tuple[list[Side], list[Side]]:
        """What each process sent, and what it received."""
        groups = Groups(
            Identities(self._recording),
            {(trace.world, trace.rank): place for place, trace in enumerate(self._traces)},
        )
        sent: list[Side] = []
        received: list[Side] = []
        for trace in self._traces:
            known, call = groups.of((trace.world, trace.rank), self._process(trace)), _call_of(trace)
            sent.append(self._side(trace, known, _sends(trace), call))
            received.append(self._side(trace, known, _receives(trace), call))
        return sent, received

    def _side(self, trace: ProcessTrace, known: ProcessGroups, at: Numbers, call: Numbers) -> Side:
        """Of a message whose call was overwritten, it is not known where it belongs."""
        events = trace.events[at]
        own = events["group"].astype(np.int64)
        peer = known.members(own, events["peer"].astype(np.int64))
        unrecorded = _unrecorded(trace, at)
        return Side(
            known.numbers(own),
            np.where((call[at] >= 0) | (unrecorded > 0), peer, -1),
            events["tag"].astype(np.int64),
            self._common(trace, trace.begin[at]),
            call[at],
            events["bytes"],
            self._clocks.error(trace, trace.begin[at]),
            *_numbers(trace, at),
            unrecorded,
        )

    def _ends(self) -> Ends:
        return Ends(
            np.array([trace.is_ended for trace in self._traces]),
            np.array([trace.overwritten > 0 for trace in self._traces]),
            np.array([_has_gap(trace) for trace in self._traces]),
        )

    def _generation_marks(self, trace: ProcessTrace) -> list[Mark]:
        at = np.flatnonzero(trace.is_name(GENERATION))
        begin = self._common(trace, trace.begin[at])
        return [
            (int(time), int(number)) for time, number in zip(begin, trace.events["bytes"][at], strict=True)
        ]

    def _notes(self) -> Iterator[str]:
        for trace in self._traces:
            who = f"rank {trace.rank} of world {trace.world[:6]}"
            if trace.overwritten:
                yield f"{who}: its first {trace.overwritten} events were overwritten by later ones"
            if trace.damaged:
                yield f"{trace.path}: {trace.damaged} events are damaged or cut off, and left out"
            if not trace.is_ended:
                yield f"{who}: did not reach MPI_Finalize; its trace ends at its last event"
            if _has_gap(trace):
                yield f"{who}: messages were not counted while it did not record; its messages have no arrows"
            if (trace.thread == SHARED_THREAD).any():
                yield f"{who}: has more than {SHARED_THREAD} threads; further ones share a lane"
            if self._process(trace) is None:
                yield f"{who}: the record does not have it, so that its messages are not known"
        if self._clocks.by_time_of_day:
            hosts = ", ".join(self._clocks.by_time_of_day)
            yield f"clocks of {hosts}: brought together by the time of day only"
        if self._recording.broken_off:
            yield f"{self._recording.path}: {self._recording.broken_off}"


def _is_call(trace: ProcessTrace) -> Flags:
    return ~trace.is_name(*_MARKS, *filter(is_state, trace.names))


def _has_gap(trace: ProcessTrace) -> bool:
    return bool(trace.is_name(*GAPS).any())


def _sends(trace: ProcessTrace) -> Numbers:
    """Places of events, in the order in which they were sent."""
    # The ring has them so: of each thread in its order, and threads that send in turn wait for each other.
    return np.flatnonzero(trace.is_name(*SENDS, SENT, UNRECORDED_SENDS) & (trace.events["peer"] != NO_PEER))


def _receives(trace: ProcessTrace) -> Numbers:
    """Places of events, in the order in which the receives were posted.

    A ring loses what it has longest, and a receive may have been posted long before its message came: where a
    number is missing, those before it are not counted.
    """
    at = np.flatnonzero(trace.is_name(RECEIVED, UNRECORDED_RECEIVES))
    number, last = _numbers(trace, at)
    order = np.argsort(number, kind="stable")
    at, number, last = at[order], number[order], last[order]
    holes = np.flatnonzero(np.diff(number) != 1)
    if trace.overwritten and len(holes):
        first = holes[-1] + 1
        # Of messages that were not recorded, the last one may lie behind the hole.
        at = at[first:][number[first:] > last[:first].max()]
    return at


def _numbers(trace: ProcessTrace, at: Numbers) -> tuple[Numbers, Numbers]:
    """Of receives: the first, and the last where the event stands for several that were not recorded."""
    number = trace.events["number"][at].astype(np.int64)
    span = (trace.events["bytes"][at] & np.uint64(2**32 - 1)).astype(np.int64)
    return number, number + np.where(trace.is_name(UNRECORDED_RECEIVES)[at], span, 0)


def _unrecorded(trace: ProcessTrace, at: Numbers) -> Numbers:
    """How many messages each stands for that were not recorded; 0: it is a message."""
    many = np.maximum(trace.events["bytes"][at] >> np.uint64(32), 1).astype(np.int64)
    return np.where(trace.is_name(UNRECORDED_SENDS, UNRECORDED_RECEIVES)[at], many, 0)


def _call_of(trace: ProcessTrace) -> Numbers:
    """For each event the place of its call among the calls: its own, or the last of its thread; -1: none."""
    is_call = _is_call(trace)
    number = np.cumsum(is_call) - 1
    call = np.where(is_call, number, -1)
    for thread in np.unique(trace.thread):
        own = np.flatnonzero(trace.thread == thread)
        call[own] = np.maximum.accumulate(call[own])
    return call.astype(np.int64)
