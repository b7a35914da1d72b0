# SPDX-License-Identifier: BSD-3-Clause
"""What a site sets beside the name of a start order."""

from dataclasses import dataclass

#: Slurm's PriorityMaxAge, where a site does not set it.
WEEK = 7 * 86400.0


@dataclass(frozen=True)
class Weights:
    """Of what a job's priority is the sum of: each is multiplied by a factor from 0 to 1.

    `age`: by the time that it waits, over `max_age`; `size`: by its share of the machine's cores; `job`: by
    what the job brings.
    """

    age: float = 0.0
    max_age: float = WEEK
    size: float = 0.0
    job: float = 0.0


@dataclass(frozen=True)
class Reservation:
    """In advance: so many cores, which no job has from `begin` to `end`, for maintenance or for users."""

    begin: float
    end: float
    cores: int


@dataclass(frozen=True)
class Rules:
    """Each order looks at those that it knows. Reservations are for orders that know limits."""

    weights: Weights = Weights()
    reservations: tuple[Reservation, ...] = ()


NO_RULES = Rules()
