# SPDX-License-Identifier: BSD-3-Clause
"""What happened, in order, for those who look on: each event has a number, a time, a job and what it is of.

Kinds and their keys are in docs/reference/daemon.md.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

#: Kinds by which somebody's ranks or turn changes, or was to change.
DECISIONS = frozenset({"decided", "cancelled", "resized", "refused", "turn_lost", "trouble"})
#: Kept in memory; older ones are in the store.
_KEPT = 20_000
_MOST_TEXT, _MOST_PARTS = 500, 50


@dataclass(frozen=True)
class Event:
    number: int
    time: float
    job: str
    kind: str
    about: dict[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "time_unix": round(self.time, 6),
            "job": self.job,
            "event": self.kind,
            **self.about,
        }


class Events:
    def __init__(self, keep: Callable[[Event], None], last: int = 0) -> None:
        """`keep` is told of each; `last`: number of the last one before."""
        self._keep = keep
        self._last = last
        self._recent: deque[Event] = deque(maxlen=_KEPT)

    @property
    def last(self) -> int:
        return self._last

    @property
    def first_kept(self) -> int:
        """Number of the oldest that since() knows."""
        return self._recent[0].number if self._recent else self._last + 1

    def add(self, now: float, job: str, kind: str, **about: Any) -> None:
        self._last += 1
        event = Event(self._last, now, job, kind, {key: _short(value) for key, value in about.items()})
        self._recent.append(event)
        self._keep(event)

    def since(self, number: int, most: int) -> list[Event]:
        """Those after `number`, the oldest first."""
        begin = max(0, number + 1 - self.first_kept)
        end = min(len(self._recent), begin + most)
        return [self._recent[index] for index in range(begin, end)]


def _short(value: Any) -> Any:
    """However much a job says, an event fits into a message."""
    if isinstance(value, str):
        return value[:_MOST_TEXT]
    if isinstance(value, list):
        return [_short(each) for each in value[:_MOST_PARTS]]
    if isinstance(value, dict):
        return dict(list(value.items())[:_MOST_PARTS])
    return value
