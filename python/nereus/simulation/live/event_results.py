# SPDX-License-Identifier: BSD-3-Clause
"""From the events of a daemon to what `nereus simulate` says of a run. Pure.

Beside the daemon's own events (docs/reference/daemon.md) there are two that whoever makes the run adds:
`foretold` (what the daemon predicted right after a phase: `phase`, `next_io_unix`, `period_seconds`) and
`stopped` (the end of a run whose jobs are not to end by themselves: `iterations` by job).
"""

from collections.abc import Iterable
from typing import Any

from nereus.simulation.jobs import Result, Scenario
from nereus.simulation.jobs.results import Event, Foretold, JobResult
from nereus.simulation.live.jobs import name_in

Told = dict[str, Any]


def result_of(case: str, scenario: Scenario, told: Iterable[Told], begin: float) -> Result:
    """`begin`: the date from which times count."""
    results = _EventResults(scenario, begin)
    for event in told:
        results.add(event)
    return results.result(case)


class _EventResults:
    def __init__(self, scenario: Scenario, begin: float) -> None:
        self._begin = begin
        self._flops = {job.name: job.flops for job in scenario.jobs}
        self._jobs = {job.name: JobResult(job.name, job.start, job.ranks) for job in scenario.jobs}
        self._names: dict[str, str] = {}  # by the name that the daemon has for it
        self._expected: dict[str, tuple[float, float]] = {}
        self._since: dict[str, float] = {}  # when core_seconds were counted
        self._events: list[Event] = []
        self._last = 0.0
        self._over = False

    def add(self, event: Told) -> None:
        """What comes behind `stopped` is how jobs were ended."""
        if self._over:
            return
        if event["event"] == "came" and (name := name_in(event["command"])) in self._jobs:
            self._names[event["job"]] = name
        if event["event"] == "stopped":
            self._stopped(event)
        name = self._names.get(event["job"])
        handler = getattr(self, f"_{event['event']}", None)
        if name is not None and handler is not None:
            self._last = max(self._last, event["time_unix"] - self._begin)
            handler(self._jobs[name], event)

    def result(self, case: str) -> Result:
        return Result(case, list(self._jobs.values()), self._events, self._last)

    def _came(self, job: JobResult, event: Told) -> None:
        if job.started is None:
            job.started = max(self._time(event), job.submitted)
            self._since[job.name] = job.started
            self._add(job, "came", job.started, ranks=event["ranks"])

    def _wrote(self, job: JobResult, event: Told) -> None:
        start = event["start_unix"] - self._begin
        self._compare(job, event["start_unix"])
        job.phases += 1
        job.wait += event["wait_seconds"]
        job.service += event["service_seconds"]
        times = {"wait": event["wait_seconds"], "service": event["service_seconds"]}
        self._add(job, "phase", self._time(event), start=start, iteration=event["iteration"], **times)

    def _foretold(self, job: JobResult, event: Told) -> None:
        if event["next_io_unix"] is not None:
            self._expected[job.name] = event["next_io_unix"], event["period_seconds"]

    def _decided(self, job: JobResult, event: Told) -> None:
        self._expected.pop(job.name, None)  # it is moved
        about = {key: event[key] for key in ("command", "ranks", "at", "why")}
        self._add(job, "told", self._time(event), **about)

    def _resized(self, job: JobResult, event: Told) -> None:
        seconds = event["seconds"] or 0.0
        if event["ranks"] == event["before"]:
            return
        self._count_cores(job, self._time(event))
        job.ranks = event["ranks"]
        job.resizes += 1
        job.paused += seconds
        about = {key: event[key] for key in ("before", "ranks", "iteration")}
        self._add(job, "resized", self._time(event), start=self._time(event) - seconds, **about)

    def _ended(self, job: JobResult, event: Told) -> None:
        if event["why"] != "goodbye":
            return
        self._count_cores(job, self._time(event))
        job.ended = self._time(event)
        job.flops = event["iteration"] * self._flops[job.name]
        self._add(job, "ended", job.ended)

    def _stopped(self, event: Told) -> None:
        self._last, self._over = self._time(event), True
        for name, iterations in event["iterations"].items():
            job = self._jobs[self._names[name]]
            self._count_cores(job, self._last)
            job.flops = iterations * self._flops[job.name]

    def _compare(self, job: JobResult, start: float) -> None:
        if job.name in self._expected:
            expected, period = self._expected.pop(job.name)
            job.foretold.append(Foretold(expected - self._begin, start - self._begin, period))

    def _count_cores(self, job: JobResult, now: float) -> None:
        job.core_seconds += job.ranks * (now - self._since.get(job.name, now))
        self._since[job.name] = now

    def _time(self, event: Told) -> float:
        return float(event["time_unix"] - self._begin)

    def _add(self, job: JobResult, kind: str, time: float, **about: Any) -> None:
        self._events.append({"time": time, "job": job.name, "event": kind, **about})
