# SPDX-License-Identifier: BSD-3-Clause
"""Cores that are kept for jobs which are about to start, or wait for them.

Whoever starts a job asks again until it has its place; who stops asking is forgotten.
"""

from dataclasses import dataclass

from nereus.policy.coordination import Coordinator
from nereus.policy.effects import Effect, Start
from nereus.policy.resources import Places

#: For so long a place is kept when its job was not heard of, or was not asked for again.
KEPT_SECONDS = 60.0


@dataclass
class _Reservation:
    ranks: int
    asked: float
    places: Places | None = None


class Reservations:
    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator
        self._kept: dict[str, _Reservation] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def asked(self, job: str, ranks: int, now: float) -> list[Effect]:
        """ResourceError where so many will never be there. Again: the same."""
        effects = self._coordinator.wants(job, ranks, now)
        if job in self._coordinator.jobs:
            return effects
        reservation = self._kept.setdefault(job, _Reservation(ranks, now))
        reservation.asked = now
        return effects

    def places(self, job: str) -> Places | None:
        """None as long as it waits."""
        reservation = self._kept.get(job)
        return reservation.places if reservation is not None else None

    def starts(self, start: Start) -> None:
        if start.job in self._kept:
            self._kept[start.job].places = start.places

    def came(self, job: str) -> None:
        self._kept.pop(job, None)

    def released(self, job: str, now: float) -> list[Effect]:
        return self._coordinator.ended(job, now) if self._kept.pop(job, None) is not None else []

    def expired(self, now: float) -> list[tuple[str, list[Effect]]]:
        late = [job for job, each in self._kept.items() if now - each.asked > KEPT_SECONDS]
        return [(job, self.released(job, now)) for job in late]
