# SPDX-License-Identifier: BSD-3-Clause
"""Tries ways to make processes with the program nereus-resizes, and remembers which of them work.

A way that hangs or kills the program costs its job and nothing else: the ways that were not tried yet are
tried in another job.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from nereus.launch.answers import recall, remember
from nereus.launch.builds import Build
from nereus.launch.capabilities import Feature
from nereus.launch.combinations import Combination, all_combinations
from nereus.launch.command import Launch
from nereus.launch.hosts import Share
from nereus.launch.job import Job, Supervision
from nereus.launch.joining import Joining

PROGRAM = "nereus-resizes"
#: Seconds without a word after which a trial is given up.
SILENCE = 10.0
SECONDS = ("make_seconds", "connect_seconds", "pause_seconds", "stall_seconds")
_KIND = "combinations"
_LOOK_EVERY = 0.05


@dataclass(frozen=True)
class Trial:
    """What became of one resize; `answered` is false when it hung or died."""

    combination: Combination
    works: bool
    reason: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    answered: bool = True


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
        for wakes in (False, True):
            remaining = [combination for combination in combinations if combination.wakes == wakes]
            while remaining and not self._stopped():
                for trial in self._one_job(remaining):
                    remaining.remove(trial.combination)
                    yield self._explained(trial)

    def _one_job(self, combinations: Sequence[Combination]) -> Iterator[Trial]:
        """As many trials as one job lives for; the last one is the one that it died of."""
        waited_for = list(combinations)
        fate: str | None = None
        with (
            tempfile.TemporaryDirectory(prefix="nereus-") as folder,
            Job(self._supervision(combinations), Path(folder) / "answers") as job,
        ):
            heard = _Heard(combinations)
            while fate is None and not self._stopped():
                fate = self._fate(job, heard)
                for trial in heard.new_answers():
                    waited_for.remove(trial.combination)
                    yield trial
                if fate is None:
                    job.attend(_LOOK_EVERY)
        culprit = heard.culprit(waited_for)
        if fate is not None and culprit is not None:
            yield Trial(culprit, False, fate, answered=False)

    def _fate(self, job: Job, heard: "_Heard") -> str | None:
        """Read what the job wrote; how it ended or must be ended, or None while it is at work."""
        over = not job.running()
        heard.read(job.text())
        if over:
            outcome = job.outcome()
            return (
                "the job ended before its time"
                if outcome.good
                else f"the job died: {outcome.text}{heard.words}"
            )
        silent = time.monotonic() - heard.latest > self._silence
        return f"there was no answer within {self._silence:g} s" if silent else None

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


class _Heard:
    """What nereus-resizes has said so far in one job."""

    def __init__(self, combinations: Sequence[Combination]) -> None:
        self._known = {combination.text: combination for combination in combinations}
        self._answers: dict[Combination, Trial] = {}
        self._tried: set[Combination] = set()
        self._told = 0
        self._size = 0
        self.latest = time.monotonic()
        #: The program's own last complaint.
        self.words = ""

    def read(self, text: str) -> None:
        """Take everything that was written; groups write apart, so that nothing is new by its place alone."""
        lines = text.split("\n")[:-1]
        if len(lines) > self._size:
            self._size, self.latest = len(lines), time.monotonic()
        for line in lines:
            if line.startswith("nereus"):
                self.words = f" ({line})"
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                self._take(json.loads(line))

    def new_answers(self) -> list[Trial]:
        """Those that were not handed out before."""
        answers = list(self._answers.values())[self._told :]
        self._told += len(answers)
        return answers

    def culprit(self, waited_for: Sequence[Combination]) -> Combination | None:
        """Which one the job died of: the one under way, else the first if nothing was heard at all."""
        under_way = [combination for combination in waited_for if combination in self._tried]
        if under_way:
            return under_way[0]
        return waited_for[0] if waited_for and not self._answers else None

    def _take(self, line: dict[str, object]) -> None:
        if "trying" in line:
            self._tried.add(self._known[str(line["trying"])])
            return
        combination = self._known[str(line["combination"])]
        seconds = {key: float(str(line[key])) for key in SECONDS if key in line}
        trial = Trial(combination, line["works"] is True, str(line["reason"]), seconds)
        self._answers.setdefault(combination, trial)


def which_work(
    build: Build,
    joining: Joining,
    *,
    fresh: bool = False,
    stopped: Callable[[], bool] = lambda: False,
    tell: Callable[[Trial], None] = lambda trial: None,
) -> dict[Combination, Feature]:
    """Every way there is, and whether it works from 1 to 3 processes; from the cache unless `fresh`.

    A way that hung or died is tried once more, because some MPIs do so by chance, and is not remembered.
    """
    bench = Bench(build, joining, Sizes(1, 3), stopped=stopped)
    found = {} if fresh else _recall(build)
    doubtful: list[Combination] = []
    for trial in bench.trials([way for way in all_combinations() if way not in found]):
        tell(trial)
        found[trial.combination] = Feature(trial.works, trial.reason)
        if not trial.answered:
            doubtful.append(trial.combination)
    for trial in bench.trials(list(doubtful)):
        found[trial.combination] = Feature(trial.works, trial.reason)
        if trial.answered:
            doubtful.remove(trial.combination)
    kept = {way: feature for way, feature in found.items() if way not in doubtful}
    if kept:
        remember(_KIND, str(build.prefix), build.files(PROGRAM), {"ways": _to_texts(kept)})
    return {way: found[way] for way in all_combinations() if way in found}


def _to_texts(ways: Mapping[Combination, Feature]) -> dict[str, list[object]]:
    return {way.text: [feature.works, feature.reason] for way, feature in ways.items()}


def _recall(build: Build) -> dict[Combination, Feature]:
    """What the cache says about the present files."""
    kept = recall(_KIND, str(build.prefix), build.files(PROGRAM)) or {}
    with suppress(KeyError, TypeError, ValueError):
        ways = {way.text: way for way in all_combinations()}
        return {
            ways[text]: Feature(bool(works), str(reason)) for text, (works, reason) in kept["ways"].items()
        }
    return {}
