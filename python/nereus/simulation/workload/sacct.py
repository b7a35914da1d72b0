# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of Slurm's accounting: what `sacct --parsable2` prints, with its header (Slurm's page sacct(1)).

A line for each job, or for one of its steps, which is left out. The components of a heterogeneous job start
and end together: they are one job, with the cores of all. A job that was requeued is there once for each
time, if the export has duplicates.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nereus.config.errors import ConfigError, fail, show
from nereus.config.text import text_of
from nereus.reading import MOST_RECORDED
from nereus.simulation.jobs.swf import TracedJob
from nereus.simulation.workload.slurm_times import WrongTextError, duration, limit, minutes, moment, whole

#: What a column is used for, and its names, the first that there is.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("JobID",),
    "submit": ("Submit",),
    "start": ("Start",),
    "end": ("End",),
    "elapsed": ("ElapsedRaw", "Elapsed"),
    "cores": ("AllocCPUS", "NCPUS"),
    "requested": ("ReqCPUS",),
    "limit": ("Timelimit", "TimelimitRaw"),
    "state": ("State",),
}
_NEEDED = ("id", "submit", "elapsed", "cores")
_READ: Mapping[str, Callable[[str], float]] = {
    "ElapsedRaw": whole,
    "Elapsed": duration,
    "Timelimit": limit,
    "TimelimitRaw": minutes,
}
_NOT_OVER = ("RUNNING", "SUSPENDED")
_LONGEST_LINE = 65536

STILL_RAN = "still ran"


@dataclass(frozen=True)
class LeftOut:
    """A job that cannot be simulated, though nothing is wrong with it."""

    why: str


@dataclass(frozen=True)
class Entry:
    """Where a job stands, and what was found there."""

    where: str
    job: TracedJob | LeftOut | ConfigError


def is_export(path: Path) -> bool:
    """Its first line has columns, as no line of the Standard Workload Format has."""
    try:
        with path.open("rb") as file:
            first = file.readline(_LONGEST_LINE).lstrip()
    except OSError:
        return False
    return b"|" in first and not first.startswith(b";")


def entries(path: Path) -> list[Entry]:
    """Of all jobs. ConfigError where the file has no header that names the columns."""
    table = _Table(str(path))
    try:
        for number, row in enumerate(_rows(text_of(path, MOST_RECORDED)), start=1):
            if row:
                table.add(row, f"{path}:{number}")
    except csv.Error as error:
        raise fail(str(path), f"is no table of sacct: {error}") from None
    if not table.columns:
        raise fail(str(path), _no_header("is empty"))
    return table.entries


def _rows(text: str) -> Iterator[list[str]]:
    return csv.reader(text.split("\n"), delimiter="|", quoting=csv.QUOTE_NONE)


def _no_header(what: str) -> str:
    return f"{what}: the first line of an export of sacct names its columns (--parsable2)"


class _Table:
    def __init__(self, name: str) -> None:
        self.columns: dict[str, tuple[int, str]] = {}  # place and name, by what it is used for
        self.entries: list[Entry] = []
        self._name = name
        self._header: list[str] = []
        self._seen: set[tuple[str, float]] = set()
        self._times = Counter[str]()
        self._leaders: dict[tuple[str, float], int] = {}  # places of heterogeneous jobs

    def add(self, row: Sequence[str], where: str) -> None:
        if not self.columns:
            self._read_header(row, where)
        elif list(row) == self._header:
            return  # of a second export behind the first
        else:
            try:
                self._add_job(row, where)
            except ConfigError as error:
                self.entries.append(Entry(where, error))

    def _read_header(self, row: Sequence[str], where: str) -> None:
        places = {name.strip().lower(): place for place, name in reversed(list(enumerate(row)))}
        if "jobid" not in places:
            raise fail(where, _no_header("has no column JobID"))
        self._header = list(row)
        for use, names in _NAMES.items():
            there = [name for name in names if name.lower() in places]
            if there:
                self.columns[use] = places[there[0].lower()], there[0]
        for use in _NEEDED:
            if use not in self.columns and not (use == "elapsed" and {"start", "end"} <= self.columns.keys()):
                raise fail(where, f"has no column {' or '.join(_NAMES[use])}")

    def _add_job(self, row: Sequence[str], where: str) -> None:
        if len(row) != len(self._header):
            raise fail(
                where, f"a job has the {len(self._header)} columns of the header, this line {len(row)}"
            )
        name = row[self.columns["id"][0]]
        if "." in name:
            return
        line = _Line(row, where, self.columns)
        leader = line.leader()
        submit = line.read("submit", moment)
        if (name, submit) in self._seen:
            raise fail(where, f"there is a job {name} above that was submitted at the same time")
        self._seen.add((name, submit))
        found = line.job(submit)
        key = (leader, submit)
        if leader != name and key in self._leaders:
            place = self._leaders[key]
            first = self.entries[place]
            self.entries[place] = replace(first, job=_joined(first.job, found))
            return
        self._times[leader] += 1
        again = f"#{self._times[leader]}" if self._times[leader] > 1 else ""
        if isinstance(found, TracedJob):
            found = replace(found, name=leader + again)
        if leader != name:
            self._leaders[key] = len(self.entries)
        self.entries.append(Entry(where, found))


@dataclass(frozen=True)
class _Line:
    row: Sequence[str]
    where: str
    columns: Mapping[str, tuple[int, str]]

    def job(self, submit: float) -> TracedJob | LeftOut:
        if self._text("state").split(" ")[0].upper() in _NOT_OVER:
            return LeftOut(STILL_RAN)
        ranks = self._cores("cores") or self._cores("requested")
        most = self.read("limit", _READ[self.columns["limit"][1]]) if "limit" in self.columns else -1.0
        return TracedJob(self._text("id"), submit, self._seconds(), ranks, most)

    def leader(self) -> str:
        """Its id, without the number of a component."""
        text = self._text("id")
        leader, _, component = text.partition("+")
        array, _, task = leader.partition("_")
        rest = (*([task] if "_" in leader else []), *([component] if "+" in text else []))
        waiting = task.startswith("[") and task.endswith("]")
        numbers = (array, *(() if waiting else rest))
        if not all(each.isascii() and each.isdecimal() for each in numbers):
            raise self._wrong("id", "a job has an id such as 12, 12_3 or 12+0, a step one such as 12.batch")
        return leader

    def read(self, use: str, reader: Callable[[str], float]) -> float:
        """What stands in the column."""
        try:
            return reader(self._text(use))
        except WrongTextError as error:
            raise self._wrong(use, str(error)) from None

    def _seconds(self) -> float:
        if "elapsed" in self.columns:
            return self.read("elapsed", _READ[self.columns["elapsed"][1]])
        if {self._text("start"), self._text("end")} & {"Unknown", "None", ""}:
            return 0.0
        seconds = self.read("end", moment) - self.read("start", moment)
        if seconds < 0:
            raise self._wrong("end", "a job ends after its start")
        return seconds

    def _cores(self, use: str) -> int:
        return int(self.read(use, whole)) if self._text(use) else 0

    def _text(self, use: str) -> str:
        return self.row[self.columns[use][0]].strip() if use in self.columns else ""

    def _wrong(self, use: str, allowed: str) -> ConfigError:
        return fail(self.where, allowed, self.columns[use][1], show(self._text(use)))


def _joined(
    first: TracedJob | LeftOut | ConfigError, other: TracedJob | LeftOut
) -> TracedJob | LeftOut | ConfigError:
    """Components of one job."""
    if not isinstance(first, TracedJob):
        return first
    if not isinstance(other, TracedJob):
        return other
    limits = (first.limit, other.limit)
    return replace(
        first,
        seconds=max(first.seconds, other.seconds),
        ranks=first.ranks + other.ranks,
        limit=max(limits) if min(limits) > 0 else -1.0,
    )
