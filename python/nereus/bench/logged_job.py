# SPDX-License-Identifier: BSD-3-Clause
"""A job whose program writes down what happens when (tools/common/event_log.hpp), while its ranks are killed.

Times are those of the log and of time.monotonic(): the same clock.
"""

import json
import os
import signal
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from nereus import UserError

PATIENCE = 120.0
_LOOK_EVERY = 0.005
_LAST_LETTERS = 300

Found = TypeVar("Found")


class TrialError(UserError):
    """A job did not do what it was asked for."""


@dataclass(frozen=True)
class Opened:
    """`seconds`: to open the job and have its data, as its processes saw it."""

    time: float
    iteration: int
    seconds: float
    pids: Sequence[int]


@dataclass(frozen=True)
class Iterated:
    """The end of an iteration."""

    time: float
    iteration: int


class Running(Protocol):
    """What runs the job."""

    def has_ended(self) -> bool:
        """By itself; to be asked again and again."""
        ...

    def end(self) -> None:
        """With all its processes; once more changes nothing."""
        ...

    def text(self) -> str:
        """All that it and the program have said."""
        ...


class LoggedJob:
    def __init__(self, running: Running, log: Path, stopped: Callable[[], bool]) -> None:
        """`log`: the file that the program appends to; `stopped`: whether the user has had enough."""
        self._running, self._log, self._stopped = running, EventLog(log), stopped

    def wait_until_opened(self, after: float) -> Opened:
        """By its processes of now, after that time."""
        return self.wait(lambda: next((one for one in self._log.opened if one.time > after), None))

    def first_iteration_after(self, moment: float) -> Iterated:
        """Its end."""
        return self.wait(lambda: self._log.first_iteration_after(moment))

    def last_iteration_before(self, moment: float) -> Iterated:
        """Its end."""
        return self._log.last_iteration_before(moment)

    def kill(self, rank: int) -> float:
        """When its process was killed."""
        pids = self.latest.pids
        moment = time.monotonic()
        try:
            os.kill(pids[rank % len(pids)], signal.SIGKILL)
        except ProcessLookupError:
            raise TrialError(f"a rank ended before it was killed{self._last_words()}") from None
        return moment

    @property
    def latest(self) -> Opened:
        """There is one."""
        return self._log.opened[-1]

    def was_told(self, text: str) -> bool:
        """Whether what runs it has told this."""
        return text in self._running.text()

    def wait_until_told(self, text: str) -> float:
        """When what runs it told this."""
        return self.wait(lambda: time.monotonic() if self.was_told(text) else None)

    def wait_until_ended(self) -> None:
        """By itself."""
        deadline = time.monotonic() + PATIENCE
        while not self._running.has_ended():
            if time.monotonic() > deadline:
                raise TrialError(f"the job did not end within {PATIENCE:g} s{self._last_words()}")
            time.sleep(_LOOK_EVERY)

    def end(self) -> None:
        """With all its processes; once more changes nothing."""
        self._running.end()

    def wait(self, look: Callable[[], Found | None]) -> Found:
        """For what is found in the log, or elsewhere; TrialError where the job ends before."""
        deadline = time.monotonic() + PATIENCE
        while (found := self._look(look)) is None:
            if self._running.has_ended():
                raise TrialError(f"the job ended before its time{self._last_words()}")
            if self._stopped():
                raise TrialError("stopped")
            if time.monotonic() > deadline:
                raise TrialError(f"the job did nothing for {PATIENCE:g} s{self._last_words()}")
            time.sleep(_LOOK_EVERY)
        return found

    def _look(self, look: Callable[[], Found | None]) -> Found | None:
        self._log.read()
        return look()

    def _last_words(self) -> str:
        lines = [line for line in self._running.text().split("\n") if line.strip()]
        return f": {lines[-1][:_LAST_LETTERS]}" if lines else ""


class EventLog:
    """What processes of the program appended to their file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.opened: list[Opened] = []
        self.iterated: list[Iterated] = []
        self._size = 0

    def read(self) -> None:
        """Take what is new."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(self._size)
            whole = file.read().rpartition(b"\n")[0]
        self._size += len(whole) + 1 if whole else 0
        for line in whole.split(b"\n"):
            with suppress(ValueError):  # of a process that was killed while it wrote
                self._take(json.loads(line))

    def first_iteration_after(self, moment: float) -> Iterated | None:
        """None: it is not over yet."""
        place = bisect_right(self.iterated, moment, key=lambda one: one.time)
        return self.iterated[place] if place < len(self.iterated) else None

    def last_iteration_before(self, moment: float) -> Iterated:
        """There is one."""
        return self.iterated[bisect_right(self.iterated, moment, key=lambda one: one.time) - 1]

    def _take(self, event: dict[str, Any]) -> None:
        if event["event"] == "opened":
            self.opened.append(Opened(event["time"], event["iteration"], event["seconds"], event["pids"]))
        else:
            self.iterated.append(Iterated(event["time"], event["iteration"]))
