# SPDX-License-Identifier: BSD-3-Clause
"""A job as a process of SimPy: computes, writes, and is resized at its checkpoints.

An iteration is computed; after it comes the I/O phase, where one is due, and after that the checkpoint, as in
Algorithm 2 of the paper. Commands are carried out as docs/formats/daemon.md says: by their numbers, one
after the other, each no earlier than at its iteration.
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from simpy import Environment
from simpy import Event as Happening

from nereus.coordinator.coordination import Coordinator, Effect
from nereus.coordinator.known_jobs import About, Command
from nereus.coordinator.resources import Places
from nereus.policy.performance import Measured
from nereus.policy.prediction import IoPhase, Prediction
from nereus.simulation.jobs.pace import Pace
from nereus.simulation.jobs.results import Foretold, JobResult
from nereus.simulation.jobs.scenario import Job, Reconfiguration
from nereus.simulation.jobs.storage import Storage

Steps = Generator[Happening, Any, None]


@dataclass(frozen=True)
class Surroundings:
    """`carry_out`: what the coordinator says; `note`: an event for people; `over`: a job has ended."""

    env: Environment
    coordinator: Coordinator
    storage: Storage
    bandwidth: float
    carry_out: Callable[[Iterable[Effect]], None]
    note: Callable[..., None]
    over: Callable[[str], None]


class SimulatedJob:
    def __init__(self, job: Job, cost: Reconfiguration, around: Surroundings, seed: list[int]) -> None:
        self._job, self._cost, self._around = job, cost, around
        self._env, self._coordinator = around.env, around.coordinator
        self._model = job.model()
        self._pace = Pace(job.iterations, job.noise, np.random.default_rng(seed))
        self._ranks, self._done, self._number = job.ranks, 0, 0
        self._commands: dict[int, Command] = {}
        self._told, self._granted, self._started = (self._env.event() for _ in range(3))
        self._expected: Prediction | None = None
        self._counted = 0.0  # until when core_seconds are
        self.result = JobResult(job.name, job.start, job.ranks)

    @property
    def runs(self) -> bool:
        return self.result.started is not None and self.result.ended is None

    def start(self, places: Places) -> None:
        self._started.succeed(places)

    def grant(self, epoch: int) -> None:
        if not self._granted.triggered:
            self._granted.succeed(epoch)

    def tell(self, command: Command) -> None:
        self._expected = None  # it is moved
        self._commands[command.number] = command
        self._wake()

    def cancel(self, number: int) -> None:
        if self._commands.pop(number, None) is not None:
            self._wake()

    def run(self) -> Steps:
        yield self._env.timeout(self._job.start)
        self._around.carry_out(self._coordinator.wants(self._job.name, self._ranks, self._env.now))
        places = yield self._started
        self._come(places)
        yield self._env.timeout(self._job.startup)
        while self._done < self._job.iterations:
            yield from self._compute()
            if self._job.io_every is not None and self._done % self._job.io_every == 0:
                yield from self._write()
            while self._done < self._job.iterations and (command := self._due()) is not None:
                yield from self._resize(command)
        self._end()

    def stop(self) -> None:
        """Where the simulation ends before the job does."""
        if self.runs:
            self._count_cores()
            self.result.flops = self._done * self._job.flops

    def _come(self, places: Places) -> None:
        self.result.started = self._counted = self._env.now
        self._note("came", ranks=self._ranks)
        profile = [Measured(ranks, self._model.seconds(ranks)) for ranks in self._job.profile]
        most = self._job.most or self._coordinator.cores
        about = About(self._job.name, dict(places), most, self._job.checkpoint_every, profile)
        self._around.carry_out(self._coordinator.came(about, self._env.now))

    def _end(self) -> None:
        self.stop()
        self.result.ended = self._env.now
        self._note("ended")
        self._around.carry_out(self._coordinator.ended(self._job.name, self._env.now))
        self._around.over(self._job.name)

    def _compute(self) -> Steps:
        """To the next iteration after which something is due; commands may bring that nearer."""
        begin, first, each = self._env.now, self._done, self._model.seconds(self._ranks)
        while True:
            stop = self._next_stop()
            over = begin + self._pace.work(first, stop) * each
            self._told = self._env.event()
            yield self._env.timeout(max(0.0, over - self._env.now)) | self._told
            if not self._told.triggered:
                break
            self._done = self._pace.done(first, (self._env.now - begin) / each)
        self._done = stop
        seconds = (self._env.now - begin) / (stop - first)
        self._around.carry_out(
            self._coordinator.measured(self._job.name, self._ranks, seconds, self._env.now)
        )

    def _next_stop(self) -> int:
        stops = [self._job.iterations]
        if self._job.io_every is not None:
            stops.append(_multiple_from(self._done + 1, self._job.io_every))
        if self._commands:
            at = max(self._first_command().at or 0, self._done + 1)
            stops.append(_multiple_from(at, self._job.checkpoint_every))
        return min(stops)

    def _first_command(self) -> Command:
        return self._commands[min(self._commands)]

    def _write(self) -> Steps:
        self._number += 1
        name, asked = self._job.name, self._env.now
        self._compare(asked)
        self._granted = self._env.event()
        self._around.carry_out(self._coordinator.asks_to_write(name, self._number, self._done, asked))
        epoch = yield self._granted
        granted = self._env.now
        yield self._around.storage.write(self._job.io_amount(self._around.bandwidth), self._job.io_rate)
        phase = IoPhase(asked, granted - asked, self._env.now - granted, self._done, self._ranks)
        self.result.phases += 1
        self.result.wait += phase.wait
        self.result.service += phase.service
        self._note("phase", start=asked, wait=phase.wait, service=phase.service, iteration=self._done)
        self._around.carry_out(self._coordinator.wrote(name, self._number, epoch, phase, self._env.now))
        self._expected = self._coordinator.prediction(name)

    def _compare(self, asked: float) -> None:
        if self._expected is not None:
            self.result.foretold.append(Foretold(self._expected.next_start, asked, self._expected.period))
        self._expected = None

    def _due(self) -> Command | None:
        if self._done % self._job.checkpoint_every != 0 or not self._commands:
            return None
        command = self._first_command()
        return command if command.at is None or command.at <= self._done else None

    def _resize(self, command: Command) -> Steps:
        del self._commands[command.number]
        before, began = self._ranks, self._env.now
        if command.ranks != before:
            yield self._env.timeout(self._cost.seconds + self._cost.per_rank * abs(command.ranks - before))
            self._count_cores()
            self._ranks = self.result.ranks = command.ranks
            self.result.resizes += 1
            self.result.paused += self._env.now - began
            self._note("resized", start=began, before=before, ranks=self._ranks, iteration=self._done)
        took = self._env.now - began if command.ranks != before else None
        places = _kept(self._coordinator.places(self._job.name), self._ranks)
        self._around.carry_out(
            self._coordinator.resized(self._job.name, command.number, places, self._done, self._env.now, took)
        )

    def _count_cores(self) -> None:
        self.result.core_seconds += self._ranks * (self._env.now - self._counted)
        self._counted = self._env.now

    def _wake(self) -> None:
        if not self._told.triggered:
            self._told.succeed()

    def _note(self, event: str, **more: Any) -> None:
        self._around.note(self._job.name, event, **more)


def _multiple_from(iteration: int, every: int) -> int:
    return -(-iteration // every) * every


def _kept(held: Places, ranks: int) -> dict[str, int]:
    """Where so many stay: those hosts are left on which it has fewest."""
    kept: dict[str, int] = {}
    for host, there in sorted(held.items(), key=lambda place: (-place[1], place[0])):
        if ranks > 0:
            kept[host] = min(there, ranks)
            ranks -= kept[host]
    return kept
