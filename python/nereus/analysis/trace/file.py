# SPDX-License-Identifier: BSD-3-Clause
"""The trace of one process: docs/formats/trace.md."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nereus.analysis.trace.error import TraceError
from nereus.reading import MOST_RECORDED, NotReadError, content_of

MAGIC = b"nereust1"
HEAD = np.dtype(
    [
        ("magic", "S8"),
        ("recorded", "<u8"),
        ("room", "<u8"),
        ("begun", "<i8"),
        ("begun_unix", "<f8"),
        ("rank", "<i4"),
        ("ranks", "<i4"),
        ("process", "<i4"),
        ("is_ended", "<i4"),
        ("clock_offset", "<i8"),
        ("clock_error", "<i8"),
        ("world", "S40"),
        ("host", "S64"),
        ("boot", "S40"),
        ("most", "<u8"),
        ("clock_offset_at_end", "<i8"),
        ("clock_error_at_end", "<i8"),
        ("compared_at_end", "<i8"),
    ]
)
NAMES_AT, NAME_BYTES, MOST_NAMES = 512, 32, 1024
EVENTS_AT = NAMES_AT + NAME_BYTES * MOST_NAMES
EVENT = np.dtype(
    [
        ("what", "<u8"),
        ("begin", "<i8"),
        ("bytes", "<u8"),
        ("group", "<u4"),
        ("peer", "<i4"),
        ("tag", "<i4"),
        ("number", "<u4"),
    ]
)
#: Names of events that are no calls of MPI; those of states have a colon (states.py).
SENT, RECEIVED, GENERATION, PAUSED, RESUMED = "sent", "received", "generation", "paused", "resumed"
#: Messages while it paused: how many, and numbers of their receives.
UNRECORDED_SENDS, UNRECORDED_RECEIVES = "unrecorded sends", "unrecorded receives"
#: What went by then is not known: by a former version of the monitor, or for want of memory.
GAPS = ("off", "uncounted")
NO_PEER = -(2**31)
SHARED_THREAD = 63  # by all beyond that number
MOST_RANKS = 2**22
_LONGEST = 2**58  # ns; 9 years
_LATEST = 2**32  # s since 1970; the year 2106

Events = npt.NDArray[np.void]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ClockSample:
    """What a clock was compared with, at one moment."""

    time: int  # of the own clock, ns
    offset: int  # of the other one less the own one, ns
    error: int  # ns


@dataclass(frozen=True)
class ProcessTrace:
    """What one process recorded, oldest first. Times are ns by the monotonic clock of its host."""

    path: Path
    world: str
    rank: int
    ranks: int
    host: str
    boot: str
    process: int
    is_ended: bool  # else it was killed, or still runs
    begun: int
    begun_unix: float
    clock: tuple[ClockSample, ...]  # compared with that of rank 0 of its world
    overwritten: int
    damaged: int  # events that make no sense
    names: tuple[str, ...]  # the first belongs to number 0
    name: Numbers
    thread: Numbers
    begin: Numbers
    end: Numbers
    events: Events  # the rest: bytes, group, peer, tag, number

    def is_name(self, *names: str) -> npt.NDArray[np.bool_]:
        """Which events have one of the names."""
        numbers = [number for number, name in enumerate(self.names) if name in names]
        return np.isin(self.name, numbers)


def read_process(path: Path) -> ProcessTrace:
    """TraceError where it is none. What was cut off is left out."""
    try:
        content = content_of(path, MOST_RECORDED)
    except (OSError, NotReadError) as problem:
        raise TraceError(f"{path}: cannot be read: {getattr(problem, 'strerror', None) or problem}") from None
    if not content.startswith(MAGIC[:-1]):
        raise TraceError(f"{path}: is no trace of a process")
    if not content.startswith(MAGIC):
        raise TraceError(f"{path}: has version {content[7:8].decode('ascii', 'replace')!r}; 1 is known")
    if len(content) < EVENTS_AT:
        raise TraceError(f"{path}: is cut off at {len(content)} bytes, within its head")
    head = np.frombuffer(content, dtype=HEAD, count=1)[0]
    _check(path, head)
    names = _names(content)
    events = _in_order(np.frombuffer(content, dtype=EVENT, offset=EVENTS_AT, count=_there(content)), head)
    name = (events["what"] >> np.uint64(54)).astype(np.int64)
    took = (events["what"] & np.uint64(2**48 - 1)).astype(np.int64)
    written = name > 0
    sound = written & (name <= len(names)) & (events["begin"] >= 0) & (events["begin"] < _LONGEST)
    events, name, took = events[sound], name[sound] - 1, took[sound]
    begin = events["begin"] + int(head["begun"])
    recorded = int(head["recorded"])
    return ProcessTrace(
        path=path,
        world=_text(head["world"]),
        rank=int(head["rank"]),
        ranks=int(head["ranks"]),
        host=_text(head["host"]),
        boot=_text(head["boot"]),
        process=int(head["process"]),
        is_ended=bool(head["is_ended"]),
        begun=int(head["begun"]),
        begun_unix=float(head["begun_unix"]),
        clock=_clock(head),
        overwritten=max(0, recorded - int(head["room"])) if _is_full(head) else 0,
        damaged=int(np.count_nonzero(written & ~sound)) + _cut_off(content, head),
        names=names,
        name=name,
        thread=((events["what"] >> np.uint64(48)) & np.uint64(63)).astype(np.int64),
        begin=begin,
        end=begin + took,
        events=events,
    )


def recorded_events(path: Path) -> int:
    """How many its process has recorded until now; 0 where that cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        begin = file.read(HEAD.itemsize)
        if len(begin) == HEAD.itemsize and begin.startswith(MAGIC):
            return int(np.frombuffer(begin, dtype=HEAD, count=1)[0]["recorded"])
    return 0


def shorten(path: Path) -> None:
    """Cut off room that a process had and did not use. Nothing where the file is none, or cannot be cut."""
    with suppress(OSError), path.open("r+b") as file:
        begin = file.read(HEAD.itemsize)
        if len(begin) < HEAD.itemsize or not begin.startswith(MAGIC):
            return
        head = np.frombuffer(begin, dtype=HEAD, count=1)[0]
        used = EVENTS_AT + EVENT.itemsize * min(int(head["recorded"]), int(head["room"]))
        if used < path.stat().st_size:
            file.truncate(used)


def _is_full(head: Any) -> bool:
    """Else the file still grew when the process was killed: nothing is overwritten before it is full."""
    return bool(head["room"] == head["most"])


def _clock(head: Any) -> tuple[ClockSample, ...]:
    begun = int(head["begun"])
    found = [ClockSample(begun, int(head["clock_offset"]), int(head["clock_error"]))]
    if head["compared_at_end"]:
        at_end = begun + int(head["compared_at_end"])
        found.append(ClockSample(at_end, int(head["clock_offset_at_end"]), int(head["clock_error_at_end"])))
    return tuple(found)


def _check(path: Path, head: Any) -> None:
    """What is used as a length or a place must be one."""
    allowed: dict[str, tuple[int, int]] = {
        "most": (1, 2**24),
        "room": (1, int(head["most"])),
        "recorded": (0, 2**62),
        "ranks": (1, MOST_RANKS),
        "rank": (0, int(head["ranks"]) - 1),
        "begun": (0, _LONGEST),
        "clock_offset": (-_LONGEST, _LONGEST),
        "clock_error": (0, _LONGEST),
        "clock_offset_at_end": (-_LONGEST, _LONGEST),
        "clock_error_at_end": (0, _LONGEST),
        "compared_at_end": (0, _LONGEST),
    }
    for key, (least, most) in allowed.items():
        if not least <= int(head[key]) <= most:
            raise TraceError(f"{path}: {key} = {head[key]}: allowed is {least} .. {most}")
    if not 0 <= float(head["begun_unix"]) < _LATEST:
        raise TraceError(f"{path}: begun_unix = {head['begun_unix']}: allowed is 0 .. {_LATEST} s")


def _names(content: bytes) -> tuple[str, ...]:
    table = np.frombuffer(content, dtype=f"S{NAME_BYTES}", offset=NAMES_AT, count=MOST_NAMES)
    texts = [_text(name) for name in table]
    return tuple(texts[: texts.index("")] if "" in texts else texts)


def _there(content: bytes) -> int:
    """Events for which the file is long enough."""
    return (len(content) - EVENTS_AT) // EVENT.itemsize


def _cut_off(content: bytes, head: Any) -> int:
    return max(0, min(int(head["recorded"]), int(head["room"])) - _there(content))


def _in_order(ring: Events, head: Any) -> Events:
    """From the oldest on."""
    recorded, room = int(head["recorded"]), int(head["room"])
    ring = ring[:room]
    if recorded <= room or not _is_full(head):
        return ring[:recorded]
    oldest = min(recorded % room, len(ring))
    return np.concatenate([ring[oldest:], ring[:oldest]])


def _text(value: Any) -> str:
    return bytes(value).decode("utf-8", "backslashreplace")
