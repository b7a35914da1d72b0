# SPDX-License-Identifier: BSD-3-Clause
"""What every start order can be told and asked."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from math import inf

from nereus.simulation.workload.job import Request, Start
from nereus.simulation.workload.orders.rules import NO_RULES, Rules


class StartOrder(ABC):
    """Of one machine. Jobs that are submitted or end at one time are told first, then who starts is asked."""

    def __init__(self, cores: int, rules: Rules = NO_RULES) -> None:
        self.free = cores
        self.reservations = rules.reservations

    def reserved(self, now: float) -> int:
        """Cores that no job may have now."""
        if not self.reservations:
            return 0
        return sum(each.cores for each in self.reservations if each.begin <= now < each.end)

    @property
    def wakes(self) -> float:
        """When it is to be asked again, even if nothing happens until then."""
        return inf

    def broke(self, cores: int, until: float, now: float) -> None:
        """So many free cores are out of service up to then."""
        self.free -= cores

    def repaired(self, cores: int) -> None:
        """They are back."""
        self.free += cores

    @abstractmethod
    def submitted(self, job: Request, now: float) -> None:
        """It waits from now on."""

    @abstractmethod
    def starting(self, now: float) -> Iterator[Start]:
        """Who starts now, one after the other: each waits no more and has its cores from now on."""

    @abstractmethod
    def ended(self, job: Request, now: float) -> None:
        """Its cores are free."""


class SizingOrder(StartOrder):
    """One that starts jobs on fewer ranks than they asked for, and of running jobs that are resized."""

    def is_undisturbed(self, job: Request, now: float) -> bool:
        """Whether it ends before the next reservation if it starts now, however few ranks it has."""
        if not self.reservations:
            return True
        begins = (each.begin for each in self.reservations if each.begin > now)
        return now + job.limit_on(job.least) <= min(begins, default=inf)

    @abstractmethod
    def first(self) -> Request | None:
        """Who waits before all others."""

    @abstractmethod
    def resized(self, job: Request, ranks: int, end: float, now: float) -> None:
        """It has so many ranks from now on, and is killed at `end`."""
