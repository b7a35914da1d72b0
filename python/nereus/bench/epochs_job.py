# SPDX-License-Identifier: BSD-3-Clause
"""A job of nereus-epochs under `nereus run`: it is saved, resized and continued."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nereus.bench.logged_job import PATIENCE, LoggedJob, TrialError
from nereus.launch.builds import Build
from nereus.methods import RESTART
from nereus.supervisor.asking import NoAnswer, ask
from nereus.supervisor.client import find
from nereus.supervisor.request_server import NOT_OPENED

PROGRAM = "nereus-epochs"

#: The command line that runs `nereus` with these arguments.
Nereus = Callable[[Sequence[str]], Sequence[str]]


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
    nereus: Nereus,
    build: Build,
    size: Size,
    folder: Path,
    stopped: Callable[[], bool],
    options: Sequence[str],
    since: float = 0.0,
) -> Iterator["EpochsJob"]:
    """Open when the block begins; ended with all its processes when it is left.

    `options`: more ones of `nereus run`; `since`: a time at which jobs before it in that folder had ended.
    """
    name, log = f"bench-{os.getpid()}", folder / "events.jsonl"
    own = ["--mpi", build.name, "-n", str(size.ranks), "--name", name, "--quiet"]
    program = [PROGRAM, "--bytes", str(size.bytes), "--log", str(log)]
    running = _Command(nereus(["run", *own, *options, "--", *program]), folder / "said")
    job = EpochsJob(running, log, stopped, name, folder_of_epochs(folder))
    try:
        job.wait_until_opened(since)
        yield job
    finally:
        job.end()


class _Command:
    """`nereus run`."""

    def __init__(self, words: Sequence[str], said: Path) -> None:
        self._said = said
        with said.open("w") as file:
            self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=file)

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def text(self) -> str:
        return self._said.read_text(errors="replace")


class EpochsJob(LoggedJob):
    """Made by epochs_job()."""

    def __init__(
        self, running: _Command, log: Path, stopped: Callable[[], bool], name: str, saved: Path
    ) -> None:
        super().__init__(running, log, stopped)
        self._name, self._saved = name, saved

    def save(self) -> Saved:
        """An epoch."""
        report = self._report({"kind": "save", "stops": False}, "the job saved no epoch")
        return Saved(self._saved / f"epoch-{report['epoch']}", float(report["seconds"]))

    def restart(self, ranks: int) -> float:
        """Start it anew with so many; seconds between the iterations before and after."""
        asked = {"kind": "resize", "ranks": ranks, "options": {"process-method": RESTART}}
        report = self._report(asked, "the job was not restarted")
        if report["reason"]:
            raise TrialError(f"the job was not restarted: {report['reason']}")
        opened = self.wait(lambda: self.latest if len(self.latest.pids) == ranks else None)
        first = self.first_iteration_after(opened.time)
        return first.time - self.last_iteration_before(opened.time).time

    def _report(self, asked: dict[str, Any], failure: str) -> dict[str, Any]:
        """Of what the job has done then."""

        def answered() -> dict[str, Any] | None:
            try:
                found = ask(find(self._name).where, {**asked, "wait": True}, PATIENCE)
            except NoAnswer as problem:
                raise TrialError(f"{failure}: {problem}") from None
            # Its processes may have told the log before the supervisor.
            return None if found.get("message") == NOT_OPENED else found

        answer = self.wait(answered)
        report = answer.get("report")
        if not isinstance(report, dict):
            raise TrialError(f"{failure}: {answer.get('message')}")
        return report
