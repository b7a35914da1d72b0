# SPDX-License-Identifier: BSD-3-Clause
"""Reads what the processes wrote about their calls: docs/formats/calls.md."""

import json
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nereus.analysis.capture.error import CaptureError
from nereus.reading import MOST_OF_AN_EVENT, MOST_RECORDED, content_of

Numbers = npt.NDArray[np.int64]
Seconds = npt.NDArray[np.float64]

ROW = np.dtype(
    [
        ("begin", "<i8"),
        ("in_call", "<i8"),
        ("computed", "<i8"),
        ("had_core", "<i8"),
        ("shape", "<u4"),
        ("in_vain", "<u4"),
    ]
)
_LONGEST = 10**18  # ns; 32 years
# What noting a call takes besides its looks at the clocks: a place in a list is found.
_NOTING = 100e-9


class Shape(BaseModel):
    """What calls that do the same have in common."""

    model_config = ConfigDict(strict=True, frozen=True)

    call: str
    bytes: int = Field(ge=0)
    group: int = 0
    processes: int = 0
    peer: int | None = None


class Facts(BaseModel):
    """About one process, written at its end."""

    model_config = ConfigDict(strict=True, frozen=True)

    world: str
    rank: int = Field(ge=0)
    ranks: int = Field(ge=1)
    calls: int = Field(ge=0)
    rows: int = Field(ge=0)
    seconds: float = Field(ge=0)
    core_seconds_at_end: float
    look_nanoseconds: float = Field(ge=0)
    shapes: list[Shape]


@dataclass(frozen=True)
class Trace:
    """The calls of one process in their order, without looks in vain; times are in seconds."""

    facts: Facts
    begin: Seconds  # since all processes were past MPI_Init
    in_call: Seconds
    computed: Seconds  # on a core, before the call
    idle: Seconds  # without a core, before the call and in it, but for files
    shape: Numbers

    @property
    def size(self) -> int:
        """How many calls there are."""
        return len(self.begin)

    @property
    def is_cut_off(self) -> bool:
        """Whether there were more calls than are kept."""
        return self.facts.rows < self.facts.calls

    @cached_property
    def end(self) -> Seconds:
        """When each call ended."""
        return self.begin + self.in_call

    @property
    def cost(self) -> float:
        """Seconds that the noting of one call took."""
        return 2e-9 * self.facts.look_nanoseconds + _NOTING

    def calls(self, place: int) -> Shape:
        """What the call at a place did."""
        return self.facts.shapes[int(self.shape[place])]


def read_traces(folder: Path) -> list[Trace]:
    """Of all processes of the program, by rank. CaptureError where one is missing or cannot be read."""
    files = sorted(folder.glob("*.json"))
    unfinished = {file.stem for file in folder.glob("*.calls")} - {file.stem for file in files}
    if unfinished:
        raise CaptureError(
            f"{len(unfinished)} processes did not reach MPI_Finalize: their calls are not known"
        )
    if not files:
        raise CaptureError("no process of the command reached MPI_Init of the chosen MPI")
    traces = [read_trace(file) for file in files]
    worlds = Counter(trace.facts.world for trace in traces)
    if len(worlds) > 1:
        raise CaptureError(
            f"the command has {len(worlds)} programs of MPI or generations of one; allowed is one, "
            "which makes no processes"
        )
    traces.sort(key=lambda trace: trace.facts.rank)
    ranks = traces[0].facts.ranks
    if [trace.facts.rank for trace in traces] != list(range(ranks)):
        raise CaptureError(
            f"{len(traces)} of {ranks} processes wrote their calls to {folder}: do all hosts share it?"
        )
    return traces


def read_trace(file: Path) -> Trace:
    """Of one process: `file` and the rows beside it."""
    facts = _facts(file)
    rows_file = file.with_suffix(".calls")
    try:
        content = content_of(rows_file, MOST_RECORDED)
    except OSError as problem:
        raise CaptureError(f"{rows_file}: cannot be read: {problem.strerror}") from None
    if len(content) != facts.rows * ROW.itemsize:
        raise CaptureError(
            f"{rows_file}: has {len(content)} bytes; {facts.rows} calls have {facts.rows * ROW.itemsize}"
        )
    rows = np.frombuffer(content, dtype=ROW)
    _check(rows, facts, rows_file)
    return _trace(rows, facts)


def _facts(file: Path) -> Facts:
    try:
        document = json.loads(content_of(file, MOST_OF_AN_EVENT))
    except OSError as problem:
        raise CaptureError(f"{file}: cannot be read: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise CaptureError(f"{file}: is no JSON") from None
    if not isinstance(document, dict) or (document.get("format"), document.get("version")) != (
        "nereus-calls",
        1,
    ):
        raise CaptureError(f"{file}: is no description of calls in version 1")
    try:
        return Facts.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise CaptureError(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _check(rows: npt.NDArray[np.void], facts: Facts, file: Path) -> None:
    for name in ("begin", "in_call", "computed", "had_core"):
        bad = np.flatnonzero((rows[name] < 0) | (rows[name] > _LONGEST))
        if len(bad):
            raise CaptureError(
                f"{file}: call {bad[0]}: {name} = {rows[name][bad[0]]}: allowed is 0 .. 10^18 ns"
            )
    bad = np.flatnonzero(rows["shape"] >= len(facts.shapes))
    if len(bad):
        shape = rows["shape"][bad[0]]
        raise CaptureError(f"{file}: call {bad[0]}: shape = {shape}: there are {len(facts.shapes)}")
    bad = np.flatnonzero(np.diff(rows["begin"]) < 0)
    if len(bad):
        raise CaptureError(f"{file}: call {bad[0] + 1} began before the one before it")


def _trace(rows: npt.NDArray[np.void], facts: Facts) -> Trace:
    """A look in vain is waiting for what the next call finds: its time is that call's."""
    computed = np.maximum(rows["computed"] - facts.look_nanoseconds, 0.0)
    real = np.flatnonzero(rows["in_vain"] == 0)
    ends = np.concatenate([[0], real[:-1] + 1]).astype(np.int64) if len(real) else real
    upto = rows[: real[-1] + 1] if len(real) else rows[:0]

    def summed(values: Seconds) -> Seconds:
        return np.add.reduceat(values, ends) if len(real) else values[:0]

    in_call = summed(1e-9 * upto["in_call"])
    own_end = 1e-9 * (rows["begin"][real] + rows["in_call"][real])
    return Trace(
        facts,
        own_end - in_call,
        in_call,
        summed(1e-9 * computed[: len(upto)]),
        summed(_idle(upto, facts)),
        rows["shape"][real].astype(np.int64),
    )


def _idle(rows: npt.NDArray[np.void], facts: Facts) -> Seconds:
    """Seconds without a core, before each call and in it. Waiting for files needs none, for messages one."""
    ends = rows["begin"] + rows["in_call"]
    before = np.concatenate([[0], ends[:-1]]) if len(rows) else ends
    between = rows["begin"] - before - rows["computed"]
    is_file = np.array([shape.call.startswith("File_") for shape in facts.shapes] or [False])[rows["shape"]]
    inside = np.where(is_file, 0, rows["in_call"] - rows["had_core"])
    idle: Seconds = 1e-9 * (np.maximum(between, 0) + np.maximum(inside, 0))
    return idle
