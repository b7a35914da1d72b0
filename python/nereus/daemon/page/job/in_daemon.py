# SPDX-License-Identifier: BSD-3-Clause
"""What the daemon knows of one job: its iteration and pace, its resizes and who wanted them."""

from collections import deque
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from nereus import printable
from nereus.analysis.report.events import Count, Ranks, Strict
from nereus.analysis.report.units import seconds_text
from nereus.daemon import Ask, DaemonError, ask_daemon, named_events, whole_status
from nereus.daemon.page.job.resizes import MOST_RESIZES, Resize
from nereus.daemon.page.sentences import reason

#: At the first look so many of the latest events are gone through.
FIRST_EVENTS = 5000
_ANSWERS_AT_ONCE = 10  # the rest is for the next look


class Pace(Strict):
    """Of the latest iterations, in seconds; what the job does not tell is None."""

    iteration_seconds: float
    compute_seconds: float | None = None
    communication_seconds: float | None = None
    flops: float | None = None


class Known(Strict):
    """The job, as the daemon has it now (docs/reference/daemon.md)."""

    iteration: Count
    turn: str | None = None
    pace: Pace | None = None


class _Resized(Strict):
    time_unix: float
    before: Ranks
    ranks: Ranks
    iteration: Count
    seconds: float | None = None


class JobInDaemon:
    def __init__(self, job: str, ask: Ask = ask_daemon) -> None:
        self._job, self._ask = job, ask
        self._since: int | None = None
        self._store: object = None
        #: None where there is no daemon, or none that knows it now.
        self.known: Known | None = None
        self.resizes: deque[Resize] = deque(maxlen=MOST_RESIZES)
        #: It said goodbye to the daemon.
        self.has_ended = False

    def look(self) -> None:
        try:
            status = whole_status(self._ask)
            found = next((job for job in status["jobs"] if job.get("job") == self._job), None)
            self.known = None if found is None else Known.model_validate(found)
            if self.known is not None:
                self.has_ended = False
            self._follow(status)
        except (DaemonError, ValidationError, KeyError, TypeError):
            self.known = None

    def _follow(self, status: Mapping[str, Any]) -> None:
        last = status["last_event"]
        if self._since is None or self._since > last or status.get("store") != self._store:
            self._since, self._store = max(0, last - FIRST_EVENTS), status.get("store")
            self.resizes.clear()
        for _ in range(_ANSWERS_AT_ONCE):
            if self._since >= last:
                return
            events = named_events(self._since, self._ask)["events"]
            if not events:
                return
            for event in events:
                self._since = event["number"]
                if event.get("job") == self._job:
                    self._take(event)

    def _take(self, event: Mapping[str, Any]) -> None:
        try:
            if event["event"] == "resized":
                self.resizes.append(_resize(event))
            elif event["event"] == "ended":
                self.has_ended = event.get("why") == "goodbye"
            elif event["event"] == "came":
                self.has_ended = False
        except ValidationError:
            return


def _resize(event: Mapping[str, Any]) -> Resize:
    told = _Resized.model_validate(event)
    facts = {"iteration": str(told.iteration)}
    if told.seconds is not None:
        facts["pause"] = seconds_text(told.seconds)
    if why := reason(event):
        facts["decided by"] = printable(why)
    return Resize(told.time_unix, told.before, told.ranks, "daemon", True, facts)
