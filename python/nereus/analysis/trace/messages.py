# SPDX-License-Identifier: BSD-3-Clause
"""Which receive got which message.

Messages of one process to another with one tag on one communicator are received in the order in which they
were sent (MPI 4.0, section 3.5), so the n-th is the n-th. Where one side lost its oldest events they are
counted from the last one, and where neither can be, or what comes out cannot have been, nothing is guessed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Ends:
    """What is known of the ends of processes, by their place."""

    is_ended: Flags
    has_lost: Flags  # its oldest events
    has_gap: Flags  # recording was switched off meanwhile


def matched(sent: Sequence[Side], received: Sequence[Side], ends: Ends) -> tuple[Messages, int]:
    """Messages, by the time of their sending; number of sends and receives without the other side."""
    sends, receives = _all(sent), _all(received)
    count = len(sends) + len(receives)
    known = [rows[(rows["group"] >= 0) & (rows["peer"] >= 0)] for rows in (sends, receives)]
    sends, receives = known
    key = _keys(sends, receives)
    send_key, receive_key = key[: len(sends)], key[len(sends) :]
    keys = int(key.max()) + 1 if len(key) else 0
    sends_of, receives_of = (np.bincount(each, minlength=keys) for each in (send_key, receive_key))
    source, destination = np.full(keys, -1), np.full(keys, -1)
    source[send_key], destination[send_key] = sends["own"], sends["peer"]
    source[receive_key], destination[receive_key] = receives["peer"], receives["own"]
    from_end = ends.has_lost[source] | ends.has_lost[destination]
    has_gap = ends.has_gap[source] | ends.has_gap[destination]
    sure = ~has_gap & np.where(
        from_end,
        ends.is_ended[source] & ends.is_ended[destination],
        (sends_of == receives_of)
        | ((sends_of > receives_of) & ~ends.is_ended[destination])
        | ((sends_of < receives_of) & ~ends.is_ended[source]),
    )
    send_place = _places(send_key, sends_of, from_end)
    receive_place = _places(receive_key, receives_of, from_end)
    width = 1 + max(int(sends_of.max(initial=0)), int(receives_of.max(initial=0)))
    _, left, right = np.intersect1d(
        send_key * width + send_place,
        receive_key * width + receive_place,
        assume_unique=True,
        return_indices=True,
    )
    pairs = sure[send_key[left]]
    left, right = left[pairs], right[pairs]
    slack = sends["error"][left] + receives["error"][right]
    possible = (sends["bytes"][left] == receives["bytes"][right]) & (
        receives["time"][right] + slack >= sends["time"][left]
    )
    wrong = np.zeros(keys, dtype=bool)
    wrong[send_key[left[~possible]]] = True
    kept = ~wrong[send_key[left]]
    found = _messages(sends[left[kept]], receives[right[kept]])
    return found[np.argsort(found["sent"], kind="stable")], count - 2 * len(found)


_ROW = np.dtype(
    [
        ("own", "<i8"),
        *((name, "<i8") for name in ("group", "peer", "tag", "time", "call", "error")),
        ("bytes", "<u8"),
    ]
)


def _all(sides: Sequence[Side]) -> npt.NDArray[np.void]:
    rows = np.zeros(sum(len(side.time) for side in sides), dtype=_ROW)
    at = 0
    for own, side in enumerate(sides):
        part = rows[at : at + len(side.time)]
        part["own"] = own
        for name in ("group", "peer", "tag", "time", "call", "bytes", "error"):
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


def _places(key: Numbers, count: Numbers, from_end: Flags) -> Numbers:
    """The place of each among those of its key, from the first or from the last."""
    order = np.argsort(key, kind="stable")
    first = np.cumsum(count) - count
    place = np.empty(len(key), dtype=np.int64)
    place[order] = np.arange(len(key)) - first[key[order]]
    return np.where(from_end[key], count[key] - 1 - place, place)


def _messages(sends: npt.NDArray[np.void], receives: npt.NDArray[np.void]) -> Messages:
    found = np.zeros(len(sends), dtype=MESSAGE)
    found["source"], found["destination"] = sends["own"], sends["peer"]
    found["sent"], found["received"] = sends["time"], receives["time"]
    found["send_call"], found["receive_call"] = sends["call"], receives["call"]
    found["bytes"], found["tag"] = sends["bytes"], sends["tag"]
    return found
