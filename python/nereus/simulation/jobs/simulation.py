# SPDX-License-Identifier: BSD-3-Clause
"""One scenario under one policy, from the first job to the last."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from simpy import Environment

from nereus.coordinator.coordination import Cancel, Coordinator, Effect, Note, Start
from nereus.coordinator.known_jobs import Command
from nereus.policy.decisions import Policy
from nereus.policy.foreign import guarded
from nereus.policy.turns import Grant
from nereus.simulation.jobs.job import SimulatedJob, Surroundings
from nereus.simulation.jobs.results import Event, Result
from nereus.simulation.jobs.scenario import Job, Scenario
from nereus.simulation.jobs.storage import Storage
from nereus.simulation.jobs.swf import jobs_of


@dataclass(frozen=True)
class Jobs:
    """Of a scenario, or of its trace; `left_out`: how many need more cores than there are."""

    all: Sequence[Job]
    left_out: int


def jobs_in(scenario: Scenario) -> Jobs:
    """ConfigError where a trace cannot be read."""
    if scenario.trace is None:
        return Jobs(scenario.jobs, 0)
    return Jobs(*jobs_of(scenario.trace, scenario.cluster.cores, scenario.seed))


def simulate(
    scenario: Scenario,
    name: str,
    policy: Policy,
    jobs: Jobs | None = None,
    ended: Callable[[str], None] = lambda job: None,
) -> Result:
    """`jobs`: of the scenario, where they are known already; `ended` is told of each job that does.

    PolicyError where a policy of a user's own raises something.
    """
    chosen = jobs_in(scenario) if jobs is None else jobs
    return _Simulation(scenario, chosen.all, guarded(policy), ended).result(name, chosen.left_out)


class _Simulation:
    def __init__(
        self, scenario: Scenario, jobs: Iterable[Job], policy: Policy, ended: Callable[[str], None]
    ) -> None:
        self._scenario = scenario
        self._env = Environment()
        self._coordinator = Coordinator(policy, scenario.cluster.hosts, scenario.tuned())
        store = scenario.storage
        around = Surroundings(
            self._env,
            self._coordinator,
            Storage(self._env, store.bandwidth, store.contention_loss),
            store.bandwidth,
            self._carry_out,
            self._note,
            ended,
        )
        self._events: list[Event] = []
        self._jobs = {
            job.name: SimulatedJob(job, scenario.reconfiguration_of(job), around, [scenario.seed, number])
            for number, job in enumerate(jobs, start=1)
        }

    def result(self, name: str, left_out: int) -> Result:
        for job in self._jobs.values():
            self._env.process(job.run())
        self._env.run(until=self._scenario.until)
        for job in self._jobs.values():
            job.stop()
        found = [job.result for job in self._jobs.values()]
        last = max((job.ended for job in found if job.ended is not None), default=self._env.now)
        over = last if all(job.ended is not None for job in found) else self._env.now
        return Result(name, found, self._events, over, left_out)

    def _carry_out(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Note):
                self._note(effect.job, "note", text=effect.text)
            elif self._scenario.latency > 0:
                self._after(self._scenario.latency, partial(self._arrive, effect))
            else:
                self._arrive(effect)

    def _arrive(self, effect: Effect) -> None:
        job = self._jobs[effect.job]
        match effect:
            case Grant():
                job.grant(effect.epoch)
            case Start():
                job.start(effect.places)
                self._look_when_settled()
            case Command():
                more = {"command": effect.number, "ranks": effect.ranks, "at": effect.at, "why": effect.why}
                self._note(effect.job, "told", **more)
                job.tell(effect)
            case Cancel():
                self._note(effect.job, "cancelled", command=effect.number, why=effect.why)
                job.cancel(effect.number)

    def _note(self, job: str, event: str, **more: Any) -> None:
        self._events.append({"time": self._env.now, "job": job, "event": event, **more})

    def _look_when_settled(self) -> None:
        settle = self._coordinator.parameters.settle
        if settle > 0:
            self._after(settle * (1 + 1e-9), self._look)

    def _after(self, seconds: float, then: Callable[[], None]) -> None:
        passed = self._env.timeout(seconds)
        passed.callbacks.append(lambda _: then())

    def _look(self) -> None:
        """All jobs are there: nobody falls silent here, and no lease ends."""
        now = self._env.now
        for name, job in self._jobs.items():
            if job.runs:
                self._coordinator.heard(name, now)
        self._carry_out(self._coordinator.look(now))
