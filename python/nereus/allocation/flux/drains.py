# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts an administrator drains, so that jobs leave them (flux-resource(1), "drain")."""

import time
from collections.abc import Callable, Sequence

from nereus.allocation.contract import AllocationError, Event, EventKind
from nereus.allocation.flux.client import Call
from nereus.allocation.flux.ranges import names_in

# The command takes half a second of a processor that computes.
_LOOK_EVERY = 60.0


class DrainWatch:
    """Looks now and then; tells of each host once."""

    def __init__(self, uri: str, now: Callable[[], float] = time.monotonic) -> None:
        """`uri`: of the instance that is asked."""
        self._uri, self._now, self._next = uri, now, now() + _LOOK_EVERY
        self._call: Call | None = None
        self._told: set[str] = set()

    def look(self, hosts: Sequence[str]) -> list[Event]:
        """What is new about these hosts; never waits."""
        if self._call is None:
            if self._now() >= self._next:
                words = ["resource", "drain", "--no-header", "--format={nodelist}|{reason}"]
                self._call = Call(words, self._uri, _LOOK_EVERY)
            return []
        answer = self._call.answer()
        if answer is None:
            return []
        self._call, self._next = None, self._now() + _LOOK_EVERY
        return [event for line in answer.out.splitlines() for event in self._events(line, hosts)]

    def close(self) -> None:
        """Look no more."""
        if self._call is not None:
            self._call.give_up("given up")

    def _events(self, line: str, hosts: Sequence[str]) -> list[Event]:
        names, _, reason = line.partition("|")
        try:
            drained = names_in(names.strip())
        except AllocationError:
            return []
        new = [name for name in drained if name in hosts and name not in self._told]
        self._told.update(new)
        return [Event(EventKind.HOST_DRAINS, f"Flux drains it ({reason})", (name,)) for name in new]
