# SPDX-License-Identifier: BSD-3-Clause
"""A job that runs: how much of its work is left, and when it ends on the ranks that it has."""

from nereus.simulation.workload.job import Outcome, Request


class Running:
    """Work is counted in seconds on the ranks that the job asked for, and so is its limit.

    While it is resized it has the cores of both sizes, the larger of the two numbers, and does no work: the
    sources stay until the data has moved. Its limit goes on meanwhile as it does on the ranks that it has.
    """

    def __init__(self, request: Request, outcome: Outcome) -> None:
        self.request, self.outcome = request, outcome
        self._counted = outcome.started
        self._since = outcome.started  # from when on it works; later than now while it is resized
        self._factor = request.time_factor(outcome.ranks)
        self._limit = outcome.job.limit  # what resizes have left of it
        self._next_ranks: int | None = None

    @property
    def end(self) -> float:
        """Of its work, or of its limit."""
        return self._after(min(self.outcome.job.seconds, self._limit))

    @property
    def killed_at(self) -> float:
        """When it ends at the latest."""
        return self._after(self._limit)

    @property
    def is_resizing(self) -> bool:
        """It can't be resized again until that is done."""
        return self._next_ranks is not None

    @property
    def due(self) -> float:
        """The end of its resize, or its own. A limit that comes in a resize ends both."""
        return self.end if self._next_ranks is None else self._since

    def resize(self, ranks: int, now: float, seconds: float = 0.0) -> None:
        """To so many; it takes so long, and `finish_resize` ends it, unless it takes no time."""
        self._count(now)
        self.outcome.resizes += 1
        if seconds <= 0:
            self._have(ranks)
            return
        self._next_ranks = ranks
        if ranks > self.outcome.ranks:
            self._have(ranks)
        self._stand_still(now, seconds)

    def _stand_still(self, now: float, seconds: float) -> None:
        """For so long, or until its limit."""
        left = self._limit - self.outcome.work_seconds
        if seconds < left * self._factor:
            self._since = now + seconds
            self._limit -= seconds / self._factor
        else:
            self._since = now + left * self._factor
            self._limit = self.outcome.work_seconds

    def finish_resize(self, now: float) -> None:
        """It works again, on its new ranks."""
        assert self._next_ranks is not None
        self._count(now)
        self._have(self._next_ranks)
        self._next_ranks = None

    def stop(self, now: float) -> None:
        """It has ended."""
        self._count(now)
        job = self.outcome.job
        self.outcome.ended = now
        self.outcome.killed = self._limit < job.seconds
        self.outcome.work_seconds = min(job.seconds, self._limit)  # without the error of a sum

    def _have(self, ranks: int) -> None:
        self.outcome.ranks = ranks
        self._factor = self.request.time_factor(ranks)

    def _after(self, work: float) -> float:
        return self._since + (work - self.outcome.work_seconds) * self._factor

    def _count(self, now: float) -> None:
        outcome = self.outcome
        outcome.core_seconds += (now - self._counted) * outcome.ranks
        outcome.computing_core_seconds += (now - self._counted) * self.request.computing(outcome.ranks)
        if self._since > self._counted:
            self._count_standstill((min(now, self._since) - self._counted) * outcome.ranks)
        if now > self._since:
            outcome.work_seconds += (now - self._since) / self._factor
            self._since = now
        self._counted = now

    def _count_standstill(self, core_seconds: float) -> None:
        self.outcome.lost_core_seconds += core_seconds
