# SPDX-License-Identifier: BSD-3-Clause
"""`nereus trace JOB --for TIME`: a job whose trace is paused records for so long."""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from nereus.analysis.report.units import count_text, seconds_text
from nereus.analysis.trace.file import recorded_events
from nereus.analysis.trace.kinds import RECORD, RECORD_UNTIL, files_of
from nereus.analysis.trace.settings import settings_of
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
    before, began = traced.events(), time.monotonic()
    _write_until(traced.folder, time.time() + seconds)
    with Stopping() as stopping, ProgressBar("seconds", _LINE_EVERY, quiet) as bar:
        while (spent := time.monotonic() - began) < seconds and stopping.signal is None and traced.goes_on():
            bar.are_done(int(spent), round(seconds))
            time.sleep(_LOOKS)
    _end(traced.folder)
    spent = min(time.monotonic() - began, seconds)
    note(
        f"recorded: {seconds_text(spent)} of {job}, {count_text(traced.events() - before)} events, "
        f"in {traced.folder}",
        quiet,
    )


def _seconds(text: str) -> float:
    try:
        return seconds_in(text, _MOST)
    except ValueError as problem:
        raise Refused(f"--for = {text}: {problem}") from None


def _traced(job: str) -> _Traced:
    """A folder of a trace is meant by its name, on any host that has it."""
    if (Path(job) / RECORD).is_file():
        folder = Path(job).absolute()
        runs = [parts for parts in parts_folder.monitored() if parts_folder.trace_of(parts) == folder]
        return _Traced(folder, runs[0] if runs else None)
    parts, _ = chosen_run(job, "its trace's folder can be given in place of JOB")
    folder_of_trace = parts_folder.trace_of(parts)
    if folder_of_trace is None:
        begin = "`nereus trace --paused -- COMMAND` begins one that can be"
        raise Refused(f"JOB = {job}: is monitored, not traced; {begin}")
    return _Traced(folder_of_trace, parts)


def _write_until(folder: Path, until: float) -> None:
    """At once for whoever reads it meanwhile."""
    path = folder / RECORD_UNTIL
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_text(f"{until:.6f}\n", encoding="ascii")
        new.replace(path)
    except OSError as problem:
        raise Refused(f"{path}: cannot be written: {problem.strerror}") from None


def _end(folder: Path) -> None:
    with suppress(OSError):
        (folder / RECORD_UNTIL).unlink()
