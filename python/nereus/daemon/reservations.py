# SPDX-License-Identifier: BSD-3-Clause
"""Cores that are kept for jobs which are about to start, or wait for them.

Whoever starts a job asks again until it has its place; who stops asking is forgotten. What is kept is in the
store, so that after a restart nobody else has those cores, and who came first is first.
"""

from dataclasses import dataclass
from typing import Protocol

from nereus.coordinator.coordination import Coordinator
from nereus.coordinator.effects import Effect, Start
from nereus.coordinator.resources import Places

#: For so long a place is kept when its job was not heard of, or was not asked for again.
KEPT_SECONDS = 60.0


@dataclass(frozen=True)
class Wanted:
    """`granted`: its job was told that it has its place."""

    job: str
    ranks: int
    granted: bool


class Journal(Protocol):
    def wanted(self, wanted: Wanted) -> None: ...

    def not_wanted(self, job: str) -> None: ...


@dataclass
class _Reservation:
    ranks: int
    asked: float
    places: Places | None = None


class Reservations:
    def __init__(self, coordinator: Coordinator, journal: Journal) -> None:
        self._coordinator = coordinator
        self._journal = journal
        self._kept: dict[str, _Reservation] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def asked(self, job: str, ranks: int, now: float) -> list[Effect]:
        """ResourceError where so many will never be there. Again: the same."""
        effects = self._coordinator.wants(job, ranks, now)
        if job in self._coordinator.jobs:
            return effects
        if job not in self._kept:
            self._kept[job] = _Reservation(ranks, now)
            self._journal.wanted(Wanted(job, ranks, granted=False))
        self._kept[job].asked = now
        return effects

    def resumed(self, wanted: Wanted, now: float) -> list[Effect]:
        """From before a restart, when all jobs of then are there."""
        effects = self._coordinator.wants(wanted.job, wanted.ranks, now)
        self._kept[wanted.job] = _Reservation(wanted.ranks, now)
        return effects

    def record_all(self) -> None:
        for job, each in self._kept.items():
            self._journal.wanted(Wanted(job, each.ranks, each.places is not None))

    def places(self, job: str) -> Places | None:
        """None as long as it waits."""
        reservation = self._kept.get(job)
        return reservation.places if reservation is not None else None

    def starts(self, start: Start) -> None:
        kept = self._kept.get(start.job)
        if kept is not None:
            kept.places = start.places
            self._journal.wanted(Wanted(start.job, kept.ranks, granted=True))

    def came(self, job: str) -> None:
        self._drop(job)

    def released(self, job: str, now: float) -> list[Effect]:
        return self._coordinator.ended(job, now) if self._drop(job) else []

    def expired(self, now: float) -> list[tuple[str, list[Effect]]]:
        late = [job for job, each in self._kept.items() if now - each.asked > KEPT_SECONDS]
        return [(job, self.released(job, now)) for job in late]

    def _drop(self, job: str) -> bool:
        """Whether something was kept for it."""
        if self._kept.pop(job, None) is None:
            return False
        self._journal.not_wanted(job)
        return True
