# SPDX-License-Identifier: BSD-3-Clause
"""A job that runs where nodes may fail and jobs share a store: it saves, loses work, and is slowed down.

Its own time goes slower than time where the store gives it less than it asks for: for all that it does,
its work, its saves, its resizes and its recoveries. Limits and failures are by time.
"""

from collections.abc import Callable
from math import ceil, inf

from nereus.simulation.workload.failures import Failures
from nereus.simulation.workload.job import Outcome, Request
from nereus.simulation.workload.running import Running


class Hindered(Running):
    """Work is in phases: an interval of work, then a save, which holds what was done before it began.

    Saves are no events: how many there are up to a time follows from the interval. A save that a resize
    interrupts is made anew after it. When the job is killed is told to its start order, so that the sum of
    it is kept as it is, and made anew only when the number of ranks changes.
    """

    def __init__(self, request: Request, outcome: Outcome, now: float, failures: Failures | None) -> None:
        """`outcome`: with the work of its last save, where it ran before. It may fail at `fails_at`."""
        super().__init__(request, outcome)
        self.fails_at = inf
        self._failures = failures
        self._killed_at = now + request.limit_on(outcome.ranks)
        self._counted = self._since = now
        self._saved = outcome.work_seconds
        self._interval, self._save = self._saving()
        self._unsaved = 0.0  # seconds of work since its last save
        self._unsaved_core_seconds = 0.0
        self._recovers = False
        self._own_counted = now  # own time, as `_since`
        #: Its own time at some time, where it shares the store.
        self.own: Callable[[float], float] | None = None
        self._is_at_step = False

    @property
    def killed_at(self) -> float:
        """As it was told at its start or its last resize."""
        return self._killed_at

    @property
    def next_step(self) -> float:
        """In its own time: the end of its resize, its recovery or its work, whatever becomes of it before."""
        if self.is_resizing:
            return self._since
        seconds = (self.outcome.job.seconds - self.outcome.work_seconds) * self._factor
        first = max(0.0, self._interval - self._unsaved)
        saves = ceil((seconds - first) / self._interval) if seconds > first else 0
        return self._since + seconds + saves * self._save

    @property
    def due(self) -> float:
        """That, or its limit, or a failure; of one that shares the store, the last two."""
        first = min(self._killed_at, self.fails_at)
        return min(self.next_step, first) if self.own is None else first

    @property
    def counted(self) -> float:
        """Its own time at its last change."""
        return self._own_counted

    @property
    def demand(self) -> float:
        """Of what its job may get of the store at most, the share that it needs not to be slowed down."""
        return self.outcome.job.io_share / self._factor

    def has_failed(self, now: float) -> bool:
        """A node of it; of all that it is due for at one time, this is the last."""
        return self.fails_at <= now < self._killed_at and (self.own is not None or now < self.next_step)

    def is_at_limit(self, now: float) -> bool:
        """Unless it is done just then."""
        return now >= self._killed_at and (self.own is not None or now < self.next_step)

    def reach_step(self) -> None:
        """The store says that its own time is that of its next step, without the error of a sum."""
        self._is_at_step = True

    def recover(self, now: float, seconds: float, ranks: int) -> None:
        """It goes on with so many ranks from its last save, which takes so long; then it can be resized."""
        self._count(now)
        self._have(ranks)
        if seconds > 0:
            self._next_ranks, self._recovers = ranks, True
            self._stand_still(now, seconds)

    def finish_resize(self, now: float) -> None:
        """Or its recovery."""
        super().finish_resize(now)
        self._recovers = False

    def fail(self, now: float) -> None:
        """What it did since its last save is lost."""
        self._count(now)
        outcome = self.outcome
        outcome.failures += 1
        outcome.lost_work_seconds += outcome.work_seconds - self._saved
        outcome.core_seconds_lost_to_failures += self._unsaved_core_seconds
        outcome.work_seconds = self._saved
        self._unsaved = self._unsaved_core_seconds = 0.0

    def stop(self, now: float) -> None:
        """Its work is done."""
        self._count(now)
        self.outcome.ended = now
        self.outcome.work_seconds = self.outcome.job.seconds  # without the error of a sum

    def kill(self, now: float) -> None:
        """At its limit."""
        self._count(now)
        self.outcome.ended, self.outcome.killed = now, True

    def _saving(self) -> tuple[float, float]:
        """Seconds between two saves, and of each."""
        failures = self._failures
        if failures is None or failures.saves is None:
            return inf, 0.0
        return failures.saves.interval(failures.mtbf_of(self.outcome.ranks)), failures.saves.cost

    def _have(self, ranks: int) -> None:
        if ranks == self.outcome.ranks:
            return
        before = self._factor
        super()._have(ranks)
        self._killed_at = self._counted + (self._killed_at - self._counted) * (self._factor / before)
        self._interval, self._save = self._saving()

    def _stand_still(self, now: float, seconds: float) -> None:
        self._since = self._own_counted + seconds

    def _count(self, now: float) -> None:
        outcome, passed = self.outcome, now - self._counted
        outcome.core_seconds += passed * outcome.ranks
        outcome.computing_core_seconds += passed * self.request.computing(outcome.ranks)
        own = now
        if self.own is not None:
            own = self.next_step if self._is_at_step else max(self._own_counted, self.own(now))
            self._is_at_step = False
            outcome.core_seconds_lost_to_io += (passed - (own - self._own_counted)) * outcome.ranks
        if self._since > self._own_counted:
            self._count_standstill((min(own, self._since) - self._own_counted) * outcome.ranks)
        if own > self._since:
            self._count_phases(own - self._since)
            self._since = own
        self._counted, self._own_counted = now, own

    def _count_phases(self, seconds: float) -> None:
        """So many have passed, with work and saves."""
        outcome = self.outcome
        first = max(0.0, self._interval - self._unsaved)
        if seconds <= first:
            work, since_save, saves, breaks_off = seconds, self._unsaved + seconds, 0, False
        else:
            cycles, rest = divmod(seconds - first, self._save + self._interval)
            breaks_off = rest < self._save
            since_save = self._interval if breaks_off else rest - self._save
            work = first + cycles * self._interval + (0.0 if breaks_off else since_save)
            saves = int(cycles) + (not breaks_off)
        outcome.work_seconds += work / self._factor
        outcome.core_seconds_of_saves += (seconds - work) * outcome.ranks
        if saves:
            unsaved = 0.0 if not since_save else min(work, since_save)
            self._saved = outcome.work_seconds - unsaved / self._factor
            self._unsaved_core_seconds = unsaved * outcome.ranks
        else:
            self._unsaved_core_seconds += work * outcome.ranks
        self._unsaved = since_save

    def _count_standstill(self, core_seconds: float) -> None:
        if self._recovers:
            self.outcome.core_seconds_lost_to_failures += core_seconds
        else:
            super()._count_standstill(core_seconds)
