# SPDX-License-Identifier: BSD-3-Clause
"""What the page of one job is told at each look: how the job stands, and samples of it since the last one.

In:  what its supervisor and the daemon answer, what the job writes about itself, records of a monitored run.
Out: samples by number, kept whether a browser looks or not; the resizes, stages and traffic that are known.
A thread of its own asks once a second, as `nereus top` does, and stops when the job has ended.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nereus.daemon.page.job.in_daemon import JobInDaemon
from nereus.daemon.page.job.resizes import MOST_RESIZES, Resize, best_told
from nereus.daemon.page.job.results import Point, Results, file_in
from nereus.daemon.page.job.status import JobStatus, Status
from nereus.daemon.page.job.successor import COMES_WITHIN, Successors
from nereus.daemon.page.job.traffic import Traffic
from nereus.daemon.page.printable_document import printable_document
from nereus.launch.hosts import is_here
from nereus.supervisor import FoundJob

Document = dict[str, Any]

#: Seconds between two samples.
EVERY = 1.0
#: Older ones are forgotten.
MOST_SAMPLES = 5000
_MOST_GAPS = 100
_MAY_GO_ON = "its processes have ended, and what started it may start it again"


class JobSource:
    """Of one job; `sampled` has it look by itself."""

    def __init__(
        self,
        job: FoundJob,
        status: JobStatus | None = None,
        daemon: JobInDaemon | None = None,
        traffic: Traffic | None = None,
        results: Path | None = None,
        successors: Successors | None = None,
    ) -> None:
        """`results`: what the job writes about itself; None: what its command says."""
        self._job = job
        self._status = status or JobStatus(job.where)
        self._daemon = daemon or JobInDaemon(job.key)
        self._traffic = traffic or Traffic(job.key)
        self._results = Results(results) if results is not None else None
        self._successors = successors or Successors()
        #: Those that continue one another.
        self._keys = {job.key}
        #: Since when the last one is gone, while what started it may start it again.
        self._lost: float | None = None
        self._may_go_on = False
        #: Those of the jobs before, as the daemon told them.
        self._former: deque[Resize] = deque(maxlen=MOST_RESIZES)
        self._seen: deque[Resize] = deque(maxlen=MOST_RESIZES)
        self._samples: deque[Document] = deque(maxlen=MOST_SAMPLES)
        self._gaps: deque[list[float | None]] = deque(maxlen=_MOST_GAPS)
        self._last = 0
        #: With which sample each of these became what it is now.
        self._changed = {"resizes": 0, "stages": 0, "traffic": 0}
        self._told: dict[str, Any] = {"resizes": [], "stages": [], "traffic": None}
        self._ended: float | None = None
        self._began = False
        self._lock = threading.Lock()

    @property
    def has_ended(self) -> bool:
        return self._ended is not None

    def sample(self, now: float) -> None:
        """Look at all there is; what may take long is done while others may look here."""
        before = self._status.latest
        status = self._status.look() or self._follow(now)
        self._daemon.look()
        points = self._points(self._status.latest)
        self._traffic.look(now)
        with self._lock:
            self._note(before, status, points, now)

    def _follow(self, now: float) -> Status | None:
        """How the job stands that continues this one, which has ended; what is known of this one is kept."""
        ended = self._status.latest
        if not self._status.has_ended or ended is None:
            return None
        self._lost = self._lost if self._lost is not None else now
        waits = now - self._lost <= COMES_WITHIN and self._successors.may_come(ended)
        next_one = self._successors.of(self._keys, ended.name) if ended.recovers else None
        with self._lock:
            self._may_go_on = waits and next_one is None
            if next_one is None:
                return None
            self._lost = None
            self._former += self._daemon.resizes
            self._job, self._status = next_one
            self._keys.add(self._job.key)
            self._daemon, self._traffic = JobInDaemon(self._job.key), Traffic(self._job.key)
        return self._status.latest

    @property
    def _why(self) -> str:
        """Why nothing is told; "" while it is."""
        return _MAY_GO_ON if self._may_go_on else self._status.why

    def look(self, since: int | None) -> Document:
        """Samples after that number; None: all that are kept. What did not change since then is left out."""
        with self._lock:
            first = 0 if since is None or since > self._last else since
            changed = {
                key: self._told[key] for key, at in self._changed.items() if since is None or at > first
            }
            found = {
                **{"there": self._why == "" and not self.has_ended, "why": self._why},
                **{"time_unix": time.time(), "every": EVERY, "ended_unix": self._ended},
                **{"job": self._about(), "since": first, "last": self._last, "gaps": list(self._gaps)},
                **{"samples": [one for one in self._samples if one["number"] > first], **changed},
            }
        return dict(printable_document(found))

    def _about(self) -> Document:
        """What is known of it beside numbers that change."""
        told, known = self._status.latest, self._daemon.known
        about: Document = {"job": self._job.key, "name": self._job.name or self._job.key}
        if told is not None:
            about |= told.model_dump(exclude={"hosts", "name"})
            about["hosts"] = dict(Counter(told.hosts))
        about["in_daemon"] = known is not None
        about["pace"] = known.pace.model_dump() if known is not None and known.pace is not None else None
        results = self._results
        about["results"] = None if results is None else str(results.path)
        about["results_trouble"] = "" if results is None else results.trouble
        about["tells_iterations"] = known is not None or (results is not None and results.has_iterations)
        return about

    def _points(self, status: Status | None) -> list[Point]:
        """Iterations that the job itself wrote down since the last look; at the first one, all of them."""
        if self._results is None and status is not None and is_here(status.host):
            named = file_in(status.command, _folder_of(status.pid))
            self._results = None if named is None else Results(named)
        if self._results is None:
            return []
        if not self._began:
            self._began = True
            return self._results.read_so_far()
        return self._results.look()

    def _note(
        self, before: Status | None, status: Status | None, points: Sequence[Point], now: float
    ) -> None:
        groups = list(_by_seconds(points)) if len(self._samples) == 0 else [list(points)] if points else []
        last = groups.pop() if groups and status is not None else []
        for group in groups:
            self._add({"ranks": group[-1].ranks, "state": None, **_iterations(group)}, group[-1].time_unix)
        if status is not None:
            iterations = _iterations(last) if last else self._iterations_told()
            self._add({"ranks": status.ranks, "state": status.state, **iterations}, now)
            self._note_resize(before, status, now)
        self._note_gap(status is not None, now)
        self._note_changes()
        self._note_end(now)

    def _add(self, sample: Document, at: float) -> None:
        self._last += 1
        self._samples.append({"number": self._last, "time_unix": at, **sample})

    def _iterations_told(self) -> Document:
        """To the daemon; of a job that writes them itself, none was done since the last look."""
        known = self._daemon.known
        if known is None or (self._results is not None and self._results.has_iterations):
            return {"iteration": None, "seconds": None, "least": None, "most": None}
        seconds = None if known.pace is None else known.pace.iteration_seconds
        return {"iteration": known.iteration, "seconds": seconds, "least": None, "most": None}

    def _note_resize(self, before: Status | None, status: Status, now: float) -> None:
        if before is None or before.state == "starting" or before.generation == status.generation:
            return
        if before.job != status.job:
            return  # it begins to count anew
        number = status.generation - before.generation
        facts = {"when": "between two looks of this page, before that time"}
        if number > 1:
            facts["resizes"] = f"{number}, one after the other"
        self._seen.append(Resize(now, before.ranks, status.ranks, "status", True, facts))

    def _note_gap(self, is_there: bool, now: float) -> None:
        is_open = len(self._gaps) > 0 and self._gaps[-1][1] is None
        if is_there and is_open:
            self._gaps[-1][1] = now
        elif not is_there and not is_open and (self._may_go_on or not self._status.has_ended):
            self._gaps.append([now, None])

    def _note_changes(self) -> None:
        results = self._results
        written = [] if results is None else list(results.resizes)
        best = best_told([written, [*self._former, *self._daemon.resizes], list(self._seen)])
        now = {
            "resizes": [one.document() for one in best],
            "stages": [] if results is None else results.documents_of_stages(),
            "traffic": self._traffic.document or self._told["traffic"],
        }
        for key, value in now.items():
            if value != self._told[key]:
                # What comes with the next sample is new to those who have the last one.
                self._told[key], self._changed[key] = value, self._last + 1
        if any(at > self._last for at in self._changed.values()):
            self._last += 1

    def _note_end(self, now: float) -> None:
        has_ended = self._status.has_ended and not self._may_go_on
        if not self.has_ended and (has_ended or self._is_over_elsewhere()):
            self._ended = now

    def _is_over_elsewhere(self) -> bool:
        """Its supervisor says nothing any more, and it said goodbye to others."""
        return self._status.why != "" and (
            self._daemon.has_ended or (self._results is not None and self._results.is_finished)
        )


@contextmanager
def sampled(source: JobSource, every: float = EVERY) -> Iterator[JobSource]:
    """It looks by itself as long as the block lasts, or until its job has ended."""
    over = threading.Event()

    def live() -> None:
        while not source.has_ended:
            source.sample(time.time())
            if over.wait(every):
                return

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    try:
        yield source
    finally:
        over.set()
        thread.join()


def _by_seconds(points: Sequence[Point]) -> Iterator[list[Point]]:
    """What was written before the page was there, as samples would have had it."""
    group: list[Point] = []
    for point in points:
        if group and (point.time_unix - group[0].time_unix >= EVERY or point.ranks != group[0].ranks):
            yield group
            group = []
        group.append(point)
    if group:
        yield group


def _iterations(points: Sequence[Point]) -> Document:
    seconds = [point.seconds for point in points]
    mean = sum(seconds) / len(seconds)
    return {
        **{"iteration": points[-1].iteration, "seconds": mean},
        **{"least": min(seconds), "most": max(seconds)},
    }


def _folder_of(pid: int) -> Path:
    """In which a process runs; this one's where that is not told."""
    try:
        return Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return Path.cwd()
