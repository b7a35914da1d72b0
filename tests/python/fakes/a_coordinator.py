# SPDX-License-Identifier: BSD-3-Clause
"""A coordinator with jobs on one host, and a policy that decides what a test tells it to."""

from collections.abc import Sequence
from typing import Any

from nereus.coordinator.coordination import Coordinator, Effect
from nereus.coordinator.known_jobs import About, Command
from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.policies import Blocking
from nereus.policy.prediction import IoPhase


class Says(Policy):
    """What it is told to, once."""

    def __init__(self, *decided: Resize) -> None:
        self.decided = list(decided)
        self.asked = 0

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        self.asked += 1
        self.state = state
        said, self.decided = self.decided, []
        return said


class GrowsAndShrinks(Policy):
    """Each job at each decision, and by turns."""

    def decide(self, state: State, parameters: Parameters) -> Sequence[Resize]:
        more = int(state.now) % 5 - 1
        return [Resize(job.name, min(job.most, job.ranks + more), "") for job in state.jobs]


def about(name: str, ranks: int = 2, host: str = "h1", **more: Any) -> About:
    return About(name, {host: ranks}, **{"most": 100, **more})


def coordinator(policy: Policy | None = None, cores: int = 8, **parameters: Any) -> Coordinator:
    return Coordinator(policy or Blocking(), {"h1": cores}, Parameters(**parameters))


def with_jobs(*names: str, policy: Policy | None = None, cores: int = 8, **parameters: Any) -> Coordinator:
    made = coordinator(policy, cores, **parameters)
    for name in names:
        made.came(about(name), 0.0)
    return made


def phase(start: float, iteration: int, wait: float = 0.0, service: float = 1.0, ranks: int = 2) -> IoPhase:
    return IoPhase(start, wait, service, iteration, ranks)


def commands(effects: Sequence[Effect]) -> list[Command]:
    return [each for each in effects if isinstance(each, Command)]
