# SPDX-License-Identifier: BSD-3-Clause
"""`nereus trace JOB --for TIME`: a job whose trace is paused records for so long."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nereus.analysis.monitor.record import has_ended
from nereus.analysis.report.units import count_text, seconds_text
from nereus.analysis.trace.file import recorded_events
from nereus.analysis.trace.kinds import RECORD, files_of
from nereus.analysis.trace.settings import settings_of, write_until
from nereus.cli.messages import Refused, note
from nereus.cli.monitored_run import chosen_run
from nereus.cli.progress_bar import ProgressBar
from nereus.launch import Stopping, parts_folder
from nereus.reading.durations import seconds_in

_LOOKS = 0.1  # s, between looks whether to stop; processes look as often
_LINE_EVERY = 10.0  # s, where there is no terminal
_MOST = 7 * 86400.0


@dataclass(frozen=True)
class _Traced:
    """A run that is being traced."""

    folder: Path
    parts: Path | None  # None: it runs on another host

    def goes_on(self) -> bool:
        return self.parts is None or parts_folder.is_locked(self.parts)

    def events(self) -> int:
        return sum(map(recorded_events, files_of(self.folder)))


def record_for(job: str, text: str, quiet: bool) -> None:
    """Until the time has passed, we are stopped, or the run ends. Refused where it records anyway."""
    seconds = _seconds(text)
    traced = _traced(job)
    if not settings_of(traced.folder).has_windows:
        raise Refused(
            f"JOB = {job}: its trace records all the time; --paused at its start would have it wait"
        )
    with Stopping() as stopping, _alone(traced.folder), ProgressBar("seconds", _LINE_EVERY, quiet) as bar:
        before, began = traced.events(), time.monotonic()
        _write_until(traced.folder, time.time() + seconds)
        try:
            while _spent(began) < seconds and stopping.signal is None and traced.goes_on():
                bar.are_done(int(_spent(began)), round(seconds))
                time.sleep(_LOOKS)
        finally:
            _write_until(traced.folder, 0)
    spent = seconds_text(min(_spent(began), seconds))
    note(
        f"recorded: {spent} of {job}, {count_text(traced.events() - before)} events, in {traced.folder}",
        quiet,
    )


def _spent(began: float) -> float:
    return time.monotonic() - began


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two at once would end each other's time."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise Refused(f"{folder}: another `nereus trace --for` has it record just now") from None
    try:
        yield
    finally:
        os.close(descriptor)


def _seconds(text: str) -> float:
    try:
        return seconds_in(text, _MOST)
    except ValueError as problem:
        raise Refused(f"--for = {text}: {problem}") from None


def _traced(job: str) -> _Traced:
    """A folder of a trace is meant by its name, on any host that has it."""
    if (Path(job) / RECORD).is_file():
        folder = Path(job).resolve()
        runs = {parts_folder.trace_of(parts): parts for parts in parts_folder.monitored()}
        here = [parts for trace, parts in runs.items() if trace is not None and trace.resolve() == folder]
        if not here and has_ended(folder / RECORD):
            raise Refused(f"JOB = {job}: the run is over")
        return _Traced(folder, here[0] if here else None)
    parts, _ = chosen_run(job, "its trace's folder can be given in place of JOB")
    folder_of_trace = parts_folder.trace_of(parts)
    if folder_of_trace is None:
        begin = "`nereus trace --paused -- COMMAND` begins one that can be"
        raise Refused(f"JOB = {job}: is monitored, not traced; {begin}")
    return _Traced(folder_of_trace, parts)


def _write_until(folder: Path, until: float) -> None:
    """At once for whoever reads it meanwhile."""
    try:
        write_until(folder, until)
    except OSError as problem:
        raise Refused(f"{folder}: cannot be written: {problem.strerror}") from None
