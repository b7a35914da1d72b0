# SPDX-License-Identifier: BSD-3-Clause
"""Which cores of which hosts a job has (paper, section 4.4).

A job gets cores where it has most already, then on hosts that others use, the fullest first, so that empty
ones stay for others. A loan is to come back at an iteration of its job, and is free when the job says that
it gave it back, not before. For a job that is to start, loans and what jobs got beyond their start are
asked back.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from sortedcontainers import SortedList

Places = Mapping[str, int]  # cores on each host


@dataclass(frozen=True)
class Loan:
    number: int
    job: str
    places: Places
    until_iteration: int


@dataclass(frozen=True)
class TakeBack:
    """What a job is to give back: a loan, or cores beyond those that it started with."""

    job: str
    places: Places
    loan: int | None = None


class ResourceError(Exception):
    """What was asked for cannot be; the message says why. Nothing has changed."""


class Resources:
    def __init__(self, cores: Mapping[str, int]) -> None:
        self._cores = dict(cores)
        self._used: Counter[str] = Counter()
        self._all_cores = self._free_cores = sum(self._cores.values())
        # Hosts with free cores, those first on which others are, the fullest before the others.
        self._open = SortedList(self._place(host) for host in self._cores if self._free_on(host))
        self._held: dict[str, Counter[str]] = {}
        self._own: dict[str, int] = {}  # cores that a job started with
        self._loans: dict[int, Loan] = {}
        self._last_loan = 0

    @property
    def all_cores(self) -> int:
        return self._all_cores

    def has(self, host: str) -> bool:
        return host in self._cores

    @property
    def free(self) -> dict[str, int]:
        return {host: self._free_on(host) for host in self._cores}

    @property
    def free_cores(self) -> int:
        return self._free_cores

    def free_for(self, job: str) -> int:
        """Cores that this job may get."""
        return self.free_cores

    def check_start(self, job: str, ranks: int) -> None:
        """ResourceError where a job can never start with so many."""
        if ranks < 1 or ranks > self.all_cores:
            raise ResourceError(f"{job}: {ranks} cores: 1 to {self.all_cores} are there")

    def can_start(self, ranks: int) -> bool:
        return ranks <= self.free_cores

    @property
    def loans(self) -> list[Loan]:
        return list(self._loans.values())

    def held(self, job: str) -> dict[str, int]:
        return dict(self._held.get(job, {}))

    def start(self, job: str, ranks: int) -> Places:
        """ResourceError where so many are not free: taking_back() says what would help."""
        if job in self._held:
            raise ResourceError(f"{job}: has started already")
        places = self._take(job, ranks)
        self._own[job] = ranks
        return places

    def grow(self, job: str, ranks: int) -> Places:
        self._known(job)
        return self._take(job, ranks)

    def lend(self, job: str, ranks: int, until_iteration: int) -> Loan:
        self._known(job)
        return self._lend(job, self._take(job, ranks), until_iteration)

    def returned(self, number: int) -> None:
        """The job gave the loan back. Once more: changes nothing."""
        loan = self._loans.pop(number, None)
        if loan is not None:
            self._give_back(loan.job, loan.places)

    def shrunk(self, job: str, places: Places) -> None:
        """The job gave cores back that were not lent; it may come to have fewer than it started with."""
        self._known(job)
        lent = self._lent(job)
        for host, cores in places.items():
            kept = self._held[job][host] - lent[host]
            if not 0 <= cores <= kept:
                raise ResourceError(f"{job}: gives back {cores} cores of {host}, and has {kept} there")
        self._give_back(job, places)

    def settle(self, job: str, places: Places, promised: int = 0) -> None:
        """The job says where its ranks are, be there cores for all of them or not.

        Of those that it was given it keeps as many beside them as make `promised`: it has yet to grow.
        """
        there = Counter(places)
        given = self._held.get(job, Counter()) - there
        self._hold(job, there + _at_most(given, max(0, promised - there.total())))
        self._own.setdefault(job, there.total())
        self._find_loans_of(job)

    def lent_before(self, job: str, cores: int, until_iteration: int) -> Loan:
        """After a restart: of what the job has, so many were lent; never all."""
        self._known(job)
        held = self._held[job]
        self._own[job] = min(self._own[job], max(1, held.total() - cores))
        places = _at_most(held, min(cores, held.total() - 1))
        return self._lend(job, dict(places), until_iteration)

    def ended(self, job: str) -> None:
        self._hold(job, Counter())
        self._held.pop(job, None)
        self._own.pop(job, None)
        self._loans = {number: loan for number, loan in self._loans.items() if loan.job != job}

    def taking_back(self, ranks: int, spared: Collection[str] = ()) -> list[TakeBack]:
        """What has to come back, loans first and the latest first, so that so many are free; of jobs that
        are `spared` nothing.

        ResourceError where not even all of it would be enough.
        """
        missing = ranks - self.free_cores
        asked: list[TakeBack] = []
        for each, most in self._that_may_come_back():
            if missing <= 0:
                break
            if each.job in spared:
                continue
            if each.loan is None:
                each = replace(each, places=dict(_at_most(Counter(each.places), min(most, missing))))
            asked.append(each)
            missing -= sum(each.places.values())
        if missing > 0:
            raise ResourceError(
                f"{ranks} cores: {missing} more than there are beside those jobs started with"
            )
        return asked

    def _that_may_come_back(self) -> Iterable[tuple[TakeBack, int]]:
        """And how many cores of it."""
        for loan in reversed(self._loans.values()):
            yield TakeBack(loan.job, loan.places, loan.number), sum(loan.places.values())
        for job, held in self._held.items():
            kept = held - self._lent(job)
            if kept.total() > self._own[job]:
                yield TakeBack(job, dict(kept)), kept.total() - self._own[job]

    def _known(self, job: str) -> None:
        if job not in self._held:
            raise ResourceError(f"{job}: has not started, or has ended")

    def _lent(self, job: str) -> Counter[str]:
        return sum((Counter(loan.places) for loan in self._loans.values() if loan.job == job), Counter[str]())

    def _lend(self, job: str, places: Places, until_iteration: int) -> Loan:
        self._last_loan += 1
        loan = Loan(self._last_loan, job, places, until_iteration)
        self._loans[loan.number] = loan
        return loan

    def _take(self, job: str, ranks: int) -> Places:
        if ranks < 1 or ranks > self._free_cores:
            raise ResourceError(f"{job}: {ranks} cores: 1 to {self._free_cores} are free")
        own = self._held.get(job, Counter())
        places: dict[str, int] = {}
        for host in self._nearest(own):
            places[host] = min(ranks, self._free_on(host))
            ranks -= places[host]
            if ranks == 0:
                break
        self._hold(job, own + Counter(places))
        return places

    def _nearest(self, own: Counter[str]) -> Iterable[str]:
        """Hosts with free cores: those first where the job has most."""
        theirs = (host for host in own if own[host] > 0 and self._free_on(host))
        yield from sorted(theirs, key=lambda host: (-own[host], self._place(host)))
        yield from (host for _, _, host in self._open if own[host] == 0)

    def _place(self, host: str) -> tuple[bool, int, str]:
        free = self._free_on(host)
        return free == self._cores[host], free, host

    def _give_back(self, job: str, places: Places) -> None:
        if job in self._held:
            self._hold(job, self._held[job] - Counter(places))

    def _hold(self, job: str, places: Counter[str]) -> None:
        """All that changes what a job has goes through here."""
        before = self._held.get(job, Counter())
        for host in before.keys() | places.keys():
            self._use(host, places[host] - before[host])
        self._held[job] = places

    def _use(self, host: str, more: int) -> None:
        if self._free_on(host):
            self._open.remove(self._place(host))
        self._free_cores -= self._free_on(host)
        self._used[host] += more
        self._free_cores += self._free_on(host)
        if self._free_on(host):
            self._open.add(self._place(host))

    def _free_on(self, host: str) -> int:
        return max(0, self._cores.get(host, 0) - self._used[host])

    def _find_loans_of(self, job: str) -> None:
        """Where they were meant to be, as far as the job is there; else where it has fewest."""
        left = self._held[job]
        for loan in [loan for loan in self._loans.values() if loan.job == job]:
            cores = sum(loan.places.values())
            places = Counter(loan.places) & left
            places += _at_most(left - places, cores - places.total())
            left = left - places
            if places:
                self._loans[loan.number] = replace(loan, places=dict(places))
            else:
                del self._loans[loan.number]


def _at_most(there: Counter[str], cores: int) -> Counter[str]:
    """Of hosts where the job has fewest, so that it stays together."""
    chosen: Counter[str] = Counter()
    for host, on_it in sorted(there.items(), key=lambda place: (place[1], place[0])):
        if cores > 0:
            chosen[host] = min(on_it, cores)
            cores -= chosen[host]
    return chosen
