# SPDX-License-Identifier: BSD-3-Clause
"""What is known of one job that runs, from what it said: its times, its I/O phases, resizes that it was told.

Between two phases iterations count, not seconds: when a job was resized, or will be, its next phase begins
when the iterations that are left are done with the ranks that they are done with. What it says may come
late, twice or never; what is older than what is known changes nothing.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, isfinite
from statistics import median

from nereus.policy.jobs import Job
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Falling, Measured, Performance, fit
from nereus.policy.prediction import IoPhase, Prediction, predict

POLICY, RESOURCE_MANAGER = "policy", "resource manager"  # who decides
_MOST_TIMES = 31  # that are kept of each number of ranks


@dataclass(frozen=True)
class About:
    """What a job says when it comes: `places` are its ranks on each host, `most` how many it may ever have.

    `profile`: seconds of an iteration without I/O, measured before; `iteration`: those that it has done.
    """

    name: str
    places: Mapping[str, int]
    most: int
    checkpoint_every: int = 1
    profile: Sequence[Measured] = ()
    iteration: int = 0

    def __post_init__(self) -> None:
        if not are_places(self.places) or self.most < 1 or self.checkpoint_every < 1:
            raise ValueError(f"{self}: ranks, most and checkpoint_every from 1 are allowed")

    @property
    def ranks(self) -> int:
        return sum(self.places.values())


def are_places(places: Mapping[str, int]) -> bool:
    """Whether a job can be there."""
    return sum(places.values()) >= 1 and min(places.values()) >= 0


@dataclass(frozen=True)
class Command:
    """`job` is to have `ranks` from the checkpoint of iteration `at` on, or as soon as it can."""

    number: int
    job: str
    ranks: int
    at: int | None
    why: str
    loan: int | None = None  # that is given back by it
    by: str = POLICY  # who decided it: that, or RESOURCE_MANAGER


@dataclass
class _Point:
    """The job had done so many iterations at that time, and computes on from there."""

    time: float
    iteration: int


@dataclass
class _Asked:
    number: int
    time: float
    iteration: int
    granted: float | None = None


class KnownJob:
    def __init__(self, about: About, now: float) -> None:
        self.about, self.places, self.ranks = about, dict(about.places), about.ranks
        self.came = self.heard = now
        self.left_alone_until = -inf  # told of no resize before
        self.owed: Command | None = None  # that was to give a loan back, and was refused
        self._commands: dict[int, Command] = {}
        self._times: dict[int, deque[float]] = {}
        self.communication_share: float | None = None  # of its latest iterations, where it marks that
        self.numbers_of_times = {each.ranks: _MOST_TIMES for each in about.profile}
        self._phases: deque[IoPhase] = deque(maxlen=64)
        self._point = _Point(now, about.iteration)
        self._asked: _Asked | None = None
        self._last_phase = 0  # numbers of what is over
        self._last_done = 0
        self._resizes: list[int] = []  # their iterations, since the last phase
        self._resized_at = about.iteration - 1
        self._overhead: float | None = None
        self._lag: float | None = None  # iterations
        self._model: Performance | None = None
        self._base: tuple[Prediction, int] | None = None  # and the ranks of the phases that it is of
        self._seen: tuple[Prediction | None, Performance, float] | None = None  # until something changes

    @property
    def phases(self) -> Sequence[IoPhase]:
        return tuple(self._phases)

    @property
    def commands(self) -> Mapping[int, Command]:
        """That it was told and that are not done, in the order in which it carries them out."""
        return self._commands

    @property
    def most_ranks(self) -> int:
        """That it has, or will have by what it was told."""
        return max([self.ranks, *(command.ranks for command in self._commands.values())])

    @property
    def writes(self) -> bool:
        """Whether it has its turn, or waits for it."""
        return self._asked is not None

    def is_left_alone(self, now: float) -> bool:
        """Whether what a policy says of it now is dropped."""
        return bool(self._commands) or self.owed is not None or now < self.left_alone_until

    def told(self, command: Command) -> None:
        self._commands[command.number] = command
        self._seen = None

    def did(self, last: int) -> list[Command]:
        """That command, and so those before it."""
        self._last_done = max(self._last_done, last)
        return self._pop(number for number in self._commands if number <= last)

    def will_not_do(self, first: int = 0) -> list[Command]:
        """That command, and so those behind it; what became of those before it is yet to be heard."""
        return self._pop(number for number in self._commands if number >= first)

    def _pop(self, numbers: Iterable[int]) -> list[Command]:
        self._seen = None
        return [self._commands.pop(number) for number in list(numbers)]

    @property
    def times(self) -> Sequence[Measured]:
        """Of iterations without I/O, the latest of each number of ranks."""
        return [Measured(ranks, time) for ranks, times in self._times.items() for time in times]

    def measured(self, ranks: int, seconds: float) -> None:
        """An iteration without I/O took so long."""
        if ranks < 1 or not 0 < seconds < inf:
            return
        times = self._times.setdefault(ranks, deque(maxlen=_MOST_TIMES))
        before = median(times) if times else None
        times.append(seconds)
        self.numbers_of_times[ranks] = self.numbers_of_times.get(ranks, 0) + 1
        if median(times) != before:
            self._model = self._seen = None

    def at_iteration(self, iteration: int, now: float) -> None:
        if self._asked is None and iteration > self._point.iteration:
            self._point = _Point(now, iteration)
            self._seen = None

    def asked(self, number: int, iteration: int, now: float) -> None:
        """For its turn; once more, or for an older phase: changes nothing."""
        if number > max(self._last_phase, self._asked.number if self._asked is not None else 0):
            self._asked = _Asked(number, now, iteration)
            self._seen = None

    def granted(self, now: float) -> None:
        if self._asked is not None and self._asked.granted is None:
            self._asked.granted = now
            self._seen = None

    def wrote(self, number: int, phase: IoPhase, parameters: Parameters) -> bool:
        """A phase that is over, unless that is no news. Times of iterations are those between two phases."""
        if number <= self._last_phase:
            return False
        self._last_phase = number
        if self._asked is not None and self._asked.number <= number:
            self._asked = None
        if _makes_sense(phase):
            self._remember(phase, parameters)
        self._seen = None
        return True

    def _remember(self, phase: IoPhase, parameters: Parameters) -> None:
        before = self._phases[-1] if self._phases else None
        if before is not None and (phase.start < before.end or phase.iteration < before.iteration):
            self._phases.clear()  # clocks or counts that are not those of before
            self._base = before = None
        resized = any(iteration <= phase.iteration for iteration in self._resizes)
        self._resizes = [iteration for iteration in self._resizes if iteration > phase.iteration]
        if before is not None and before.iteration == phase.iteration:
            self._phases[-1] = _one(before, phase)
        else:
            if before is not None and before.ranks == phase.ranks and not resized:
                self.measured(phase.ranks, (phase.start - before.end) / (phase.iteration - before.iteration))
            self._phases.append(replace(phase, resized=resized))
        self._goes_on_behind(phase)
        self._predict(parameters)

    def _goes_on_behind(self, phase: IoPhase) -> None:
        """Unless it was seen farther on, or was resized behind the phase."""
        if phase.iteration > self._point.iteration:
            self._point = _Point(phase.end, phase.iteration)
        elif phase.iteration == self._point.iteration:
            self._point = _Point(max(phase.end, self._point.time), phase.iteration)

    def is_old(self, command: int, iteration: int) -> bool:
        """Whether that word of a resize came late, or twice. A checkpoint has one resize at most."""
        if command > 0:
            return command <= self._last_done or iteration < self._resized_at
        return iteration <= self._resized_at

    def resized(self, places: Mapping[str, int], iteration: int, now: float) -> None:
        ranks = sum(places.values())
        if ranks != self.ranks:
            self._resizes.append(iteration)
            self._point = _Point(now, max(iteration, self._point.iteration))
            self.communication_share = None  # it was of other ranks
        self.places, self.ranks, self._resized_at = dict(places), ranks, iteration
        self._seen = None

    def took(self, overhead: float, weight: float) -> None:
        """A resize, so many seconds."""
        if 0 <= overhead < inf:
            old = overhead if self._overhead is None else self._overhead
            self._overhead = (1 - weight) * old + weight * overhead
            self._seen = None

    def learn_lag(self, command: int, iteration: int, weight: float) -> None:
        """Of a resize by that command, at that iteration."""
        told = self._commands.get(command)
        if told is not None and told.at is not None and told.ranks > self.ranks:
            late = max(0, iteration - told.at)
            self._lag = late if self._lag is None else (1 - weight) * self._lag + weight * late
            self._seen = None

    def restore(self, phases: Iterable[IoPhase], times: Iterable[Measured], parameters: Parameters) -> None:
        """What was known of it before a restart."""
        self._phases.extend(phases)
        for each in times:
            self.measured(each.ranks, each.seconds)
        self._predict(parameters)
        self._seen = None

    def model(self, parameters: Parameters) -> Performance:
        """Of one iteration; where nothing is known yet, one that promises no gain."""
        if self._model is None:
            measured = [*self.about.profile, *self.times]
            self._model = fit(measured, parameters) if measured else Falling((self.ranks,), (1.0,))
        return self._model

    @property
    def lag(self) -> int:
        """Iterations by which more ranks come later than they were to."""
        return ceil(self._lag or 0.0)

    def overhead(self, parameters: Parameters) -> float:
        return parameters.overhead if self._overhead is None else self._overhead

    def job(self, now: float, free: int, parameters: Parameters) -> Job:
        """As a policy sees it."""
        if self._seen is None:
            self._seen = self._look_at(parameters)
        found, between, each = self._seen
        prediction = None if found is None else self._as_of(now, found)
        overhead = self.overhead(parameters)
        return Job(
            name=self.about.name,
            ranks=self.ranks,
            most=max(self.ranks, min(self.about.most, self.ranks + free)),
            iteration=self._iteration(now, found, each),
            prediction=prediction,
            between=between,
            overhead=lambda ranks: overhead,
            checkpoint_every=self.about.checkpoint_every,
            resizing=self.is_left_alone(now),
            lag=self.lag,
            measured=self.numbers_of_times,
            communication_share=self.communication_share,
            came_with=self.about.ranks,
            ever=self.about.most,
        )

    def _look_at(self, parameters: Parameters) -> tuple[Prediction | None, Performance, float]:
        """What is foretold, its times, and seconds of an iteration at its present size."""
        found, model = self.prediction(parameters), self.model(parameters)
        if found is None:
            return None, model, 0.0
        return found, model.times(found.stride), self._each(self.ranks, parameters)

    def prediction(self, parameters: Parameters) -> Prediction | None:
        """With the resizes that it was told and has not done yet; None behind a phase that did not come."""
        if self._base is None:
            return None
        base, _ = self._base
        point = self._from(base)
        iteration = (self._asked or self._phases[-1]).iteration + base.stride
        if iteration < point.iteration:
            return None
        sizes = [self.ranks, *(command.ranks for command in self._commands.values())]
        between = base.stride * self._each(sizes[-1], parameters)
        return replace(
            base,
            next_start=self._when_at(iteration, point, parameters),
            period=between + base.duration,
            next_iteration=iteration,
        )

    def _predict(self, parameters: Parameters) -> None:
        found = predict(tuple(self._phases), parameters)
        if found is not None and isfinite(found.period) and found.period > found.duration:
            self._base = found, self._phases[-1].ranks

    def _from(self, base: Prediction) -> _Point:
        """Where it was last seen computing; when it writes, or waits, where it goes on behind that."""
        if self._asked is None:
            return self._point
        begin = self._asked.time if self._asked.granted is None else self._asked.granted
        return _Point(begin + base.duration, self._asked.iteration)

    def _each(self, ranks: int, parameters: Parameters) -> float:
        """Seconds of one iteration, as they were in the phases that the prediction is of, or by the model."""
        assert self._base is not None
        base, its_ranks = self._base
        model = self.model(parameters)
        usual = (base.period - base.duration) / base.stride
        return usual * (model.seconds(ranks) / model.seconds(its_ranks))

    def _when_at(self, iteration: int, point: _Point, parameters: Parameters) -> float:
        """At the speed of each size that it has on the way."""
        time, done, size = point.time, point.iteration, self.ranks
        for command in self._commands.values():
            until = max(done, (command.at or 0) + (self.lag if command.ranks > size else 0))
            if until >= iteration:
                break
            time += (until - done) * self._each(size, parameters) + self.overhead(parameters)
            done, size = until, command.ranks
        return time + (iteration - done) * self._each(size, parameters)

    def _as_of(self, now: float, found: Prediction) -> Prediction | None:
        """Late already, it begins now at the earliest; later than by a period, it is not believed in."""
        if self._asked is None:
            late = now - found.next_start
            if late > found.period:
                return None
        else:
            waits = self._asked.granted is None
            late = now - self._asked.time if waits else now - self._from(found).time
        return replace(found, next_start=found.next_start + late) if late > 0 else found

    def _iteration(self, now: float, found: Prediction | None, each: float) -> int:
        if self._asked is not None:
            return max(self._point.iteration, self._asked.iteration)
        begun, passed = self._point.iteration, now - self._point.time
        if found is None or passed <= 0:
            return begun
        left = max(0, found.next_iteration - 1 - begun)
        return begun + (int(passed / each) if passed < left * each else left)


def _makes_sense(phase: IoPhase) -> bool:
    return isfinite(phase.start) and 0 <= phase.wait < inf and 0 <= phase.service < inf and phase.ranks >= 1


def _one(first: IoPhase, second: IoPhase) -> IoPhase:
    """Of phases without an iteration between them, as where a job writes two files."""
    wait = first.wait + second.wait
    return replace(first, wait=wait, service=second.end - first.start - wait)
