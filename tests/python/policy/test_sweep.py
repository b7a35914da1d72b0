# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a job that never returns to its size, or of which nothing is learnt."""

from nereus.coordinator.coordination import Coordinator
from nereus.coordinator.effects import Effect
from nereus.coordinator.known_jobs import About, Command
from nereus.policy.decisions import Policy, Resize, State
from nereus.policy.parameters import Parameters
from nereus.policy.sweep import Sweep

PARAMETERS = Parameters(enough_times=2)


class Machine:
    """A job that does what it is told and takes 8 s on one rank."""

    def __init__(self, policy: Policy, cores: int = 32, ranks: int = 4, most: int = 16) -> None:
        self.coordinator = Coordinator(policy, {"n": cores}, PARAMETERS)
        self.ranks, self.iteration, self.time = ranks, 0, 0.0
        self.sizes = [ranks]
        self.reasons: list[str] = []
        self.take(self.coordinator.came(About("j", {"n": ranks}, most), 0.0))

    def take(self, effects: list[Effect]) -> None:
        for each in effects:
            if isinstance(each, Command):
                self.ranks = each.ranks
                self.sizes.append(each.ranks)
                self.reasons.append(each.why)
                told = self.coordinator.resized(
                    "j", each.number, {"n": each.ranks}, self.iteration, self.time
                )
                self.take(told)

    def run(self, samples: int) -> "Machine":
        for _ in range(samples):
            self.iteration += 1
            self.time += 1.0
            self.take(self.coordinator.measured("j", self.ranks, 8.0 / self.ranks, self.time))
        return self


def test_job_runs_through_some_sizes_and_returns_to_its_first() -> None:
    machine = Machine(Sweep()).run(20)
    assert machine.sizes == [4, 8, 2, 16, 4]
    model = machine.coordinator.jobs["j"].model(PARAMETERS)
    assert abs(model.seconds(16) - 0.5) < 1e-6


def test_requested_sizes_are_timed() -> None:
    machine = Machine(Sweep(sizes=(1, 6))).run(20)
    assert machine.sizes == [4, 1, 6, 4]
    assert machine.reasons[:2] == ["to be timed on 1 rank", "to be timed on 6 ranks"]


def test_sizes_beyond_the_available_cores_are_not_tried() -> None:
    assert max(Machine(Sweep(), cores=8).run(20).sizes) == 8


def test_known_sizes_are_not_timed_again() -> None:
    from nereus.policy.performance import Measured

    coordinator = Coordinator(Sweep(), {"n": 32}, PARAMETERS)
    profile = [Measured(ranks, 8.0 / ranks) for ranks in (2, 4, 8, 16)]
    effects = coordinator.came(About("j", {"n": 4}, 16, profile=profile), 0.0)
    assert not any(isinstance(each, Command) for each in effects)


def test_finished_sweep_is_not_repeated_when_cores_become_free() -> None:
    machine = Machine(Sweep(), cores=8)
    machine.coordinator.came(About("other", {"n": 4}, 4), 0.0)
    machine.run(20)
    machine.take(machine.coordinator.ended("other", machine.time))
    machine.run(20)
    assert machine.sizes[-1] == 4
    assert max(machine.sizes[machine.sizes.index(2) :]) == 4


class Grows(Policy):
    def decide(self, state: State, parameters: Parameters) -> list[Resize]:
        return [Resize(job.name, 5, "one more") for job in state.settled if job.ranks == 4]


def test_inner_policy_decides_after_the_sweep() -> None:
    assert Machine(Sweep(Grows())).run(20).sizes == [4, 8, 2, 16, 4, 5]


def test_refused_size_is_given_up() -> None:
    coordinator = Coordinator(Sweep(sizes=(8,)), {"n": 32}, PARAMETERS)
    effects = coordinator.came(About("j", {"n": 4}, 16), 0.0)
    told, now = 0, 0.0
    for _ in range(10):
        for each in [each for each in effects if isinstance(each, Command)]:
            told += 1
            coordinator.refused("j", each.number, "no", now)
        now += PARAMETERS.cool_down_seconds + 1
        coordinator.heard("j", now)
        effects = coordinator.look(now)
    assert told == 2
