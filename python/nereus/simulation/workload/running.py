# SPDX-License-Identifier: BSD-3-Clause
"""A job that runs: how much of its work is left, and when it ends on the ranks that it has."""

from nereus.simulation.workload.job import Outcome, Request


class Running:
    """Work is counted in seconds on the ranks that the job asked for, and so is its limit."""

    def __init__(self, request: Request, outcome: Outcome) -> None:
        self.request, self.outcome = request, outcome
        self._since = outcome.started
        self._factor = request.time_factor(outcome.ranks)

    @property
    def end(self) -> float:
        """Of its work, or of its limit."""
        job = self.outcome.job
        return self._after(min(job.seconds, job.limit))

    @property
    def killed_at(self) -> float:
        """When it ends at the latest."""
        return self._after(self.outcome.job.limit)

    def resize(self, ranks: int, now: float) -> None:
        """From now on it has so many."""
        self._count(now)
        self.outcome.ranks = ranks
        self.outcome.resizes += 1
        self._factor = self.request.time_factor(ranks)

    def stop(self, now: float) -> None:
        """It has ended."""
        self._count(now)
        job = self.outcome.job
        self.outcome.ended = now
        self.outcome.killed = job.limit < job.seconds
        self.outcome.work_seconds = min(job.seconds, job.limit)  # without the error of a sum

    def _after(self, work: float) -> float:
        return self._since + (work - self.outcome.work_seconds) * self._factor

    def _count(self, now: float) -> None:
        self.outcome.core_seconds += (now - self._since) * self.outcome.ranks
        computing = self.request.computing(self.outcome.ranks)
        self.outcome.computing_core_seconds += (now - self._since) * computing
        self.outcome.work_seconds += (now - self._since) / self._factor
        self._since = now
