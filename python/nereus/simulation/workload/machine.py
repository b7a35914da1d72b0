# SPDX-License-Identifier: BSD-3-Clause
"""The machine: jobs come, start as the order says, and end when their work is done or at their limits."""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

from nereus import UserError
from nereus.policy.strategies import Strategy
from nereus.simulation.workload.job import Job, Kind, Outcome, Request, Start
from nereus.simulation.workload.orders.order import SizingOrder, StartOrder
from nereus.simulation.workload.resize_cost import ResizeCost
from nereus.simulation.workload.resizing import Malleable
from nereus.simulation.workload.running import Running
from nereus.simulation.workload.speedup import Speedup

#: Told of each change of a job's ranks: when, the job's number, how many it has from then on; 0 at its end.
Recorder = Callable[[float, int, int], None]


class OrderError(UserError):
    """A start order that starts jobs without cores for them, or forgets jobs: a mistake in its code."""


@dataclass(frozen=True)
class Given:
    """What every machine needs; see `simulate`."""

    jobs: Sequence[Job]
    order: StartOrder
    strategy: Strategy | None
    speedup: Speedup
    ended: Callable[[], None]
    recorder: Recorder | None
    cost: ResizeCost | None
    step: int


class Machine:
    """See `simulate`."""

    def __init__(self, given: Given) -> None:
        order, strategy = given.order, given.strategy
        self._jobs, self._order, self._told, self._recorder = given.jobs, order, given.ended, given.recorder
        self._cost, self._speedup = given.cost, given.speedup
        self._free = order.free
        self._running: dict[int, Running] = {}
        #: Of jobs and of resizes: a heap; those of before a resize are void.
        self._ends: list[tuple[float, int]] = []
        self._outcomes: list[Outcome | None] = [None] * len(given.jobs)
        self._submitted = self._ended = 0
        self._malleable: Malleable | None = None
        if strategy is not None and isinstance(order, SizingOrder):
            self._malleable = Malleable(order, strategy, self._resize, given.step)

    def outcomes(self) -> list[Outcome]:
        while self._ended < len(self._jobs):
            now = self._next_event()
            if now == inf:
                raise OrderError(f"{len(self._jobs) - self._ended} jobs wait, and nothing happens any more")
            self._end_until(now)
            self._submit_until(now)
            self._start(now)
        return [outcome for outcome in self._outcomes if outcome is not None]

    def _next_event(self) -> float:
        return min(self._next_end(), self._next_submission(), self._order.wakes)

    def _next_end(self) -> float:
        while self._ends and not self._is_valid(*self._ends[0]):
            heapq.heappop(self._ends)
        return self._ends[0][0] if self._ends else inf

    def _is_valid(self, end: float, number: int) -> bool:
        return number in self._running and self._running[number].due == end

    def _next_submission(self) -> float:
        return self._jobs[self._submitted].submit if self._submitted < len(self._jobs) else inf

    def _end_until(self, now: float) -> None:
        while self._next_end() <= now:
            _, number = heapq.heappop(self._ends)
            self._come_due(self._running[number], now)

    def _come_due(self, running: Running, now: float) -> None:
        if running.is_resizing:
            self._finish_resize(running, now)
            return
        running.stop(now)
        self._end_for_good(running, now)

    def _end_for_good(self, running: Running, now: float) -> None:
        self._ended += 1
        self._leave(running, now)
        self._told()

    def _leave(self, running: Running, now: float) -> None:
        """Its cores are free."""
        number = running.request.number
        del self._running[number]
        self._free += running.outcome.ranks
        self._order.ended(running.request, now)
        if self._malleable is not None:
            self._malleable.ended(running)
        if self._recorder is not None:
            self._recorder(now, number, 0)

    def _submit_until(self, now: float) -> None:
        while self._next_submission() <= now:
            job, number = self._jobs[self._submitted], self._submitted
            self._submitted += 1
            least = job.least if isinstance(self._order, SizingOrder) else job.ranks
            request = Request(number, job.ranks, least, job.limit, self._speedup, job.idle, job.priority)
            self._order.submitted(request, now)

    def _start(self, now: float) -> None:
        self._start_who_fits(now)
        if self._malleable is None:
            return
        while self._is_first_undisturbed(now) and self._malleable.give_to_first(self._usable(now), now):
            self._start_who_fits(now)
        self._malleable.take_idle(self._usable(now), now)

    def _usable(self, now: float) -> int:
        """Free cores that are not reserved."""
        return self._free - self._order.reserved(now)

    def _is_first_undisturbed(self, now: float) -> bool:
        assert isinstance(self._order, SizingOrder)
        first = self._order.first()
        return first is not None and self._order.is_undisturbed(first, now)

    def _start_who_fits(self, now: float) -> None:
        for start in self._order.starting(now):
            self._run(start, now)

    def _run(self, start: Start, now: float) -> None:
        number, job = start.request.number, self._jobs[start.request.number]
        if start.ranks > self._usable(now) or not job.least <= start.ranks <= job.most:
            raise OrderError(
                f"{job.name} was started on {start.ranks} ranks, {self._usable(now)} cores are free"
            )
        self._free -= start.ranks
        running = self._running[number] = self._started(start, now)
        self._outcomes[number] = running.outcome
        self._expect(running, now)
        if self._recorder is not None:
            self._recorder(now, number, start.ranks)
        if self._malleable is not None and job.kind is Kind.MALLEABLE and self._may_be_resized(start, now):
            self._malleable.started(running)

    def _expect(self, running: Running, now: float) -> None:
        """When it is due may have changed."""
        heapq.heappush(self._ends, (running.due, running.request.number))

    def _started(self, start: Start, now: float) -> Running:
        return Running(start.request, Outcome(self._jobs[start.request.number], now, start.ranks))

    def _may_be_resized(self, start: Start, now: float) -> bool:
        """Without running into a reservation, however few ranks it has."""
        assert isinstance(self._order, SizingOrder)
        return self._order.is_undisturbed(start.request, now)

    def _resize(self, running: Running, ranks: int, now: float) -> None:
        had, of = running.outcome.ranks, running.request.computing
        seconds = 0.0 if self._cost is None else self._cost.of(running.outcome.job, of(had), of(ranks))
        running.resize(ranks, now, seconds)
        self._has_changed(running, had, now)

    def _finish_resize(self, running: Running, now: float) -> None:
        had = running.outcome.ranks
        running.finish_resize(now)
        self._has_changed(running, had, now)
        assert self._malleable is not None
        self._malleable.resized(running)

    def _has_changed(self, running: Running, had: int, now: float) -> None:
        """From so many ranks; a job that leaves cores has them until its resize is done."""
        self._expect(running, now)
        ranks = running.outcome.ranks
        self._free += had - ranks
        if self._recorder is not None and ranks != had:
            self._recorder(now, running.request.number, ranks)
        assert isinstance(self._order, SizingOrder)
        self._order.resized(running.request, ranks, running.killed_at, now)
