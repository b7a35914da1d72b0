# SPDX-License-Identifier: BSD-3-Clause
"""Reads a result file: lines to events, events to `Results`.

A run that dies may leave its last line cut; that line is skipped. Everything else that is not as
docs/formats/results.md says is an error that names the line.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from nereus.analysis.report import events
from nereus.analysis.report.attempts import Attempt, Line, recoveries_of
from nereus.analysis.report.energy import read_energy
from nereus.analysis.report.epoch_costs import read_epoch_costs
from nereus.analysis.report.model import Generation, Iteration, Resize, ResultError, Results
from nereus.reading import MOST_RECORDED, content_of

FILE_NAME = "run.jsonl"

Kind = TypeVar("Kind", bound=events.Event)


def read(path: Path) -> Results:
    """Read the results of a folder, or of a file.

    Raises ResultError when there is no such file, it is not a result file of a known version, or a line other
    than the last one is damaged.
    """
    file = path / FILE_NAME if path.is_dir() else path
    lines = list(_lines(file, _content(file)))
    header = _header(file, lines)
    attempts = list(_attempts(lines))
    finished = _events(lines, events.Finished)
    return Results(
        path=file,
        header=header,
        generations=[generation for attempt in attempts for generation in attempt.generations],
        resizes=[resize for attempt in attempts for resize in _resizes(attempt.lines, attempt.generations)],
        undone=_events(lines, events.ResizeUndone),
        end=finished[-1] if finished else None,
        energy=read_energy(file.parent) if file.name == FILE_NAME else None,
        recoveries=recoveries_of(attempts),
        epoch_costs=read_epoch_costs(file.parent) if file.name == FILE_NAME else None,
    )


def _attempts(lines: list[Line]) -> Iterator[Attempt]:
    """The job, and those that continued it; numbers of groups and requests are of one alone."""
    begins = [0, *(at for at, line in enumerate(lines) if isinstance(line.event, events.Resumed))]
    reached = 0
    for begin, end in pairwise([*begins, len(lines)]):
        its_own = lines[begin:end]
        first = its_own[0].event if its_own else None
        resumed = first if isinstance(first, events.Resumed) else None
        generations = _generations(its_own, resumed.iteration if resumed else 0, reached)
        attempt = Attempt(its_own, resumed, generations)
        reached = max(reached, attempt.reached)
        yield attempt


def _content(file: Path) -> list[bytes]:
    try:
        return content_of(file, MOST_RECORDED).split(b"\n")
    except OSError as error:
        raise ResultError(f"{file}: {error.strerror}: a results folder holds a file {FILE_NAME}") from None


def _lines(file: Path, content: list[bytes]) -> Iterator[Line]:
    used = [number for number, raw in enumerate(content) if raw.strip()]
    for number in used:
        try:
            value = json.loads(content[number])
        except (ValueError, RecursionError) as error:
            if number == used[-1] and number != used[0]:
                return
            raise ResultError(f"{file}:{number + 1}: not JSON: {_first_line(error)}") from None
        event = _event(file, number + 1, value)
        if event is not None:
            yield Line(file, number + 1, event)


def _event(file: Path, number: int, value: Any) -> events.Event | None:
    """The event of a line, or None when its kind is not known here."""
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        raise ResultError(f'{file}:{number}: not an event: an object with a text "event" is allowed')
    kind = events.KINDS.get(value["event"])
    if kind is events.Header:
        _check_version(file, number, value)
    try:
        return kind.model_validate(value) if kind else None
    except ValidationError as error:
        raise ResultError(f"{file}:{number}: {value['event']}: {_explain(error)}") from None


def _check_version(file: Path, number: int, value: dict[str, Any]) -> None:
    for key, supported in (("format", "nereus-results"), ("version", 1)):
        if value.get(key) != supported:
            found = json.dumps(value.get(key))[:60]
            raise ResultError(f"{file}:{number}: {key} = {found}: {json.dumps(supported)} is supported")


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    found = "" if first["type"] == "missing" else f" = {_short(first['input'])}"
    return f"{key}{found}: {first['msg'][0].lower()}{first['msg'][1:]}"


def _short(value: Any) -> str:
    return repr(value)[:60] if isinstance(value, str | int | float | None) else type(value).__name__


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _header(file: Path, lines: list[Line]) -> events.Header:
    if not lines:
        raise ResultError(f"{file}:1: no header: the run ended before it had results")
    first = lines[0].event
    if not isinstance(first, events.Header):
        raise lines[0].error("no header: the first line of a result file has event = header")
    return first


def _events(lines: list[Line], kind: type[Kind]) -> list[Kind]:
    return [line.event for line in lines if isinstance(line.event, kind)]


def _generations(lines: list[Line], first: int, reached: int) -> list[Generation]:
    """One generation for each group that began, with its iterations in the order in which they ran.

    The first of all is iteration `first`; those below `reached` had been done before.
    """
    moving = _moving(_events(lines, events.ConstantSent))
    found = {e.group: Generation(e.group, e.ranks, e.time) for e in _events(lines, events.GenerationStarted)}
    for line in lines:
        if isinstance(line.event, events.Iteration):
            _generation_of(line, line.event.group, found).iterations.append(_recorded(line.event, moving))
    for calibrated in _events(lines, events.Calibrated):
        if calibrated.group in found:
            found[calibrated.group].calibrated = True
    progress: dict[int, list[events.Progress]] = {group: [] for group in found}
    for line in lines:
        if isinstance(line.event, events.Progress):
            _generation_of(line, line.event.group, found)
            progress[line.event.group].append(line.event)
    ordered = sorted(found.values(), key=lambda g: g.started)
    _count(ordered, progress, first)
    for generation in ordered:
        _mark_repeated(generation, reached)
    return ordered


def _mark_repeated(generation: Generation, reached: int) -> None:
    generation.iterations = [replace(i, repeated=i.index < reached) for i in generation.iterations]
    if generation.iterations:
        generation.repeated = max(0, min(generation.done, reached - generation.iterations[0].index))


def _generation_of(line: Line, group: int, found: dict[int, Generation]) -> Generation:
    if group not in found:
        raise line.error(f"group = {group}: a group that has generation_started is allowed")
    return found[group]


def _moving(sent: list[events.ConstantSent]) -> list[range]:
    """Iterations that were made while constant data moved."""
    firsts = [(e.first_iteration, e.iterations) for e in sent]
    return [range(first, first + count) for first, count in firsts if first is not None]


def _recorded(event: events.Iteration, moving: list[range]) -> Iteration:
    return Iteration(
        event.iteration,
        event.phase,
        event.start,
        event.seconds,
        event.stage_seconds,
        event.background,
        moving=any(event.iteration in those for those in moving),
    )


def _count(generations: list[Generation], progress: dict[int, list[events.Progress]], first: int) -> None:
    """Count iterations; where a run died before they were recorded, progress tells what is missing."""
    for generation in generations:
        generation.iterations.sort(key=lambda i: i.index)
        last = generation.iterations[-1].index + 1 if generation.iterations else first
        later = [e for e in progress[generation.group] if e.iteration > last]
        generation.done = len(generation.iterations) + (later[-1].iteration - last if later else 0)
        generation.iterations += [_sampled(e) for e in later]
        first = later[-1].iteration if later else last


def _sampled(event: events.Progress) -> Iteration:
    start = event.time - event.seconds
    return Iteration(event.iteration - 1, event.phase, start, event.seconds, (), False, sampled=True)


def _resizes(lines: list[Line], generations: list[Generation]) -> list[Resize]:
    ready = {e.request: e.seconds for e in _events(lines, events.ProcessesReady)}
    constant = {e.request: e for e in _events(lines, events.ConstantSent)}
    return [
        _resize(e, ready.get(e.request), constant.get(e.request), generations)
        for e in _events(lines, events.Committed)
    ]


def _resize(
    event: events.Committed,
    process_seconds: float | None,
    sent: events.ConstantSent | None,
    generations: list[Generation],
) -> Resize:
    return Resize(
        event,
        process_seconds=process_seconds,
        constant_seconds=sent.seconds if sent else None,
        background_iterations=sent.iterations if sent and sent.first_iteration is not None else 0,
        group=next((g.group for g in generations if g.started >= event.time), None),
        paused_at=_paused_at(event, generations),
    )


def _paused_at(event: events.Committed, generations: list[Generation]) -> float:
    """The end of the last iteration before the commit: the event itself is written some time after it."""
    ends = [i.end for g in generations for i in g.iterations if i.start < event.time]
    return max(ends, default=event.time - event.pause_seconds)
