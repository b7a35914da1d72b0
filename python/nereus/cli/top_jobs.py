# SPDX-License-Identifier: BSD-3-Clause
"""nereus top --jobs - how the daemon's jobs stand, look after look."""

import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from nereus.cli.daemon_status import commands_text, next_text, turn_text
from nereus.cli.messages import show, show_json_line
from nereus.daemon import DaemonError, named_events, whole_status
from nereus.daemon.page.sentences import DECISIONS, reason, sentence
from nereus.launch import Stopping
from nereus.supervisor import shown_name

if TYPE_CHECKING:
    from rich.table import Table

COLUMNS = ("job", "ranks", "iteration", "state", "next I/O", "commands", "program")
_KEPT = 100  # decisions
_FIRST_EVENTS = 2000  # among which the last decisions are looked for
_LOOKS = 0.05  # s, between looks whether to stop
_OF_JOB = (
    *("job", "name", "ranks", "iteration", "turn", "answers", "next_io_unix", "next_io_iteration"),
    *("period_seconds", "io_seconds", "confidence", "commands", "command"),
)


@dataclass(frozen=True)
class Look:
    """How all stands, and the last decisions, the latest first; `why` there is nothing, where that is so."""

    time: float
    status: dict[str, Any] | None
    decisions: tuple[dict[str, Any], ...]
    fresh: tuple[dict[str, Any], ...]
    why: str = ""

    @property
    def jobs(self) -> list[dict[str, Any]]:
        return self.status["jobs"] if self.status else []

    def document(self) -> dict[str, Any]:
        """For programs: decisions are those since the look before."""
        if self.status is None:
            return {"time": self.time, "why": self.why}
        return {
            "time": self.time,
            "policy": self.status["policy"],
            "cores": self.status["cores"],
            "cores_free": self.status["cores_free"],
            "writing": [job["job"] for job in self.jobs if job["turn"] == "writes"],
            "jobs": [{key: job[key] for key in _OF_JOB} for job in self.jobs],
            "decisions": list(self.fresh),
        }


class Watch:
    """Looks at the daemon, and remembers what it decided."""

    def __init__(self) -> None:
        self._since: int | None = None
        self._decisions: deque[dict[str, Any]] = deque(maxlen=_KEPT)

    def look(self) -> Look:
        try:
            status = whole_status()
            fresh = tuple(self._fresh(status["last_event"]))
        except DaemonError as problem:
            return Look(time.time(), None, tuple(self._decisions), (), str(problem))
        self._decisions.extendleft(fresh)
        return Look(time.time(), status, tuple(self._decisions), fresh)

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


def top_jobs(interval: float, samples: int | None, as_json: bool) -> None:
    """A screen on a terminal; else a table, or a line of JSON, for each look."""
    watch = Watch()
    first = watch.look()
    if first.status is None:
        raise DaemonError(first.why)
    if sys.stdout.isatty() and not as_json:
        from nereus.cli.top_screen import TopScreen

        TopScreen(watch, first, interval, samples).run()
        return
    with Stopping() as stopping:
        for found in _looks(watch, first, interval, samples, stopping):
            if as_json:
                show_json_line(found.document())
            else:
                show(headline(found))
                show(_table(found))


def _looks(
    watch: Watch, first: Look, interval: float, samples: int | None, stopping: Stopping
) -> Iterator[Look]:
    found, number = first, 0
    while stopping.signal is None:
        yield found
        number += 1
        if number == samples:
            return
        until = time.monotonic() + interval
        while time.monotonic() < until and stopping.signal is None:
            time.sleep(_LOOKS)
        found = watch.look()


def headline(found: Look) -> str:
    """Who decides, who has the turn, what is free."""
    if found.status is None:
        return f"{found.why}; last asked at {datetime.fromtimestamp(found.time):%H:%M:%S}"
    cores = sum(found.status["cores"].values())
    writing = ", ".join(shown_name(job) for job in found.jobs if job["turn"] == "writes") or "nobody"
    return (
        f"policy {found.status['policy']}, {found.status['cores_free']} of {cores} cores free, "
        f"jobs: {len(found.jobs)}, turn: {writing}"
    )


def cells(job: dict[str, Any]) -> tuple[str, ...]:
    """A row of COLUMNS."""
    return (
        *(shown_name(job), str(job["ranks"]), str(job["iteration"]), turn_text(job), next_text(job)),
        *(commands_text(job), " ".join(job["command"])),
    )


def decision_text(event: dict[str, Any]) -> str:
    """A line: when, of which job, what, by whom and why."""
    why = reason(event)
    when = f"{datetime.fromtimestamp(event['time_unix']):%H:%M:%S}"
    return f"{when} {shown_name(event) or '-'} {sentence(event)}" + (f" ({why})" if why else "")


def _table(found: Look) -> "Table":
    from rich.table import Table

    grid = Table(*COLUMNS, box=None, pad_edge=False)
    for job in found.jobs:
        grid.add_row(*cells(job))
    return grid
