# SPDX-License-Identifier: BSD-3-Clause
"""A job of nereus-ulfm, which survives deaths of its processes by ULFM, without us."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from nereus.bench.epochs_job import Size
from nereus.bench.logged_job import LoggedJob
from nereus.launch.builds import Build
from nereus.launch.command import Command, command
from nereus.launch.error import LaunchError
from nereus.supervisor.job import Job

_PROGRAM = "nereus-ulfm"
# Its launcher lets processes die without ending the others.
_TOLERANT = ("--with-ft", "ulfm")


def complaint_about_ulfm(build: Build) -> str:
    """Why jobs of this build cannot use it, or ""."""
    try:
        build.program(_PROGRAM)
    except LaunchError:
        return f"{build.name} ({build.library_version}) has no ULFM in the way of Open MPI 5"
    return ""


@contextmanager
def ulfm_job(
    build: Build,
    size: Size,
    folder: Path,
    stopped: Callable[[], bool],
    options: Sequence[str],
    since: float = 0.0,
) -> Iterator[LoggedJob]:
    """Open when the block begins; ended with all its processes when it is left.

    `options`: more ones of the program; `since`: a time at which jobs before it in that folder had ended.
    """
    log = folder / "events.jsonl"
    arguments = ["--bytes", str(size.bytes), "--log", str(log), *options]
    start = command(build, size.ranks, build.program(_PROGRAM), arguments)
    launcher, *words = start.arguments
    with Job(Command([launcher, *_TOLERANT, *words], start.environment), folder / "said") as job:
        logged = LoggedJob(_Supervised(job), log, stopped)
        logged.wait_until_opened(since)
        yield logged


class _Supervised:
    def __init__(self, job: Job) -> None:
        self._job = job

    def has_ended(self) -> bool:
        self._job.attend(0.0)
        return not self._job.running()

    def end(self) -> None:
        self._job.end()

    def text(self) -> str:
        return self._job.text()
