# SPDX-License-Identifier: BSD-3-Clause
"""One result file, of a program or the emulator, to the measures of its run (docs/formats/study.md)."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import Field, ValidationError

from nereus.analysis.report.events import (
    ConstantSent,
    Event,
    Iteration,
    ProcessesReady,
    ResizeUndone,
    Strict,
)
from nereus.analysis.report.reader import FILE_NAME
from nereus.analysis.study.error import StudyError
from nereus.analysis.study.plan import Planned
from nereus.analysis.study.variants import variant

COMPUTING = ("compute", "memory", "pi", "matrix")  # the library's kinds, and the emulator's types

Kind = TypeVar("Kind", bound=Event)
Times = Annotated[list[float | None], Field(min_length=1)]


class _Stage(Strict):
    """Of a program: `total_seconds` has the sum over iterations for each rank, None where it never was."""

    name: str
    kind: str
    total_seconds: Times

    @property
    def slowest(self) -> float:
        return max((seconds for seconds in self.total_seconds if seconds is not None), default=0.0)


class _GenerationEnded(Event):
    """What the library tells of a program between two resizes (docs/formats/measured.md)."""

    ranks: int
    iterations: int
    seconds: float
    stages: list[_Stage]


class _StageTotals(Event):
    """Of the emulator: for each stage of a phase the sum over iterations, for each rank."""

    group: int
    phase: int
    iterations: int
    seconds: list[Annotated[list[float], Field(min_length=1)]]


class _PlannedStage(Strict):
    type: str


class _Phase(Strict):
    stages: list[_PlannedStage]


class _Emulated(Strict):
    phases: list[_Phase]


class _Header(Event):
    """Only the emulator's has a run."""

    run: _Emulated | None = None


class _Committed(Event):
    """A resize; a program's tells the parts that the emulator has events of their own for."""

    from_: int = Field(alias="from")
    to: int
    process_method: str
    transfer_method: str
    transfer_strategy: str
    variable_seconds: float
    pause_seconds: float
    process_seconds: float | None = None
    constant_seconds: float | None = None
    background_iterations: int | None = None


class _Finished(Event):
    """Only the emulator's has a total."""

    total_seconds: float | None = None
    data_intact: bool | None = None


_KINDS: dict[str, type[Event]] = {
    "header": _Header,
    "generation_ended": _GenerationEnded,
    "iteration": Iteration,
    "stage_totals": _StageTotals,
    "processes_ready": ProcessesReady,
    "constant_sent": ConstantSent,
    "committed": _Committed,
    "resize_undone": ResizeUndone,
    "finished": _Finished,
}


@dataclass(frozen=True)
class StageTime:
    """A stage, and its seconds in an iteration at the slowest rank."""

    name: str
    kind: str
    seconds: float


@dataclass(frozen=True)
class Measures:
    """The figures of one run; None where it has none. Times in seconds."""

    total_seconds: float
    reconfiguration_seconds: float | None = None
    redistribution_seconds: float | None = None
    pause_seconds: float | None = None
    process_seconds: float | None = None
    constant_seconds: float | None = None
    variable_seconds: float | None = None
    background_iterations: float | None = None
    iteration_seconds: float | None = None
    next_iteration_seconds: float | None = None
    omega: float | None = None
    compute_seconds: float | None = None
    communication_seconds: float | None = None
    stages: Sequence[StageTime] = field(default=())


#: Names of the figures, in the order in which they are shown.
MEASURES = tuple(each.name for each in fields(Measures) if each.name != "stages")


def measure(folder: Path, planned: Planned) -> Measures:
    """The measures of a run; StudyError says why its results are not those of a good run as planned."""
    file = folder / FILE_NAME
    events = _read(file)
    end = _finished(file, events)
    for undone in _of(events, ResizeUndone):
        raise StudyError(f"the resize was rolled back while {undone.state}: {undone.reason}")
    if planned.variant is None:
        if _of(events, _Committed):
            raise StudyError(f"{file}: a resize in a run that has none")
        return _without_resize(events, _total(file, events, end))
    return _with_resize(events, _committed(file, events, planned), _total(file, events, end))


def _read(file: Path) -> list[Event]:
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise StudyError(f"{file}: cannot be read: {error.strerror}; does the program use Nereus?") from None
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    return [event for number, line in numbered if (event := _event(file, number, line)) is not None]


def _event(file: Path, number: int, line: bytes) -> Event | None:
    try:
        value = json.loads(line)
        kind = _KINDS.get(value["event"])
        return kind.model_validate(value) if kind else None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise StudyError(f"{file}:{number}: {value['event']}: {key}: {first['msg']}") from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise StudyError(f"{file}:{number}: is no event") from None


def _of(events: Iterable[Event], kind: type[Kind]) -> list[Kind]:
    return [event for event in events if isinstance(event, kind)]


def _finished(file: Path, events: list[Event]) -> _Finished:
    ends = _of(events, _Finished)
    if not ends:
        raise StudyError(f"{file}: the results have no end")
    if ends[-1].data_intact is False:
        raise StudyError("the data was damaged")
    return ends[-1]


def _total(file: Path, events: list[Event], end: _Finished) -> float:
    """A program's time is that of all its iterations and pauses: making its problem is no part of it."""
    if end.total_seconds is not None:
        return end.total_seconds
    generations = _of(events, _GenerationEnded)
    if not generations:
        raise StudyError(f"{file}: there are no times of iterations")
    pauses = sum(event.pause_seconds for event in _of(events, _Committed))
    return sum(event.seconds for event in generations) + pauses


def _committed(file: Path, events: list[Event], planned: Planned) -> _Committed:
    """The one resize, which must be the one that was planned: nothing is compared under a wrong name."""
    found = _of(events, _Committed)
    if len(found) != 1:
        raise StudyError(f"{file}: {len(found)} resizes were committed, one is planned")
    event, way = found[0], variant(planned.variant or "")
    made = {"from": event.from_, "to": event.to, "process_method": event.process_method}
    wanted = {"from": planned.before, "to": planned.after, "process_method": way.way.processes.method}
    if not way.way.shared:
        made |= {"transfer_method": event.transfer_method, "transfer_strategy": event.transfer_strategy}
        wanted |= {"transfer_method": way.transfer_method, "transfer_strategy": way.way.strategy}
    for key, value in made.items():
        if value != wanted[key]:
            raise StudyError(f"the resize had {key} = {value}, planned was {wanted[key]}")
    return event


def _without_resize(events: list[Event], total: float) -> Measures:
    times = _stage_times(events)
    computing = [stage.seconds for stage in times if stage.kind in COMPUTING]
    others = [stage.seconds for stage in times if stage.kind not in COMPUTING]
    spans = _spans(events)
    return Measures(
        total,
        iteration_seconds=spans[0].iteration_seconds if spans else None,
        compute_seconds=sum(computing) if computing else None,
        communication_seconds=sum(others) if others else None,
        stages=times,
    )


def _with_resize(events: list[Event], committed: _Committed, total: float) -> Measures:
    ready, sent = _of(events, ProcessesReady), _background(events)
    process = ready[-1].seconds if ready else committed.process_seconds
    constant = sent.seconds if sent else None
    moved = committed.variable_seconds + (constant or 0.0)
    spans = _spans(events)
    return Measures(
        total,
        reconfiguration_seconds=None if process is None else process + moved,
        redistribution_seconds=moved,
        pause_seconds=committed.pause_seconds,
        process_seconds=process,
        constant_seconds=constant,
        variable_seconds=committed.variable_seconds,
        background_iterations=sent.iterations if sent else 0,
        iteration_seconds=spans[0].iteration_seconds if spans else None,
        next_iteration_seconds=spans[-1].iteration_seconds if len(spans) > 1 else None,
        omega=spans[0].omega if spans else None,
    )


@dataclass(frozen=True)
class _Span:
    """Iterations at one size: those beside which constant data moved, and the others."""

    iterations: int
    seconds: float
    moving: int = 0
    moving_seconds: float = 0.0

    @property
    def iteration_seconds(self) -> float | None:
        quiet = self.iterations - self.moving
        return (self.seconds - self.moving_seconds) / quiet if quiet > 0 else None

    @property
    def omega(self) -> float | None:
        """Martín-Álvarez et al. 2025, section 5.3."""
        usual = self.iteration_seconds
        return self.moving_seconds / self.moving / usual if self.moving and usual else None


def _spans(events: list[Event]) -> list[_Span]:
    """The sizes that the run had, in their order."""
    sent = _background(events)
    ended = sorted(_of(events, _GenerationEnded), key=lambda event: event.generation)
    if ended:
        return [_program_span(event, sent if number == 0 else None) for number, event in enumerate(ended)]
    meanwhile = sent.meanwhile if sent else range(0)
    groups: dict[int, list[Iteration]] = {}
    for iteration in _of(events, Iteration):
        groups.setdefault(iteration.group, []).append(iteration)
    return [_emulated_span(groups[group], meanwhile) for group in sorted(groups)]


@dataclass(frozen=True)
class _Sent:
    """How constant data moved: how long, and beside how many iterations, from which one on."""

    seconds: float
    iterations: int
    first: int = 0

    @property
    def meanwhile(self) -> range:
        return range(self.first, self.first + self.iterations)


def _background(events: list[Event]) -> _Sent | None:
    """From the emulator's event, else from what a program's resize tells."""
    for sent in _of(events, ConstantSent):
        # Files of before there were background transfers have no first iteration.
        known = sent.first_iteration is not None
        return _Sent(sent.seconds, sent.iterations if known else 0, sent.first_iteration or 0)
    for committed in _of(events, _Committed):
        if committed.constant_seconds is not None:
            return _Sent(committed.constant_seconds, committed.background_iterations or 0)
    return None


def _program_span(ended: _GenerationEnded, sent: _Sent | None) -> _Span:
    """A program's iterations are not told one by one: those meanwhile took as long as the data."""
    if sent is None or not sent.iterations:
        return _Span(ended.iterations, ended.seconds)
    return _Span(ended.iterations, ended.seconds, sent.iterations, sent.seconds)


def _emulated_span(iterations: list[Iteration], meanwhile: range) -> _Span:
    moving = [i.seconds for i in iterations if i.iteration in meanwhile]
    return _Span(len(iterations), sum(i.seconds for i in iterations), len(moving), sum(moving))


def _stage_times(events: list[Event]) -> list[StageTime]:
    ended = [event for event in _of(events, _GenerationEnded) if event.iterations]
    if ended:
        first = ended[0]
        return [StageTime(s.name, s.kind, s.slowest / first.iterations) for s in first.stages]
    return _emulated_stage_times(events)


def _emulated_stage_times(events: list[Event]) -> list[StageTime]:
    """Those of the phase that has most iterations, as a program's: of the rank with the greatest sum."""
    headers = [header.run for header in _of(events, _Header) if header.run is not None]
    totals = _of(events, _StageTotals)
    if not headers or not totals:
        return []
    main = max(totals, key=lambda each: each.iterations)
    kinds = [stage.type for phase in headers[0].phases[main.phase : main.phase + 1] for stage in phase.stages]
    return [
        StageTime(kind, kind, max(seconds) / main.iterations)
        for kind, seconds in zip(kinds, main.seconds, strict=False)
    ]
