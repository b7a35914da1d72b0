# SPDX-License-Identifier: BSD-3-Clause
"""Follows a program that tries things one after another and says in JSON lines what became of each.

The program prints {"trying": WORD} when it begins something, and a line with WORD, `works` and `reason` when
it is known what became of it. What hangs or kills the program costs its job and nothing else: the caller
tries the rest in another job.
"""

import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nereus.launch.command import Command
from nereus.probe.capabilities import GRACE
from nereus.supervisor.job import Job
from nereus.supervisor.supervision import Supervision

_LOOK_EVERY = 0.05


@dataclass(frozen=True)
class Answer:
    """What became of one thing: the program's line, or None and how the job that it was tried in ended."""

    word: str
    line: Mapping[str, Any] | None
    fate: str = ""


def answers(
    start: Command | Supervision,
    words: Sequence[str],
    key: str,
    silence: float,
    stopped: Callable[[], bool],
) -> Iterator[Answer]:
    """As many answers as one job lives for; the last one is what it died of.

    `key`: where a line has its word. The job is ended after `silence` seconds without a word, and when
    `stopped()` says so.
    """
    waited_for = list(words)
    fate: str | None = None
    with (
        tempfile.TemporaryDirectory(prefix="nereus-") as folder,
        Job(start, Path(folder) / "answers") as job,
    ):
        heard = _Heard(words, key)
        while fate is None and not stopped():
            fate = _fate(job, heard, silence)
            for answer in heard.new_answers():
                waited_for.remove(answer.word)
                yield answer
            if fate is None:
                job.attend(_LOOK_EVERY)
        job.grace = GRACE  # of one that hangs, or that nobody waits for any more
    culprit = heard.culprit(waited_for)
    if fate is not None and culprit is not None:
        yield Answer(culprit, None, fate)


def _fate(job: Job, heard: "_Heard", silence: float) -> str | None:
    """Read what the job wrote; how it ended or must be ended, or None while it is at work."""
    over = not job.running()
    heard.read(job.text())
    if over:
        outcome = job.outcome()
        return (
            "the job ended before its time" if outcome.good else f"the job died: {outcome.text}{heard.words}"
        )
    silent = time.monotonic() - heard.latest > silence
    return f"there was no answer within {silence:g} s" if silent else None


class _Heard:
    """What the program has said so far in one job."""

    def __init__(self, words: Sequence[str], key: str) -> None:
        self._known, self._key = frozenset(words), key
        self._answers: dict[str, Answer] = {}
        self._tried: set[str] = set()
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

    def new_answers(self) -> list[Answer]:
        """Those that were not handed out before."""
        new = list(self._answers.values())[self._told :]
        self._told += len(new)
        return new

    def culprit(self, waited_for: Sequence[str]) -> str | None:
        """What the job died of: the one under way, else the first if nothing was heard at all."""
        under_way = [word for word in waited_for if word in self._tried]
        if under_way:
            return under_way[0]
        return waited_for[0] if waited_for and not self._answers else None

    def _take(self, line: dict[str, Any]) -> None:
        if "trying" in line:
            self._tried.add(line["trying"])
        elif line[self._key] in self._known and {"works", "reason"} <= line.keys():
            self._answers.setdefault(line[self._key], Answer(line[self._key], line))
