# SPDX-License-Identifier: BSD-3-Clause
"""Tries ways to move data with the program nereus-transfers, and measures what the machine can do at best."""

import itertools
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from nereus.bench.networks import Network
from nereus.bench.transfer_ways import TransferWay
from nereus.bench.trial_job import Answer, answers
from nereus.launch.builds import Build
from nereus.launch.capacity import cores
from nereus.launch.command import Command
from nereus.supervisor.job import Job
from nereus.supervisor.supervision import Supervision

PROGRAM = "nereus-transfers"
#: Seconds without a word after which a trial is given up, besides the time of its data at this rate.
SILENCE = 15.0
SLOWEST_BYTES_PER_SECOND = 20e6
#: After so many failures a way is not tried any more: one may be chance.
FAILURES = 2
LIMITS = ("memcpy_one_core", "memcpy_all_cores", "process_vm_readv", "isend_irecv", "first_touch")
_LOOK_EVERY = 0.05


@dataclass(frozen=True)
class Pair:
    """Processes before and after."""

    before: int
    after: int

    @property
    def most(self) -> int:
        """The larger number."""
        return max(self.before, self.after)


@dataclass(frozen=True)
class Amount:
    """How much data the application has, in how many arrays, and how much of it never changes."""

    bytes: int
    arrays: int = 1
    constant_percent: float = 100.0


@dataclass(frozen=True)
class TransferTrial:
    """What became of one resize; `figures` are those of nereus-transfers."""

    pair: Pair
    way: TransferWay
    works: bool
    reason: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Found:
    """The trials of all rounds, and of each pair what runs with --limits said."""

    trials: list[TransferTrial] = field(default_factory=list)
    limits: dict[Pair, list[Mapping[str, float | None]]] = field(default_factory=dict)

    def hopeful(self, pair: Pair, ways: Sequence[TransferWay]) -> list[TransferWay]:
        """The ways that have not failed so often that they are given up."""
        bad = [trial.way for trial in self.trials if trial.pair == pair and not trial.works]
        return [way for way in ways if bad.count(way) < FAILURES]


@dataclass(frozen=True)
class TransferBench:
    """One MPI build, a network and an amount of data with which ways to move data are tried.

    A `brief` one says nothing about iterations after the resize.
    """

    build: Build
    network: Network
    amount: Amount
    check: bool = False
    brief: bool = False
    #: Seconds without a word after which a trial is given up at the latest.
    patience: float = inf
    stopped: Callable[[], bool] = lambda: False

    def trials(self, pair: Pair, ways: Sequence[TransferWay]) -> Iterator[TransferTrial]:
        """Try each once, and tell of each as soon as it is known. Ends early when `stopped()` says so."""
        for wakes, shared in itertools.product((False, True), repeat=2):
            own = [way for way in ways if (way.processes.wakes, way.shared) == (wakes, shared)]
            remaining = {way.text: way for way in own}
            while remaining and not self.stopped():
                founders = pair.most if wakes else pair.before
                for answer in self._one_job(pair, founders, list(remaining)):
                    yield _trial(pair, remaining.pop(answer.word), answer)

    def rounds(
        self, pairs: Sequence[Pair], ways: Sequence[TransferWay], repeat: int, tell: Callable[[str], None]
    ) -> Found:
        """In each round each way and each limit once, so that a slow minute hits all alike.

        Each round begins with another way, so that none always comes first after something else. `tell` is
        told of each step. Ends early when `stopped()` says so.
        """
        found = Found()
        for number, pair in enumerate([*pairs] * repeat):
            if self.stopped():
                break
            turn = number // len(pairs) % len(ways)
            limits = self.limits(pair)
            if limits is not None:
                found.limits.setdefault(pair, []).append(limits)
            tell("limits")
            hopeful = found.hopeful(pair, [*ways[turn:], *ways[:turn]])
            for _ in range(len(ways) - len(hopeful)):
                tell("given up")
            for trial in self.trials(pair, hopeful):
                found.trials.append(trial)
                tell(f"{pair.before} → {pair.after} {trial.way.text}")
        return found

    def limits(self, pair: Pair) -> Mapping[str, float | None] | None:
        """GB/s without the library; None where that was not to be had."""
        ranks = max(pair.most, cores(), 2)
        start = self._start(pair, ("--limits",), ranks)
        deadline = time.monotonic() + self.silence
        with (
            tempfile.TemporaryDirectory(prefix="nereus-") as folder,
            Job(start, Path(folder) / "answers") as job,
        ):
            while job.running() and time.monotonic() < deadline and not self.stopped():
                job.attend(_LOOK_EVERY)
            return read_limits(job.text())

    @property
    def silence(self) -> float:
        """Seconds without a word after which a trial is given up."""
        return min(self.patience, SILENCE + self.amount.bytes / SLOWEST_BYTES_PER_SECOND)

    def _one_job(self, pair: Pair, founders: int, words: Sequence[str]) -> Iterator[Answer]:
        asked = {"--check": self.check, "--brief": self.brief}
        flags = [flag for flag, is_wanted in asked.items() if is_wanted]
        start = self._start(pair, (*flags, *words), founders)
        return answers(start, words, "way", self.silence, self.stopped)

    def _start(self, pair: Pair, words: Sequence[str], ranks: int) -> Command | Supervision:
        numbers = {
            "--from": pair.before,
            "--to": pair.after,
            "--bytes": self.amount.bytes,
            "--arrays": self.amount.arrays,
            "--constant-percent": self.amount.constant_percent,
        }
        options = [text for name, number in numbers.items() for text in (name, f"{number}")]
        return self.network.start(self.build, self.build.program(PROGRAM), (*options, *words), ranks)


def read_limits(text: str) -> Mapping[str, float | None] | None:
    """What a run with --limits said; None when it said nothing."""
    for line in text.splitlines():
        with suppress(ValueError, KeyError, TypeError):
            said = json.loads(line)["limits"]
            return {name: None if said[name] is None else float(said[name]) for name in LIMITS}
    return None


def _trial(pair: Pair, way: TransferWay, answer: Answer) -> TransferTrial:
    if answer.line is None:
        return TransferTrial(pair, way, False, answer.fate)
    return TransferTrial(pair, way, answer.line["works"] is True, str(answer.line["reason"]), answer.line)
