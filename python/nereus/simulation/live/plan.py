# SPDX-License-Identifier: BSD-3-Clause
"""Which runs a live study has, and in which order they are made. Pure."""

import re
from dataclasses import dataclass

from nereus.simulation.jobs import Scenario
from nereus.simulation.live.model import Study


@dataclass(frozen=True)
class Planned:
    """`delay`: by which the last job starts later than the file says; None where no delays are tried."""

    policy: str
    delay: float | None
    repetition: int

    @property
    def case(self) -> str:
        """What repetitions have in common."""
        return self.policy if self.delay is None else f"{self.policy}, delay {self.delay:g} s"

    @property
    def name(self) -> str:
        """Of its folder."""
        policy = re.sub(r"[^A-Za-z0-9.-]+", "-", self.policy)
        delay = "" if self.delay is None else f"_delay-{self.delay:g}"
        return f"{policy}{delay}_{self.repetition}"


def planned_runs(study: Study) -> list[Planned]:
    """Repetition by repetition: what is compared should have seen the same of a machine that changes."""
    delays: list[float | None] = [*study.live.delays] or [None]
    return [
        Planned(policy, delay, repetition)
        for repetition in range(1, study.live.repetitions + 1)
        for delay in delays
        for policy in study.scenario.compared
    ]


def scenario_for(study: Study, planned: Planned) -> Scenario:
    """With the last job as late as the run has it, and random numbers of its own for each repetition."""
    scenario = study.scenario
    jobs = list(scenario.jobs)
    jobs[-1] = jobs[-1].model_copy(update={"start": jobs[-1].start + (planned.delay or 0.0)})
    return scenario.model_copy(update={"jobs": jobs, "seed": scenario.seed + planned.repetition - 1})
