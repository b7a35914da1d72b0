# SPDX-License-Identifier: BSD-3-Clause
"""How jobs stand, look after look, those of the daemon and others, and what it decided about its own."""

import time
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from nereus.daemon.client import named_events, whole_status
from nereus.daemon.error import DaemonError
from nereus.daemon.events import DECISIONS
from nereus.supervisor import statuses

_KEPT = 100  # decisions
# Of jobs that the daemon does not know, and that may be on hosts that are gone: the next look is not to wait.
_ANSWERED_WITHIN = 1.0
_FIRST_EVENTS = 2000  # among which the last decisions are looked for
_OF_JOB = (
    *("job", "name", "ranks", "iteration", "turn", "answers", "next_io_unix", "next_io_iteration"),
    *("period_seconds", "io_seconds", "confidence", "commands", "command"),
)


@dataclass(frozen=True)
class Look:
    """How all stands, and the last decisions, the latest first; `why` the daemon says nothing, if that is so.

    `supervised`: jobs that the daemon does not know, as their supervisors tell of them.
    """

    time: float
    status: dict[str, Any] | None
    decisions: tuple[dict[str, Any], ...]
    fresh: tuple[dict[str, Any], ...]
    why: str = ""
    supervised: tuple[dict[str, Any], ...] = ()

    @property
    def jobs(self) -> list[dict[str, Any]]:
        return self.status["jobs"] if self.status else []

    def document(self) -> dict[str, Any]:
        """For programs: decisions are those since the look before."""
        if self.status is None:
            return {"time": self.time, "why": self.why, "supervised": list(self.supervised)}
        return {
            "time": self.time,
            "supervised": list(self.supervised),
            "policy": self.status["policy"],
            "cores": self.status["cores"],
            "cores_free": self.status["cores_free"],
            "budget": self.status.get("budget"),
            "writing": [job["job"] for job in self.jobs if job["turn"] == "writes"],
            "jobs": [{key: job[key] for key in _OF_JOB} for job in self.jobs],
            "decisions": list(self.fresh),
        }


class Watch:
    """Looks at the daemon and at supervisors, and remembers what the daemon decided."""

    def __init__(self) -> None:
        self._since: int | None = None
        self._decisions: deque[dict[str, Any]] = deque(maxlen=_KEPT)

    def look(self) -> Look:
        try:
            status = whole_status()
            fresh = tuple(self._fresh(status["last_event"]))
        except DaemonError as problem:
            return Look(time.time(), None, tuple(self._decisions), (), str(problem), _supervised(()))
        self._decisions.extendleft(fresh)
        known = [job["job"] for job in status["jobs"]]
        return Look(time.time(), status, tuple(self._decisions), fresh, "", _supervised(known))

    def _fresh(self, last: int) -> Iterator[dict[str, Any]]:
        """Decisions since the look before; of a daemon with another store, the last ones."""
        if self._since is None or self._since > last:
            self._since = max(0, last - _FIRST_EVENTS)
        while self._since < last:
            found = named_events(self._since)["events"]
            if not found:
                return
            self._since = found[-1]["number"]
            yield from (event for event in found if event["event"] in DECISIONS)


def _supervised(known: Collection[str]) -> tuple[dict[str, Any], ...]:
    """Jobs with a supervisor, but for those that are known already."""
    return tuple(job for job in statuses(seconds=_ANSWERED_WITHIN) if job["job"] not in known)
