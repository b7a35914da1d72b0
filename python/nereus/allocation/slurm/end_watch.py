# SPDX-License-Identifier: BSD-3-Clause
"""When the time of the job that we run in is over; a limit can be changed while it runs (squeue(1), %L)."""

import re
import time
from collections.abc import Callable, Sequence

from nereus.allocation.contract import Event, EventKind
from nereus.allocation.repeated import Repeated
from nereus.allocation.slurm.client import Call

#: How long before the end it is told of.
WARNED_SECONDS = 300.0
_FIRST_LOOK_AFTER = 10.0
# Its limit may be lowered.
_LONGEST_WAIT = 600.0
_LEFT = re.compile(r"(?:(?P<days>\d{1,5})-)?(?:(?P<hours>\d{1,2}):)?(?P<minutes>\d{1,2}):(?P<seconds>\d{2})")


class EndWatch:
    """Tells once; not of a job that has never had more time."""

    def __init__(self, job: int, now: Callable[[], float] = time.monotonic) -> None:
        self._job, self._question = job, Repeated(_FIRST_LOOK_AFTER, now)
        self._had_more = False

    def look(self, hosts: Sequence[str]) -> list[Event]:
        """The event, if it is time; never waits."""
        words = ["squeue", "--noheader", "--jobs", str(self._job), "--format=%L"]
        answer = self._question.answer(lambda: Call(words, limit=_FIRST_LOOK_AFTER))
        if answer is None:
            return []
        return self._take(seconds_of(answer.out.strip()) if answer.is_good else None, hosts)

    def close(self) -> None:
        """Look no more."""
        self._question.close()

    def _take(self, left: float | None, hosts: Sequence[str]) -> list[Event]:
        if left is None or left > WARNED_SECONDS:
            self._had_more = self._had_more or left is not None
            self._question.wait(_LONGEST_WAIT if left is None else min(left - WARNED_SECONDS, _LONGEST_WAIT))
            return []
        self._question.close()
        if not self._had_more:
            return []
        return [Event(EventKind.ENDS_SOON, f"the Slurm job {self._job} has {left:.0f} s left", tuple(hosts))]


def seconds_of(text: str) -> float | None:
    """Out of "1-02:03:04" or a part of it from the right; None where there is no limit."""
    found = _LEFT.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (
        int(part or 0) for part in found.group("days", "hours", "minutes", "seconds")
    )
    return float(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
