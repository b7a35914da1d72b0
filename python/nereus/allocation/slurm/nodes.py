# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts an administrator drains, so that jobs leave them (sinfo(1), "NODE STATE CODES")."""

import time
from collections.abc import Callable, Sequence

from nereus.allocation.contract import Event, EventKind
from nereus.allocation.slurm.client import Call

_LOOK_EVERY = 10.0
_DRAINS = ("DRAINING", "DRAINED", "DRNG", "DRAIN")


class DrainWatch:
    """Looks now and then; tells of each host once."""

    def __init__(self, now: Callable[[], float] = time.monotonic, every: float = _LOOK_EVERY) -> None:
        self._now, self._every = now, every
        self._next = now() + every
        self._call: Call | None = None
        self._told: set[str] = set()

    def look(self, hosts: Sequence[str]) -> list[Event]:
        """What is new about these hosts; never waits."""
        if self._call is None:
            if self._now() >= self._next:
                words = ["sinfo", "--noheader", "--Node", "--nodes", ",".join(hosts), "--format=%N|%T|%E"]
                self._call = Call(words, limit=self._every)
            return []
        answer = self._call.answer()
        if answer is None:
            return []
        self._call, self._next = None, self._now() + self._every
        return self._events(answer.out if answer.is_good else "", hosts)

    def close(self) -> None:
        """Look no more."""
        if self._call is not None:
            self._call.give_up("given up")

    def _events(self, text: str, hosts: Sequence[str]) -> list[Event]:
        events = []
        for line in text.splitlines():
            name, state, reason = (*line.split("|", 2), "", "")[:3]
            if name in hosts and name not in self._told and state.upper().rstrip("*+") in _DRAINS:
                self._told.add(name)
                events.append(Event(EventKind.HOST_DRAINS, f"Slurm drains it ({reason})", (name,)))
        return events
