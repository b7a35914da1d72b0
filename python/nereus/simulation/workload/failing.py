# SPDX-License-Identifier: BSD-3-Clause
"""The machine where nodes fail: jobs lose work and cores, and nodes are out of service until repaired."""

import heapq
from math import inf

from nereus import UserError
from nereus.simulation.workload.failures import Draws, Failures, Recovery
from nereus.simulation.workload.hindered import Hindered
from nereus.simulation.workload.job import Request, Start
from nereus.simulation.workload.machine import Given
from nereus.simulation.workload.running import Running
from nereus.simulation.workload.sharing import SharingMachine
from nereus.simulation.workload.storage import Storage

#: Of nodes alone, one after the other: then a job waits for more cores than are ever in service at once.
_MOST_EVENTS_WITHOUT_JOBS = 100_000


class NodesError(UserError):
    """Nodes are out of service for so long that a job never starts."""


class FailingMachine(SharingMachine):
    """Each job has the time of its next failure, drawn anew when its ranks change: what was before does not
    matter to an exponential distribution. Idle nodes fail too, which matters only where repairs take time.
    """

    def __init__(self, given: Given, storage: Storage | None, failures: Failures) -> None:
        super().__init__(given, storage)
        self._failures: Failures = failures
        self._draws = Draws(failures)
        self._cores = given.order.free
        self._again: list[Request] = []  # who is submitted again, once all has ended that ends now
        self._broken: list[int] = []  # cores, the same
        self._repairs: list[tuple[float, int]] = []  # when, how many cores
        self._without_jobs = 0
        self._failed_at: dict[int, float] = {}  # of jobs that wait again
        self._next_of_idle = self._draws.seconds_of_machine(self._cores) if failures.repair > 0 else inf

    def _next_event(self) -> float:
        all_wait = not self._running and self._next_submission() == inf
        self._without_jobs = self._without_jobs + 1 if all_wait else 0
        if self._without_jobs > _MOST_EVENTS_WITHOUT_JOBS:
            raise NodesError(
                f"failures.repair = {self._failures.repair:g}: {len(self._jobs) - self._ended} jobs wait for "
                "more cores than are ever in service at once; allowed are shorter repairs, or a longer mtbf"
            )
        return min(super()._next_event(), self._next_of_nodes())

    def _next_of_nodes(self) -> float:
        return min(self._next_of_idle, self._repairs[0][0] if self._repairs else inf)

    def _end_until(self, now: float) -> None:
        super()._end_until(now)
        while self._repairs and self._repairs[0][0] <= now:
            _, cores = heapq.heappop(self._repairs)
            self._free += cores
            self._order.repaired(cores)
        for cores in self._broken:
            self._break(cores, now)
        if self._next_of_idle <= now:
            self._next_of_idle = now + self._draws.seconds_of_machine(self._cores)
            if self._draws.is_idle(self._free, self._cores):
                self._break(min(self._failures.cores_per_node, self._free), now)
        for request in self._again:
            self._order.submitted(request, now)
        self._broken.clear()
        self._again.clear()

    def _break(self, cores: int, now: float) -> None:
        """So many free ones."""
        until = now + self._failures.repair
        self._free -= cores
        self._order.broke(cores, until, now)
        heapq.heappush(self._repairs, (until, cores))

    def _come_due(self, running: Running, now: float) -> None:
        assert isinstance(running, Hindered)
        if running.has_failed(now):
            self._fail(running, now)
        else:
            super()._come_due(running, now)

    def _fail(self, running: Hindered, now: float) -> None:
        outcome, recovery = running.outcome, self._failures.recovery
        lost = self._draws.lost(outcome.ranks)
        running.fail(now)
        if recovery is Recovery.NONE or outcome.failures > self._failures.most_restarts:
            outcome.failed, outcome.ended = True, now
            self._end_for_good(running, now)
        elif recovery is Recovery.SHRINK and self._can_shrink(running, lost):
            self._shrink(running, outcome.ranks - lost, now)
        else:
            self._leave(running, now)
            self._failed_at[running.request.number] = now
            self._again.append(running.request)
        if self._failures.repair > 0:
            self._broken.append(lost)

    def _can_shrink(self, running: Hindered, lost: int) -> bool:
        """Not while it is resized or recovers: it may be that its ranks do not know one another."""
        is_able = self._malleable is not None and self._malleable.has(running) and not running.is_resizing
        return is_able and running.outcome.ranks - lost >= running.outcome.job.least

    def _shrink(self, running: Hindered, ranks: int, now: float) -> None:
        def shrink() -> None:
            had = running.outcome.ranks
            running.outcome.resizes += 1
            running.recover(now, self._failures.recovery_cost, ranks)
            self._has_changed(running, had, now)

        assert self._malleable is not None
        self._malleable.shrink(running, shrink)

    def _started(self, start: Start, now: float) -> Hindered:
        number = start.request.number
        outcome = self._outcomes[number]
        if outcome is None:
            running = super()._started(start, now)
        else:
            outcome.ranks = start.ranks
            outcome.waited_again_seconds += now - self._failed_at.pop(number)
            running = Hindered(start.request, outcome, now, self._failures)
            running.recover(now, self._failures.recovery_cost, start.ranks)
            self._sharing(running)
        running.fails_at = now + self._draws.seconds(start.ranks)
        return running

    def _finish_resize(self, running: Running, now: float) -> None:
        if self._malleable is not None and self._malleable.has(running):
            super()._finish_resize(running, now)
        else:  # a recovery, of which neither order nor strategy knows
            running.finish_resize(now)
            self._expect(running, now)

    def _has_changed(self, running: Running, had: int, now: float) -> None:
        assert isinstance(running, Hindered)
        if running.outcome.ranks != had:
            running.fails_at = now + self._draws.seconds(running.outcome.ranks)
        super()._has_changed(running, had, now)
