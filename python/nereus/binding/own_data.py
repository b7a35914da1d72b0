# SPDX-License-Identifier: BSD-3-Clause
"""Data of the application's own: its functions save and load it, and move it in resizes.

Functions refuse by an exception, whose traceback goes to stderr: an epoch is not saved then, a job that
continues does not open, a resize is undone.
"""

import ctypes
import os
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from mpi4py import MPI

from nereus.binding.codes import Code, Failure, RedistributionStep
from nereus.binding.handles import communicator
from nereus.binding.library import COMM, library

Piece = bytes | bytearray | memoryview
#: The pieces of this process, in their order.
Save = Callable[[], Iterable[Piece]]
#: Takes the pieces of this process: collective over the communicator.
Load = Callable[[MPI.Intracomm, list[bytes]], None]


@dataclass(frozen=True)
class Sides:
    """Who takes part in a resize: `nereus_sides`. `comm` is valid during the call."""

    comm: MPI.Intracomm
    sources: int
    drains: int
    #: Numbers of this process; None: a newcomer has none before, one that leaves none after.
    source: int | None
    drain: int | None
    #: Of each drain, its rank in `comm`.
    drain_ranks: Sequence[int]


Redistribution = Callable[[RedistributionStep, Sides], None]


class CPieces(ctypes.Structure):
    """`nereus_pieces`"""

    _fields_ = (
        ("count", ctypes.c_int64),
        ("starts", ctypes.POINTER(ctypes.c_int64)),
        ("bytes", ctypes.c_void_p),
    )


class CSides(ctypes.Structure):
    """`nereus_sides`"""

    _fields_ = (
        ("comm", COMM),
        ("sources", ctypes.c_int),
        ("drains", ctypes.c_int),
        ("source", ctypes.c_int),
        ("drain", ctypes.c_int),
        ("drain_ranks", ctypes.POINTER(ctypes.c_int)),
    )


#: Characters of a name, as in save.h and redistribution.h.
MAX_SAVE_NAME, MAX_RESIZE_NAME = 56, 63

_SAVE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CPieces), ctypes.c_void_p)
_LOAD = ctypes.CFUNCTYPE(ctypes.c_int, COMM, ctypes.POINTER(CPieces), ctypes.c_void_p)
_MOVE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(CSides), ctypes.c_void_p)

#: What C calls, by function and name: it must not go before the process ends.
_called_by_c: dict[tuple[str, str], Sequence[Any]] = {}


def on_save(name: str, save: Save, load: Load) -> None:
    """Have data that is no array saved in epochs and loaded: before a job is opened, on every process."""
    latest: Sequence[Any] = ()  # stays where it is until the epoch is saved

    def hand_out(pieces: CPieces) -> None:
        nonlocal latest
        latest = _filled(pieces, save())

    def c_save(pieces: Any, _: int | None) -> int:
        return _tried(lambda: hand_out(pieces.contents))

    def c_load(comm: int | None, pieces: Any, _: int | None) -> int:
        return _tried(lambda: load(communicator(comm), _taken(pieces.contents)))

    _register("on_save", name, MAX_SAVE_NAME, (_SAVE(c_save), _LOAD(c_load)))


def on_resize(name: str, function: Redistribution) -> None:
    """Have `function` called in each resize: before a job is opened, on every process."""

    def c_move(step: int, sides: Any, _: int | None) -> int:
        found = RedistributionStep(step)
        refused = _tried(lambda: function(found, _sides_of(sides.contents)))
        if refused and found is not RedistributionStep.MOVE:
            os.abort()  # its data is neither the former nor the new
        return refused

    _register("on_resize", name, MAX_RESIZE_NAME, (_MOVE(c_move),))


def _register(function: str, name: str, most: int, called: Sequence[Any]) -> None:
    """`most`: characters of a name."""
    code = getattr(library(), f"nereus_{function}")(name.encode(), *called, None)
    if code < 0:
        allowed = f"allowed are names of 1 to {most} characters"
        why = allowed if code == Code.ERR_ARGUMENT else "there is no memory for it"
        raise Failure(Code(code), f'"{name}": {why}')
    _called_by_c[function, name] = called


def _tried(call: Callable[[], Any]) -> int:
    """0; 1 where it threw: nothing that is thrown may reach C."""
    try:
        call()
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def _filled(target: CPieces, pieces: Iterable[Piece]) -> Sequence[Any]:
    """What `target` refers to then."""
    parts = [bytes(piece) for piece in pieces]
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    whole = b"".join(parts)
    target.count = len(parts)
    target.starts = starts.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))
    target.bytes = ctypes.cast(ctypes.c_char_p(whole), ctypes.c_void_p)
    return starts, whole


def _taken(pieces: CPieces) -> list[bytes]:
    starts = [pieces.starts[number] for number in range(pieces.count + 1)] if pieces.count > 0 else []
    return [
        ctypes.string_at(pieces.bytes + first, end - first) if end > first else b""
        for first, end in pairwise(starts)
    ]


def _sides_of(sides: CSides) -> Sides:
    return Sides(
        communicator(sides.comm),
        sides.sources,
        sides.drains,
        sides.source if sides.source >= 0 else None,
        sides.drain if sides.drain >= 0 else None,
        sides.drain_ranks[: sides.drains],
    )
