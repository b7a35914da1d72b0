# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts an administrator drains, so that jobs leave them (flux-resource(1), "drain")."""

import time
from collections.abc import Callable, Sequence

from nereus.allocation.contract import AllocationError, Event, EventKind
from nereus.allocation.flux.client import Call
from nereus.allocation.flux.ranges import names_in
from nereus.allocation.repeated import Repeated

# The command takes half a second of a processor that computes.
_LOOK_EVERY = 60.0


class DrainWatch:
    """Looks now and then; tells of each host once."""

    def __init__(self, uri: str, now: Callable[[], float] = time.monotonic) -> None:
        """`uri`: of the instance that is asked."""
        self._uri, self._question = uri, Repeated(_LOOK_EVERY, now)
        self._told: set[str] = set()

    def look(self, hosts: Sequence[str]) -> list[Event]:
        """What is new about these hosts; never waits."""
        words = ["resource", "drain", "--no-header", "--format={nodelist}|{reason}"]
        answer = self._question.answer(lambda: Call(words, self._uri, _LOOK_EVERY))
        if answer is None:
            return []
        return [event for line in answer.out.splitlines() for event in self._events(line, hosts)]

    def close(self) -> None:
        """Look no more."""
        self._question.close()

    def _events(self, line: str, hosts: Sequence[str]) -> list[Event]:
        names, _, reason = line.partition("|")
        try:
            drained = names_in(names.strip())
        except AllocationError:
            return []
        new = [name for name in drained if name in hosts and name not in self._told]
        self._told.update(new)
        return [Event(EventKind.HOST_DRAINS, f"Flux drains it ({reason})", (name,)) for name in new]
