# SPDX-License-Identifier: BSD-3-Clause
"""The start orders once more, as plainly as they can be written: each thing is looked up in all jobs again.

What they promise is kept beside when jobs start: with it tests say whether a reservation was kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from nereus.simulation.workload.job import Job
from nereus.simulation.workload.orders.rules import NO_RULES, Rules

#: Submission, ranks, seconds, limit.
Numbers = tuple[float, int, float, float]
#: From when to when, and how many cores.
Taken = tuple[float, float, int]


def rigid_jobs(numbers: Sequence[Numbers]) -> list[Job]:
    """Their names are their places."""
    return [Job.rigid(f"{index}", *each) for index, each in enumerate(numbers)]


@dataclass
class Plan:
    """By the numbers of jobs: when each started, and its first reservation where it had one."""

    started: dict[int, float] = field(default_factory=dict)
    promised: dict[int, float] = field(default_factory=dict)


Order = Callable[["Site"], None]


@dataclass
class Site:
    """`waiting`: by reservations that it has, which easy makes anew."""

    jobs: Sequence[Job]
    cores: int
    now: float = 0.0
    waiting: dict[int, float | None] = field(default_factory=dict)
    ends: dict[int, float] = field(default_factory=dict)  # of running jobs, as it turns out
    ended_early: bool = False
    plan: Plan = field(default_factory=Plan)
    rules: Rules = NO_RULES

    def priority(self, number: int) -> float:
        job, weights = self.jobs[number], self.rules.weights
        age = weights.age * min((self.now - job.submit) / weights.max_age, 1.0)
        return age + (weights.size * (job.ranks / self.cores) + weights.job * job.priority)

    def running(self) -> list[Taken]:
        """Up to their limits; with what is reserved."""
        return [
            *((each.begin, each.end, each.cores) for each in self.rules.reservations),
            *(
                (self.now, self.plan.started[number] + self.jobs[number].limit, self.jobs[number].ranks)
                for number in self.ends
            ),
        ]

    def fits_now(self, number: int) -> bool:
        return self.earliest(self.jobs[number], self.running()) == self.now

    def free(self, time: float, taken: Sequence[Taken]) -> int:
        return self.cores - sum(ranks for begin, end, ranks in taken if begin <= time < end)

    def earliest(self, job: Job, taken: Sequence[Taken]) -> float:
        """Cores only get free when something ends; until then it is enough to look where something begins."""

        def fits(start: float) -> bool:
            begins = [begin for begin, _, _ in taken if start < begin < start + job.limit]
            return all(self.free(time, taken) >= job.ranks for time in (start, *begins))

        times = [self.now, *(end for _, end, _ in taken if end > self.now)]
        return min(time for time in times if fits(time))

    def start(self, number: int) -> None:
        job = self.jobs[number]
        del self.waiting[number]
        self.plan.started[number] = self.now
        self.ends[number] = self.now + min(job.seconds, job.limit)


def fcfs(site: Site) -> None:
    _from_the_first_on(site, sorted(site.waiting))


def easy(site: Site) -> None:
    _backfilled(site, sorted(site.waiting))


def priority(site: Site) -> None:
    _backfilled(site, sorted(site.waiting, key=lambda number: (-site.priority(number), number)))


def _from_the_first_on(site: Site, queue: list[int]) -> None:
    while queue and site.fits_now(queue[0]):
        site.start(queue.pop(0))


def _backfilled(site: Site, queue: list[int]) -> None:
    _from_the_first_on(site, queue)
    if not queue:
        return
    first, *others = queue
    reserved = site.earliest(site.jobs[first], site.running())
    site.plan.promised.setdefault(first, reserved)
    for number in others:
        if not site.fits_now(number):
            continue
        own = (site.now, site.now + site.jobs[number].limit, site.jobs[number].ranks)
        if site.earliest(site.jobs[first], [*site.running(), own]) <= reserved:
            site.start(number)


def conservative(site: Site) -> None:
    moved = site.ended_early
    while moved:
        moved = any([_moved_up(site, number) for number in sorted(site.waiting)])
    for number in sorted(site.waiting):
        if site.waiting[number] is None:
            reserved = site.earliest(site.jobs[number], [*site.running(), *_reserved(site)])
            site.waiting[number] = site.plan.promised[number] = reserved
    for number in sorted(site.waiting):
        if site.waiting[number] == site.now:
            site.start(number)


def _reserved(site: Site, without: int = -1) -> list[Taken]:
    return [
        (start, start + site.jobs[number].limit, site.jobs[number].ranks)
        for number, start in site.waiting.items()
        if start is not None and number != without
    ]


def _moved_up(site: Site, number: int) -> bool:
    before = site.waiting[number]
    if before is None:
        return False
    site.waiting[number] = site.earliest(site.jobs[number], [*site.running(), *_reserved(site, number)])
    return site.waiting[number] != before


ORDERS: dict[str, Order] = {
    "fcfs": fcfs,
    "easy": easy,
    "conservative": conservative,
    "priority": priority,
}


def plan_of(name: str, jobs: Sequence[Job], cores: int, rules: Rules = NO_RULES) -> Plan:
    """When each job starts."""
    site, submitted = Site(jobs, cores, rules=rules), 0
    while submitted < len(jobs) or site.waiting or site.ends:
        times = [*site.ends.values(), *(job.submit for job in jobs[submitted : submitted + 1])]
        times += [start for start in site.waiting.values() if start is not None and start > site.now]
        times += [each.end for each in rules.reservations if each.end > site.now]
        site.now = min(times)
        over = [number for number, end in site.ends.items() if end <= site.now]
        early = [number for number in over if jobs[number].seconds < jobs[number].limit]
        for number in over:
            del site.ends[number]
        while submitted < len(jobs) and jobs[submitted].submit <= site.now:
            site.waiting[submitted] = None
            submitted += 1
        site.ended_early = bool(early)
        ORDERS[name](site)
    return site.plan
