# SPDX-License-Identifier: BSD-3-Clause
"""EASY backfilling by priority: before all others is who has the highest, not who came first.

Priorities are those of Slurm's plugin priority/multifactor, without fair share: a weighted sum of age, size
and what the job brings. They are made anew whenever something happens, where Slurm has a period for it.
"""

from collections.abc import Iterator

from nereus.simulation.workload.job import Request, Start
from nereus.simulation.workload.orders.easy import Easy
from nereus.simulation.workload.orders.rules import NO_RULES, Rules
from nereus.simulation.workload.prioritised import Prioritised


class Priority(Easy):
    """Who is before all others changes as jobs wait, so that a reservation may be lost to another job."""

    def __init__(self, cores: int, rules: Rules = NO_RULES) -> None:
        super().__init__(cores, rules)
        self._waiting: Prioritised = Prioritised(cores, rules.weights)

    def submitted(self, job: Request, now: float) -> None:
        """Its age is counted from now on."""
        self._waiting.look(now)
        super().submitted(job, now)

    def starting(self, now: float) -> Iterator[Start]:
        """As EASY does, by the priorities of now."""
        self._waiting.look(now)
        return super().starting(now)
