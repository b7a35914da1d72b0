# SPDX-License-Identifier: BSD-3-Clause
"""What a policy sees and what it may say: the interface that a researcher's own policy fills in.

A policy is asked after each event that may change what it would say: an I/O phase is over, a job came or
ended, a resize is done or was refused. It keeps nothing between two questions that it could not do without:
after a restart of the daemon it is a new one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.turns import OneByOne, Order


@dataclass(frozen=True)
class State:
    """`jobs`: of each, `most` is what it may have with the cores that are `free` now; looked at when they are
    asked for, which takes its time where there are many. `last_came`: when the latest of them did. `watts`:
    that the processor packages of the daemon's host used in the last second; None where it cannot be read.
    """

    now: float
    jobs: Sequence[Job]
    free: int
    last_came: float = 0.0
    watts: float | None = None

    @property
    def settled(self) -> Sequence[Job]:
        """Of which no resize is under way, nor was refused just now: what is said of others is dropped."""
        return [job for job in self.jobs if not job.resizing]


@dataclass(frozen=True)
class Resize:
    """`job` is to have `ranks` from the checkpoint of iteration `at` on (None: as soon as it can); with
    `until`, cores are lent, and at that iteration it has as many again as it has now.
    """

    job: str
    ranks: int
    why: str
    at: int | None = None
    until: int | None = None


@dataclass(frozen=True)
class Leave:
    """Nothing is done where something would be: why, for people. Told once for the same reason."""

    job: str
    why: str


Decision = Resize | Leave


class Policy:
    """To be derived from. `order` says who may write beside whom; with this one, one job after the other."""

    order: Order = OneByOne()

    def decide(self, state: State, parameters: Parameters) -> Sequence[Decision]:
        """What is senseless, or goes beyond the free cores, is dropped and noted."""
        return []

    def make_room(self, state: State, cores: int, parameters: Parameters) -> Sequence[Resize] | None:
        """Which jobs give some, for a job that waits and lacks so many beside those that are free, or will be
        when what jobs were told is done. None: cores come back that jobs were given beyond their start.
        """
        return None
