# SPDX-License-Identifier: BSD-3-Clause
"""Events of OTF2, written by the functions of its library as the Python package has it.

The package makes an object of each event, and tells ctypes of the types of arguments at each call: three
times as long, 12 s for a million events.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

_ADDRESS, _TIME, _REFERENCE, _BYTES = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint64

#: When, its order at that moment, a function of `EventFunctions`, and what that takes beside the time.
Event = tuple[int, int, Callable[..., int], tuple[int, ...]]


class EventFunctions:
    """What writes events; definitions are given by their `_ref`."""

    def __init__(self) -> None:
        """ImportError where the package is missing."""
        import _otf2

        self.enter = _function(_otf2, "Enter", _REFERENCE)  # a region
        self.leave = _function(_otf2, "Leave", _REFERENCE)
        message = (_REFERENCE, _REFERENCE, _REFERENCE, _BYTES)  # rank, communicator, tag, length
        self.send = _function(_otf2, "MpiSend", *message)
        self.receive = _function(_otf2, "MpiRecv", *message)
        self._error = _otf2.ErrorCodes.Error
        self._code = _otf2.ErrorCodes.ErrorCode

    def write(self, archive: Any, location: Any, events: Sequence[Event]) -> None:
        """All of one location, which are in the order of their times."""
        handle = archive.event_writer_from_location(location).handle
        for time, _, function, arguments in events:
            code = function(handle, None, time, *arguments)
            if code != 0:
                raise self._error(self._code(code))
        # As the package's own writer keeps it, for its definitions.
        location._number_of_events_written += len(events)
        for event in (*events[:1], *events[-1:]):
            archive._update_timestamps(event[0])


def _function(package: Any, event: str, *types: Any) -> Callable[..., int]:
    function = package.Config.conf.lib[f"OTF2_EvtWriter_{event}"]
    function.argtypes = (_ADDRESS, _ADDRESS, _TIME, *types)
    function.restype = ctypes.c_int
    return function  # type: ignore[no-any-return]
