# SPDX-License-Identifier: BSD-3-Clause
"""A trace of a run as exporters take it: all times in ns since its first event, by one clock."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nereus.analysis.trace.file import Numbers

Messages = npt.NDArray[np.void]

MESSAGE = np.dtype(
    [
        ("source", "<i8"),  # place among the tracks
        ("destination", "<i8"),
        ("sent", "<i8"),  # begin of the call that sent it, ns
        ("received", "<i8"),  # end of the call that saw that it was there, ns
        ("send_call", "<i8"),  # place among the calls of the source's track
        ("receive_call", "<i8"),
        ("bytes", "<u8"),
        ("tag", "<i8"),
    ]
)


@dataclass(frozen=True)
class Track:
    """One process: its calls in the order in which they ended."""

    world: str
    rank: int
    host: str
    process: int
    is_ended: bool
    overwritten: int
    clock_error: int  # ns
    names: tuple[str, ...]
    name: Numbers  # place in `names`
    thread: Numbers
    begin: Numbers
    end: Numbers
    bytes: npt.NDArray[np.uint64]
    peer: Numbers  # rank in the communicator, or NO_PEER
    tag: Numbers
    group: Numbers
    tests_in_vain: Numbers
    groups: dict[int, str]  # names of communicators
    pauses: tuple[tuple[int, int], ...] = ()  # begin and end, when it did not record

    @property
    def label(self) -> str:
        """For people."""
        return f"rank {self.rank} of world {self.world[:6]}"

    @cached_property
    def threads(self) -> list[int]:
        """Their numbers; a process without a call has its first one."""
        return np.unique(self.thread).tolist() or [0]

    @property
    def used_names(self) -> list[str]:
        """Those that a call has."""
        return [self.names[number] for number in np.unique(self.name).tolist()]

    @property
    def last(self) -> int:
        """When it was last seen, ns."""
        return int(self.end.max()) if len(self.end) else 0


@dataclass(frozen=True)
class GenerationSpan:
    """A process in one generation of a malleable job."""

    job: str  # the first of those that continue one another
    start: str  # of the job; one that was restarted has generations of the same number in several
    generation: int
    ranks: int
    track: int
    rank: int
    begin: int
    end: int

    @property
    def label(self) -> str:
        """For people."""
        return f"generation {self.generation}: rank {self.rank} of {self.ranks}"


@dataclass(frozen=True)
class Succession:
    """A rank that goes on in the next generation, in the same process or another one."""

    rank: int
    before: GenerationSpan
    after: GenerationSpan


@dataclass(frozen=True)
class StateSpan:
    """A process in a state of one of its activities: `resize: sending`, `phase: solve`, `iteration: 12`."""

    activity: str
    state: str
    track: int
    begin: int
    end: int


@dataclass(frozen=True)
class Decision:
    """An event of the daemon."""

    time: int
    job: str  # key; "": of none
    event: str
    facts: dict[str, str]

    @property
    def label(self) -> str:
        """For people: `decided 2 to 4 ranks`."""
        sizes = [self.facts[name] for name in ("before", "ranks") if name in self.facts]
        return f"{self.event} {' to '.join(sizes)} ranks" if len(sizes) == 2 else self.event


@dataclass(frozen=True)
class Timeline:
    """All of one run."""

    folder: Path
    started_unix: float
    tracks: list[Track]
    messages: Messages  # of MESSAGE: those whose both sides are known
    unmatched: int  # messages of which one side is not known, or not surely
    generations: list[GenerationSpan]
    successions: list[Succession]
    states: list[StateSpan]  # by track and activity, in the order of their begin
    notes: list[str]  # what is missing, in sentences
    has_all_calls: bool = True  # of the times at which it recorded
    decisions: list[Decision] = field(default_factory=list)  # of the daemon, where they were read

    @property
    def calls(self) -> int:
        """How many there are."""
        return sum(len(track.begin) for track in self.tracks)

    @property
    def last(self) -> int:
        """When anything was last seen, ns."""
        spans = [span.end for span in self.generations] + [span.end for span in self.states]
        return max([0, *(track.last for track in self.tracks), *spans])

    @cached_property
    def activities(self) -> list[str]:
        """Of all processes, in the order of their first begin."""
        first = sorted(self.states, key=lambda span: span.begin)
        return list(dict.fromkeys(span.activity for span in first))

    def activities_of(self, place: int) -> list[str]:
        """Of one track."""
        return [activity for activity in self.activities if (place, activity) in self._states_by_lane]

    def states_of(self, place: int, activity: str) -> list[StateSpan]:
        """Of one track, in the order of their begin."""
        return self._states_by_lane.get((place, activity), [])

    @cached_property
    def _states_by_lane(self) -> dict[tuple[int, str], list[StateSpan]]:
        found: dict[tuple[int, str], list[StateSpan]] = defaultdict(list)
        for span in self.states:
            found[span.track, span.activity].append(span)
        return dict(found)
