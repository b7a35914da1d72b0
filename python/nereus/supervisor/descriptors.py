# SPDX-License-Identifier: BSD-3-Clause
"""Keeps descriptors of this process free, whoever connects to its ZeroMQ sockets.

libzmq ends the process where somebody connects to a local socket and no descriptor is free. A library of ours
(`preload/descriptors`) stands between it and the system and closes such connections at once: the newest are
refused, who is connected stays.
"""

import ctypes
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import zmq
import zmq.backend

from nereus.launch.builds import build_folders

#: What the name of a local socket ends in that is still open when others are full.
CONTROL_SOCKET_ENDING = ".control"
# In any build: it needs no MPI.
_LIBRARY = "lib/libnereus-descriptors.so"
_UNLIMITED = 1 << 20


class Guard:
    """The library, which may be loaded only once."""

    def __init__(self, library: ctypes.CDLL) -> None:
        """AttributeError where it is another one."""
        self._limit = library.nereus_limit_network
        self._limit.argtypes, self._limit.restype = [ctypes.c_long], None
        self._refused = library.nereus_refused_for_descriptors, library.nereus_refused_unauthenticated
        for refused in self._refused:
            refused.argtypes, refused.restype = [], ctypes.c_ulong
        self._begin = library.nereus_guard_descriptors
        self._begin.argtypes, self._begin.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_bool

    def begin(self, function: int) -> bool:
        """Whether the library to which this function belongs has guarded sockets from now on."""
        return bool(self._begin(function, CONTROL_SOCKET_ENDING.encode()))

    def limit_network(self, connections: int | None) -> None:
        """Let in so many more from the network, until this is said again; None: any number."""
        self._limit(-1 if connections is None else max(0, connections))

    def refused(self) -> tuple[int, int]:
        """Connections until now: for too few descriptors, and for too many that are unauthenticated."""
        for_descriptors, unauthenticated = (int(count()) for count in self._refused)
        return for_descriptors, unauthenticated


_begun: list[Guard] = []


def guard() -> Guard | None:
    """Begin to guard the sockets of this process; None where that cannot be: no build is installed yet."""
    if not _begun:
        _begun.extend(_found_guard())
    return _begun[0] if _begun else None


def allowed_descriptors() -> int:
    """How many this process may have."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if most != resource.RLIM_INFINITY else _UNLIMITED


def _found_guard() -> list[Guard]:
    """The first that works, if there is one."""
    function = _function_of_libzmq()
    if function is None:
        return []
    for path in (path for folder in build_folders() for path in sorted(folder.glob(f"*/{_LIBRARY}"))):
        made = _loaded(path)
        if made is not None and made.begin(function):
            return [made]
    return []


def _loaded(path: Path) -> Guard | None:
    try:
        return Guard(ctypes.CDLL(str(path)))
    except (OSError, AttributeError):
        return None


def _function_of_libzmq() -> int | None:
    """The address of one, in that libzmq which pyzmq uses."""
    for path in _files_of_pyzmq():
        try:
            return ctypes.cast(ctypes.CDLL(path).zmq_bind, ctypes.c_void_p).value
        except (OSError, AttributeError):
            continue
    return None


def _files_of_pyzmq() -> Iterator[str]:
    module = sys.modules.get(zmq.backend.Socket.__module__)
    if module is not None and module.__file__ is not None:
        yield module.__file__
