# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a study: its file, a line for each run that is over, raw results of every attempt."""

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Annotated, Any, Literal, Self

from pydantic import Field, ValidationError

from nereus.analysis.report.events import Strict
from nereus.analysis.study.error import StudyError

FILE_NAME, RECORDS_NAME = "study.toml", "runs.jsonl"
_HEADER = {"event": "header", "format": "nereus-study", "version": 1}


@dataclass(frozen=True)
class Record:
    """The outcome of the latest attempt at a run."""

    run: str
    attempt: int
    good: bool
    reason: str = ""
    seconds: float = 0.0


class _RunEvent(Strict):
    run: str
    attempt: Annotated[int, Field(ge=1)]
    outcome: Literal["good", "failed"]
    reason: str
    seconds: float


@dataclass(frozen=True)
class Records:
    """All that the file of records tells: the latest start, and the latest record of each run."""

    started: Mapping[str, Any]
    runs: Mapping[str, Record]


def is_study(folder: Path) -> bool:
    """Whether the folder is that of a study."""
    return (folder / FILE_NAME).is_file() and (folder / RECORDS_NAME).is_file()


def read_records(folder: Path) -> Records:
    """Outcomes of the runs so far; a last line that was cut is skipped."""
    file = folder / RECORDS_NAME
    started: Mapping[str, Any] = {}
    runs: dict[str, Record] = {}
    for number, line in enumerate(_whole_lines(file), start=1):
        event = _event(file, number, line)
        if number == 1:
            _check_header(file, event)
        elif event["event"] == "started":
            started = event
        elif event["event"] == "run":
            record = _record(file, number, event)
            runs[record.run] = record
    return Records(started, runs)


def attempt_folder(folder: Path, run: str, attempt: int) -> Path:
    """Where the raw results of an attempt lie."""
    return folder / "runs" / run / str(attempt)


class Store:
    """A study's folder while runs are made; in its `with` statement no other start may write there."""

    def __init__(self, folder: Path, file: Path, name: str) -> None:
        """Make the folder, or go on with one of an equal file; StudyError where that is not possible."""
        self.folder = folder
        text = file.read_bytes()
        _begin(folder, text)
        self._file = _locked(folder / RECORDS_NAME)
        try:
            _cut_to_whole_lines(self._file)
            if self._file.tell() == 0:
                self.write({**_HEADER, "name": name})
            self.runs = dict(read_records(folder).runs)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        """Nothing to do: it is open already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let others write there."""
        self._file.close()

    def new_attempt(self, run: str) -> tuple[int, Path]:
        """The number of the next attempt at a run, and an empty folder for it."""
        above = self.folder / "runs" / run
        above.mkdir(parents=True, exist_ok=True)
        # One that was killed has a folder, but no record.
        attempt = max((int(p.name) for p in above.iterdir() if p.name.isdecimal()), default=0) + 1
        made = attempt_folder(self.folder, run, attempt)
        made.mkdir()
        return attempt, made

    def add(self, record: Record) -> None:
        """Note that an attempt is over."""
        self.runs[record.run] = record
        outcome = {"outcome": "good" if record.good else "failed", "reason": record.reason}
        keys = {"run": record.run, "attempt": record.attempt, **outcome, "seconds": round(record.seconds, 6)}
        self.write({"event": "run", **keys})

    def write(self, event: Mapping[str, Any]) -> None:
        """A line that outlives the end of this process and of the machine."""
        self._file.write(json.dumps(event, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _begin(folder: Path, text: bytes) -> None:
    own = folder / FILE_NAME
    if own.is_file():
        if own.read_bytes() != text:
            raise StudyError(f"{own}: differs from the study file; a study continues only with an equal one")
        return
    if folder.exists() and not folder.is_dir():
        raise StudyError(f"{folder}: is a file; a folder is needed")
    if folder.is_dir() and any(folder.iterdir()):
        raise StudyError(f"{folder}: is not empty and holds no study; one of these is needed")
    folder.mkdir(parents=True, exist_ok=True)
    own.write_bytes(text)


def _locked(path: Path) -> IO[bytes]:
    file = path.open("ab+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise StudyError(f"{path.parent}: this study is being run already") from None
    return file


def _cut_to_whole_lines(file: IO[bytes]) -> None:
    """Remove a last line that was cut, or it would spoil the one that is written next."""
    file.seek(0)
    content = file.read()
    file.truncate(content.rfind(b"\n") + 1)
    file.seek(0, os.SEEK_END)


def _whole_lines(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise StudyError(f"{file}: cannot be read: {error.strerror}") from None


def _event(file: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        raise StudyError(f"{file}:{number}: is not JSON") from None
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        raise StudyError(f'{file}:{number}: not an event: an object with a text "event" is allowed')
    return event


def _check_header(file: Path, event: Mapping[str, Any]) -> None:
    for key, supported in _HEADER.items():
        if event.get(key) != supported:
            raise StudyError(f"{file}:1: {key} = {event.get(key)!r:.60}: {supported!r} is supported")


def _record(file: Path, number: int, event: Mapping[str, Any]) -> Record:
    try:
        told = _RunEvent.model_validate(event)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise StudyError(f"{file}:{number}: run: {first['loc'][0]}: {first['msg']}") from None
    return Record(told.run, told.attempt, told.outcome == "good", told.reason, told.seconds)
