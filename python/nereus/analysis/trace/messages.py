# SPDX-License-Identifier: BSD-3-Clause
"""Which receive got which message.

Messages of one process to another with one tag on one communicator are received in the order in which they
were sent (MPI 4.0, section 3.5), so the n-th is the n-th. Where one side lost its oldest events they are
counted from the last one, and where neither can be, or what comes out cannot have been, nothing is guessed.
What went by while recording paused was counted, and has places too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from nereus.analysis.trace.file import Numbers
from nereus.analysis.trace.model import MESSAGE, Messages

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Side:
    """What one process sent, or received, in its order."""

    group: Numbers  # number of the communicator in the run; -1: not known
    peer: Numbers  # place of the other process among all; -1: not known
    tag: Numbers
    time: Numbers  # ns
    call: Numbers  # place among the calls of the process
    bytes: npt.NDArray[np.uint64]
    error: Numbers  # by how much the time may be wrong, ns
    number: Numbers  # of the receive; in the order of these, where it is a side that receives
    last: Numbers  # of several that were not recorded: the number of the last receive; else `number`
    unrecorded: Numbers  # how many messages it stands for that were not recorded; 0: it is a message


@dataclass(frozen=True)
class Ends:
    """What is known of the ends of processes, by their place."""

    is_ended: Flags
    has_lost: Flags  # its oldest events
    has_gap: Flags  # recording was switched off meanwhile


def matched(sent: Sequence[Side], received: Sequence[Side], ends: Ends) -> tuple[Messages, int]:
    """Messages, by the time of their sending; number of sends and receives without the other side."""
    sides = _all(sent), _all(received)
    count = sum(int(np.count_nonzero(rows["unrecorded"] == 0)) for rows in sides)
    sends, receives = (rows[(rows["group"] >= 0) & (rows["peer"] >= 0)] for rows in sides)
    key = _keys(sends, receives)
    keys = int(key.max()) + 1 if len(key) else 0
    sending = _Series(sends, key[: len(sends)], keys)
    receiving = _Series(receives, key[len(sends) :], keys)
    left, right = _pairs(sending, receiving, ends)
    possible = _can_be(sends[left], receives[right])
    wrong = np.zeros(keys, dtype=bool)
    wrong[sending.key[left[~possible]]] = True
    kept = ~wrong[sending.key[left]]
    found = _messages(sends[left[kept]], receives[right[kept]])
    return found[np.argsort(found["sent"], kind="stable")], count - 2 * len(found)


class _Series:
    """The messages of one side, in its order: of each key a series, in which each message has a place."""

    def __init__(self, rows: npt.NDArray[np.void], key: Numbers, keys: int) -> None:
        self.rows, self.key = rows, key
        self._length = np.maximum(rows["unrecorded"], 1)
        self.total = np.zeros(keys, dtype=np.int64)
        np.add.at(self.total, key, self._length)
        self._order = np.argsort(key, kind="stable")

    @property
    def is_message(self) -> Flags:
        """Else it stands for messages that were not recorded."""
        return np.asarray(self.rows["unrecorded"] == 0)

    def places(self, from_end: Flags) -> Numbers:
        """Of each row among those of its key, from the first or from the last one."""
        order, length = self._order, self._length[self._order]
        first = np.cumsum(self.total) - self.total
        place = np.empty(len(self.key), dtype=np.int64)
        place[order] = np.cumsum(length) - length - first[self.key[order]]
        return np.where(from_end[self.key], self.total[self.key] - self._length - place, place)

    def mixed(self) -> Flags:
        """Keys in which unrecorded messages have others among them: who comes first is not sure."""
        rows, key = self.rows[self._order], self.key[self._order]
        found = np.zeros(len(self.total), dtype=bool)
        found[key[1:][(key[1:] == key[:-1]) & (rows["last"][:-1] >= rows["number"][1:])]] = True
        return found


def _pairs(sending: _Series, receiving: _Series, ends: Ends) -> tuple[Numbers, Numbers]:
    """Rows of both that have one place in one series, of series of which that is sure."""
    source, destination = _processes(sending, receiving)
    from_end = ends.has_lost[source] | ends.has_lost[destination]
    counted = np.where(
        from_end,
        ends.is_ended[source] & ends.is_ended[destination],
        (sending.total == receiving.total)
        | ((sending.total > receiving.total) & ~ends.is_ended[destination])
        | ((sending.total < receiving.total) & ~ends.is_ended[source]),
    )
    sure = counted & ~(ends.has_gap[source] | ends.has_gap[destination] | receiving.mixed())
    width = 1 + max(int(side.total.max(initial=0)) for side in (sending, receiving))
    if width * max(1, len(sure)) >= 2**62:  # more than a program sends in its life
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    sends, receives = np.flatnonzero(sending.is_message), np.flatnonzero(receiving.is_message)
    _, left, right = np.intersect1d(
        (sending.key * width + sending.places(from_end))[sends],
        (receiving.key * width + receiving.places(from_end))[receives],
        assume_unique=True,
        return_indices=True,
    )
    left, right = sends[left], receives[right]
    pairs = sure[sending.key[left]]
    return left[pairs], right[pairs]


def _processes(sending: _Series, receiving: _Series) -> tuple[Numbers, Numbers]:
    """Who sends and who receives, of each key."""
    source, destination = (np.full(len(sending.total), -1) for _ in range(2))
    source[sending.key], destination[sending.key] = sending.rows["own"], sending.rows["peer"]
    source[receiving.key], destination[receiving.key] = receiving.rows["peer"], receiving.rows["own"]
    return source, destination


def _can_be(sends: npt.NDArray[np.void], receives: npt.NDArray[np.void]) -> Flags:
    """Nothing arrives with another size, nor before it was sent."""
    slack = sends["error"] + receives["error"]
    found = (sends["bytes"] == receives["bytes"]) & (receives["time"] + slack >= sends["time"])
    return np.asarray(found)


_ROW = np.dtype(
    [
        ("own", "<i8"),
        *((name, "<i8") for name in ("group", "peer", "tag", "time", "call", "error")),
        ("bytes", "<u8"),
        *((name, "<i8") for name in ("number", "last", "unrecorded")),
    ]
)


def _all(sides: Sequence[Side]) -> npt.NDArray[np.void]:
    rows = np.zeros(sum(len(side.time) for side in sides), dtype=_ROW)
    at = 0
    for own, side in enumerate(sides):
        part = rows[at : at + len(side.time)]
        part["own"] = own
        for name in (field.name for field in fields(side)):
            part[name] = getattr(side, name)
        at += len(side.time)
    return rows


def _keys(sends: npt.NDArray[np.void], receives: npt.NDArray[np.void]) -> Numbers:
    """A number for each communicator, source, destination and tag: of all sends, then of all receives."""
    columns = [
        np.concatenate([sends[of_sends], receives[of_receives]])
        for of_sends, of_receives in (("group", "group"), ("own", "peer"), ("peer", "own"), ("tag", "tag"))
    ]
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, place = np.unique(column, return_inverse=True)
        _, number = np.unique(number * (int(place.max(initial=0)) + 1) + place, return_inverse=True)
    return number.astype(np.int64)


def _messages(sends: npt.NDArray[np.void], receives: npt.NDArray[np.void]) -> Messages:
    found = np.zeros(len(sends), dtype=MESSAGE)
    found["source"], found["destination"] = sends["own"], sends["peer"]
    found["sent"], found["received"] = sends["time"], receives["time"]
    found["send_call"], found["receive_call"] = sends["call"], receives["call"]
    found["bytes"], found["tag"] = sends["bytes"], sends["tag"]
    return found
