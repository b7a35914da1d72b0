# SPDX-License-Identifier: BSD-3-Clause
"""Tries ways to make processes with the program nereus-resizes, and remembers which of them work.

A way that hangs or kills the program costs its job and nothing else: the ways that were not tried yet are
tried in another job.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from nereus.bench.combinations import Combination, all_combinations
from nereus.bench.trial_job import Answer, answers
from nereus.launch.builds import Build
from nereus.launch.command import Launch
from nereus.launch.error import LaunchError
from nereus.launch.hosts import Share
from nereus.probe.cache import is_believed, recall, remember
from nereus.probe.capabilities import Feature
from nereus.probe.joining import Joining
from nereus.probe.surroundings import key_here
from nereus.supervisor.supervision import Supervision

PROGRAM = "nereus-resizes"
#: Seconds without a word after which a trial is given up.
SILENCE = 10.0
#: After so many failures a way is not tried any more: one may be chance.
FAILURES = 2
SECONDS = ("make_seconds", "connect_seconds", "pause_seconds", "stall_seconds")
_KIND = "combinations"
_BY_TEXT = {way.text: way for way in all_combinations()}


@dataclass(frozen=True)
class Trial:
    """What became of one resize; `answered` is false when it hung or died."""

    combination: Combination
    works: bool
    reason: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    answered: bool = True


@dataclass(frozen=True)
class _Known(Trial):
    """One that was made before, when, and for how long an answer was waited for."""

    at: float = 0.0
    waited: float = 0.0


@dataclass(frozen=True)
class Sizes:
    """How many processes before and after."""

    before: int
    after: int


class Bench:
    """One MPI build on which ways to make processes are tried."""

    def __init__(
        self,
        build: Build,
        joining: Joining,
        sizes: Sizes,
        silence: float = SILENCE,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        """`joining`: whether the supervisor can start groups, and over which transports all of them talk."""
        self._build, self._joining, self._sizes = build, joining, sizes
        self._silence, self._stopped = silence, stopped
        self._program = build.program(PROGRAM)

    def trials(self, combinations: Sequence[Combination]) -> Iterator[Trial]:
        """Try each once, and tell of each as soon as it is known. Ends early when `stopped()` says so."""
        for wakes in (True, False):
            remaining = [combination for combination in combinations if combination.wakes == wakes]
            while remaining and not self._stopped():
                for trial in self._one_job(remaining):
                    remaining.remove(trial.combination)
                    yield self._explained(trial)

    def rounds(
        self, ways: Sequence[Combination], repeat: int, tell: Callable[[Combination], None]
    ) -> list[Trial]:
        """In each round each way once, so that a slow minute hits all alike; `tell` is told of each."""
        made: list[Trial] = []
        for _ in range(repeat):
            hopeful = [way for way in ways if _failures(way, made) < FAILURES]
            for trial in self.trials(hopeful):
                made.append(trial)
                tell(trial.combination)
            for way in ways:
                if way not in hopeful:
                    tell(way)
        return made

    def _one_job(self, combinations: Sequence[Combination]) -> Iterator[Trial]:
        """As many trials as one job lives for; the last one is the one that it died of."""
        known = {combination.text: combination for combination in combinations}
        start = self._supervision(combinations)
        for answer in answers(start, list(known), "combination", self._silence, self._stopped):
            yield _trial(known[answer.word], answer)

    def _supervision(self, combinations: Sequence[Combination]) -> Supervision:
        before, after = self._sizes.before, self._sizes.after
        founders = after if combinations[0].wakes else before
        words = [combination.text for combination in combinations]
        arguments = ("--from", str(before), "--to", str(after), *words)
        launch = Launch(self._build, self._program, arguments, environment=self._joining.environment)
        return Supervision(launch, [Share("", founders)], joins=self._joining.works)

    def _explained(self, trial: Trial) -> Trial:
        """The job only knows that its supervisor cannot start groups; here it is known why."""
        if trial.works or not trial.combination.joins or self._joining.works:
            return trial
        return Trial(trial.combination, False, self._joining.reason or trial.reason, answered=trial.answered)


def _failures(way: Combination, made: Sequence[Trial]) -> int:
    return sum(trial.combination == way and not trial.works for trial in made)


def _trial(combination: Combination, answer: Answer) -> Trial:
    if answer.line is None:
        return Trial(combination, False, answer.fate, answered=False)
    seconds = {key: float(answer.line[key]) for key in SECONDS if key in answer.line}
    return Trial(combination, answer.line["works"] is True, str(answer.line["reason"]), seconds)


def which_work(
    build: Build,
    joining: Joining,
    *,
    fresh: bool = False,
    silence: float = SILENCE,
    obstacle: str | None = None,
    stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[Trial], None] = lambda trial: None,
) -> dict[Combination, Feature]:
    """Every way there is, and whether it works from 1 to 3 processes; from the cache unless `fresh`.

    A way that hung or died is tried once more, because some MPIs do so by chance. `obstacle`: why no
    processes can be spawned, where that is known; those ways are not tried.
    """
    bench = Bench(build, joining, Sizes(1, 3), silence, stopped)
    known = {} if fresh else _recall(build, silence)
    hopeless = [way for way in all_combinations() if obstacle and way.spawns]
    found: dict[Combination, Trial] = {way: trial for way, trial in known.items() if way not in hopeless}
    doubtful: list[Combination] = []
    for trial in bench.trials([way for way in _useful_first() if way not in found and way not in hopeless]):
        tell(trial)
        found[trial.combination] = trial
        if not trial.answered:
            doubtful.append(trial.combination)
    for trial in bench.trials(doubtful):
        found[trial.combination] = trial
    if found:
        _remember(build, found, silence)
    refused = {way: Feature(False, obstacle or "") for way in hopeless}
    features = refused | {way: Feature(trial.works, trial.reason) for way, trial in found.items()}
    return {way: features[way] for way in all_combinations() if way in features}


def find_ways(
    build: Build,
    joining: Joining,
    stopped: Callable[[], bool],
    tell: Callable[[Trial], None],
    *,
    fresh: bool = True,
    silence: float = SILENCE,
    obstacle: str | None = None,
) -> dict[Combination, Feature]:
    """Every way that was tried until `stopped()`; where none can be tried, the reason stands beside each."""
    try:
        return which_work(
            build, joining, fresh=fresh, silence=silence, obstacle=obstacle, stopped=stopped, tell=tell
        )
    except LaunchError as problem:
        return {way: Feature(False, str(problem)) for way in all_combinations()}


def _useful_first() -> list[Combination]:
    """For those who have not time for all: plain ways before those of many words."""
    return sorted(all_combinations(), key=lambda way: len(way.strategies))


def _remember(build: Build, found: Mapping[Combination, Trial], silence: float) -> None:
    ways = {}
    for way, trial in found.items():
        at, waited = (trial.at, trial.waited) if isinstance(trial, _Known) else (time.time(), silence)
        ways[way.text] = [trial.works, trial.reason, trial.answered, at, waited]
    remember(_KIND, key_here(build), build.files(PROGRAM), {"ways": ways})


def _recall(build: Build, patience: float) -> dict[Combination, "_Known"]:
    """What the cache says about the present files."""
    kept = recall(_KIND, key_here(build), build.files(PROGRAM)) or {}
    found: dict[Combination, _Known] = {}
    with suppress(KeyError, TypeError, ValueError, AttributeError):
        for text, (works, reason, answered, at, waited) in kept["ways"].items():
            way = _BY_TEXT[text]
            if answered is True or is_believed(at, waited, patience):
                found[way] = _Known(way, works is True, str(reason), {}, answered is True, at, waited)
        return found
    return {}
