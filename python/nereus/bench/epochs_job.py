# SPDX-License-Identifier: BSD-3-Clause
"""A job of nereus-epochs under `nereus run`: it is saved, ranks are killed, its log says what happened when.

Times are those of the log and of time.monotonic(): the same clock.
"""

import json
import os
import signal
import subprocess
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from nereus import UserError
from nereus.launch.builds import Build
from nereus.methods import RESTART
from nereus.supervisor.asking import NoAnswer, ask
from nereus.supervisor.client import find
from nereus.supervisor.request_server import NOT_OPENED

PROGRAM = "nereus-epochs"
_PATIENCE = 120.0
_LOOK_EVERY = 0.005
_LAST_LETTERS = 300

Found = TypeVar("Found")


class EpochsError(UserError):
    """The job did not do what it was asked for."""


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


@dataclass(frozen=True)
class Size:
    """Of the job: its processes, and the bytes of all its data."""

    ranks: int
    bytes: int


@dataclass(frozen=True)
class Saved:
    """An epoch; `seconds`: the job's time for it."""

    folder: Path
    seconds: float


def folder_of_epochs(folder: Path) -> Path:
    """Where a job that has this folder saves them."""
    return folder / "saved"


@contextmanager
def epochs_job(
    command: Sequence[str],
    build: Build,
    size: Size,
    folder: Path,
    stopped: Callable[[], bool],
    options: Sequence[str],
    since: float = 0.0,
) -> Iterator["EpochsJob"]:
    """Open when the block begins; ended with all its processes when it is left. `command`: of nereus.

    `options`: more ones of `nereus run`; `since`: a time at which jobs before it in that folder had ended.
    """
    job = EpochsJob(command, build, size, folder, stopped, options)
    try:
        job.wait_until_opened(since)
        yield job
    finally:
        job.end()


class EpochsJob:
    """Made by epochs_job()."""

    def __init__(
        self,
        command: Sequence[str],
        build: Build,
        size: Size,
        folder: Path,
        stopped: Callable[[], bool],
        options: Sequence[str],
    ) -> None:
        self._saved, self._said = folder_of_epochs(folder), folder / "said"
        self._log = EventLog(folder / "events.jsonl")
        self._stopped = stopped
        self._name = f"bench-{os.getpid()}"
        own = ["--mpi", build.name, "-n", str(size.ranks), "--name", self._name, "--quiet"]
        program = [PROGRAM, "--bytes", str(size.bytes), "--log", str(self._log.path)]
        with self._said.open("w") as said:
            self._process = subprocess.Popen(
                [*command, "run", *own, *options, "--", *program],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )

    def wait_until_opened(self, after: float) -> Opened:
        """By its processes of now, after that time."""
        return self._wait(lambda: next((one for one in self._log.opened if one.time > after), None))

    def first_iteration_after(self, moment: float) -> Iterated:
        """Its end."""
        return self._wait(lambda: self._log.first_iteration_after(moment))

    def last_iteration_before(self, moment: float) -> Iterated:
        """Its end."""
        return self._log.last_iteration_before(moment)

    def save(self) -> Saved:
        """An epoch."""
        report = self._report({"kind": "save", "stops": False}, "the job saved no epoch")
        return Saved(self._saved / f"epoch-{report['epoch']}", float(report["seconds"]))

    def restart(self, ranks: int) -> float:
        """Start it anew with so many; seconds between the iterations before and after."""
        asked = {"kind": "resize", "ranks": ranks, "options": {"process-method": RESTART}}
        report = self._report(asked, "the job was not restarted")
        if report["reason"]:
            raise EpochsError(f"the job was not restarted: {report['reason']}")
        opened = self._wait(lambda: self._log.opened[-1] if len(self._log.opened[-1].pids) == ranks else None)
        first = self.first_iteration_after(opened.time)
        return first.time - self.last_iteration_before(opened.time).time

    def _report(self, asked: dict[str, Any], failure: str) -> dict[str, Any]:
        """Of what the job has done then."""

        def answered() -> dict[str, Any] | None:
            try:
                found = ask(find(self._name).where, {**asked, "wait": True}, _PATIENCE)
            except NoAnswer as problem:
                raise EpochsError(f"{failure}: {problem}") from None
            # Its processes may have told the log before the supervisor.
            return None if found.get("message") == NOT_OPENED else found

        answer = self._wait(answered)
        report = answer.get("report")
        if not isinstance(report, dict):
            raise EpochsError(f"{failure}: {answer.get('message')}")
        return report

    def kill(self, rank: int) -> float:
        """When its process was killed."""
        pids = self._log.opened[-1].pids
        moment = time.monotonic()
        os.kill(pids[rank % len(pids)], signal.SIGKILL)
        return moment

    def wait_until_ended(self) -> None:
        """By itself."""
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            raise EpochsError(f"the job did not end within {_PATIENCE:g} s{self._last_words()}") from None

    def end(self) -> None:
        """With all its processes; once more changes nothing."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _wait(self, look: Callable[[], Found | None]) -> Found:
        deadline = time.monotonic() + _PATIENCE
        while (found := self._look(look)) is None:
            if self._process.poll() is not None:
                raise EpochsError(f"the job ended before its time{self._last_words()}")
            if self._stopped():
                raise EpochsError("stopped")
            if time.monotonic() > deadline:
                raise EpochsError(f"the job did nothing for {_PATIENCE:g} s{self._last_words()}")
            time.sleep(_LOOK_EVERY)
        return found

    def _look(self, look: Callable[[], Found | None]) -> Found | None:
        self._log.read()
        return look()

    def _last_words(self) -> str:
        lines = [line for line in self._said.read_text(errors="replace").split("\n") if line.strip()]
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
