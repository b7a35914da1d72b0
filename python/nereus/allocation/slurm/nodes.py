# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts are drained, so that jobs leave them, and which are down (sinfo(1), "NODE STATE CODES")."""

import time
from collections.abc import Callable, Sequence

from nereus.allocation.contract import Event, EventKind
from nereus.allocation.repeated import Repeated
from nereus.allocation.slurm.client import Call

_LOOK_EVERY = 10.0
_KINDS = {
    "DRAINING": EventKind.HOST_DRAINS,
    "DRAINED": EventKind.HOST_DRAINS,
    "FAILING": EventKind.HOST_DRAINS,
    "DOWN": EventKind.HOST_LOST,
    "FAIL": EventKind.HOST_LOST,
}
_REASONS = {EventKind.HOST_DRAINS: "Slurm drains it", EventKind.HOST_LOST: "Slurm has marked it down"}
# What sinfo appends to a state: does not respond, is rebooted, and others.
_FLAGS = "*~#!%$@^-+"


class NodeWatch:
    """Looks now and then; tells of each host once in each way."""

    def __init__(self, now: Callable[[], float] = time.monotonic, every: float = _LOOK_EVERY) -> None:
        self._every, self._question = every, Repeated(every, now)
        self._told: set[tuple[str, EventKind]] = set()

    def look(self, hosts: Sequence[str]) -> list[Event]:
        """What is new about these hosts; never waits."""
        words = ["sinfo", "--noheader", "--Node", "--nodes", ",".join(hosts), "--format=%N|%T|%E"]
        answer = self._question.answer(lambda: Call(words, limit=self._every))
        return self._events(answer.out, hosts) if answer is not None and answer.is_good else []

    def close(self) -> None:
        """Look no more."""
        self._question.close()

    def _events(self, text: str, hosts: Sequence[str]) -> list[Event]:
        found: dict[tuple[EventKind, str], list[str]] = {}
        for line in text.splitlines():
            name, state, reason = (*line.split("|", 2), "", "")[:3]
            kind = _KINDS.get(state.upper().rstrip(_FLAGS))
            if kind is not None and name in hosts and (name, kind) not in self._told:
                self._told.add((name, kind))
                found.setdefault((kind, f"{_REASONS[kind]} ({reason})"), []).append(name)
        return [Event(kind, text, tuple(names)) for (kind, text), names in found.items()]
