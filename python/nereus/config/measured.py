# SPDX-License-Identifier: BSD-3-Clause
"""What a job with the setting `results` says of itself (docs/formats/measured.md), as typed values."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nereus.config.errors import fail, show
from nereus.reading import MOST_RECORDED, content_of

Amount = Annotated[int, Field(ge=0, le=2**62)]
Seconds = Annotated[float, Field(ge=0)]
Kind = Literal["compute", "memory", "p2p", "bcast", "allgather", "reduce", "allreduce", "write", "read"]


class Told(BaseModel):
    """Other keys are skipped; nothing is converted in silence."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, allow_inf_nan=False)


class Header(Told):
    format: Literal["nereus-measured"]
    version: Literal[1]
    program: str
    mpi: str = ""  # first line of MPI_Get_library_version


class MeasuredStage(Told):
    """A list has a number for each rank; None where a rank never had the stage."""

    name: str
    kind: Kind
    bytes: Amount
    total_seconds: list[Seconds | None] = Field(min_length=1)
    iterations: list[Amount | None] = Field(min_length=1)
    seconds: list[Seconds | None] = Field(min_length=1)


class Ended(Told):
    """A generation that has ended."""

    generation: Amount
    ranks: Annotated[int, Field(ge=1)]
    hosts: list[str] = Field(min_length=1)
    cores: Annotated[int, Field(ge=1)]
    iterations: Amount
    iteration_seconds: list[Seconds] = Field(min_length=1)
    iteration_total_seconds: list[Seconds] = Field(min_length=1)
    constant_bytes: Amount
    variable_bytes: Amount
    memory: Literal["shared", "private"]
    stages: list[MeasuredStage]

    @property
    def shares_cores(self) -> bool:
        """Ranks take turns on cores: half of their iterations may be those in which they had to wait."""
        return max(Counter(self.hosts).values()) > self.cores

    def whole_seconds(self) -> list[float]:
        """For each rank: of an iteration, in the mean."""
        return [total / self.iterations for total in self.iteration_total_seconds]

    def stage_seconds(self, stage: MeasuredStage) -> list[float | None]:
        """As above; what did not happen in each iteration takes its share of one."""
        return [None if total is None else total / self.iterations for total in stage.total_seconds]


class Committed(Told):
    """The resize that led to a generation; figures that older files do not tell are None."""

    generation: Amount
    from_: Amount | None = Field(None, alias="from")
    to: Amount | None = None
    process_method: str
    process_strategies: list[str]
    transfer_method: str
    transfer_strategy: str
    background_iterations: Amount
    process_seconds: float | None = None
    constant_seconds: float | None = None
    variable_seconds: float | None = None
    pause_seconds: float | None = None
    bytes_minimum: Amount | None = None
    shared_bytes: Amount | None = None

    @property
    def ways(self) -> dict[str, Any]:
        """How it was carried out, as keys of a group."""
        keys = {"process_method", "process_strategies", "transfer_method", "transfer_strategy"}
        return self.model_dump(include=keys)


class Resumed(Told):
    """The job continued from an epoch, with this generation."""

    generation: Amount


class Finished(Told):
    """The job was closed."""


@dataclass(frozen=True)
class Measured:
    """All that a file tells; `resizes[i]` led from `generations[i]` to the next one.

    None: no resize did, the job continued from an epoch with another size.
    """

    header: Header
    generations: Sequence[Ended]
    resizes: Sequence[Committed | None]
    #: All that ended, also those of one size after each other, which are one of `generations`.
    ended: Sequence[Ended] = ()
    #: All that were committed, also those to a generation that died before its end.
    committed: Sequence[Committed] = ()
    #: Whether the job was closed.
    finished: bool = False


OfGeneration = TypeVar("OfGeneration", Ended, Committed)
_Number = TypeVar("_Number", int, float)

_KINDS: dict[str, type[Told]] = {
    "header": Header,
    "generation_ended": Ended,
    "committed": Committed,
    "resumed": Resumed,
    "finished": Finished,
}


def read_measured(file: Path) -> Measured:
    """ConfigError names the line, and what is allowed there. A last line that is cut is skipped."""
    found = list(_events(file))
    headers = [event for event in found if isinstance(event, Header)]
    if not found or found[0] not in headers:
        raise fail(
            f"{file}:1",
            "a header of docs/formats/measured.md, as a job writes it to the file of the setting results",
        )
    generations = _in_order(event for event in found if isinstance(event, Ended))
    if not generations:
        raise fail(f"{file}", "at least one generation that has ended; did the job finish?")
    for event in generations:
        _check_lengths(file, event)
    resizes = _in_order(event for event in found if isinstance(event, Committed))
    resumed = {event.generation for event in found if isinstance(event, Resumed)}
    made, led = generations[:1], list[Committed | None]()
    for generation in generations[1:]:
        # Others, between these two, may have died.
        between = [one for one in resizes if made[-1].generation < one.generation <= generation.generation]
        continued = generation.generation in resumed
        # A restart that went back to the former size begins a generation too.
        went_back = generation.generation > made[-1].generation and generation.ranks == made[-1].ranks
        if not (between or continued or went_back):
            text = f"a resize, or a job that continues, before generation {generation.generation}"
            raise fail(f"{file}", text)
        if generation.ranks == made[-1].ranks and not between:
            made[-1] = _joined(made[-1], generation)
        else:
            made.append(generation)
            led.append(between[-1] if between else None)
    finished = any(isinstance(event, Finished) for event in found)
    return Measured(headers[0], made, led, generations, resizes, finished)


def _joined(before: Ended, after: Ended) -> Ended:
    """Two generations of one size as one."""
    later = {stage.name: stage for stage in after.stages}
    stages = [_joined_stage(stage, later.pop(stage.name, None)) for stage in before.stages]
    totals = _sums(before.iteration_total_seconds, after.iteration_total_seconds)
    return after.model_copy(
        update={
            "iterations": before.iterations + after.iterations,
            "iteration_total_seconds": totals,
            "stages": [*stages, *later.values()],
        }
    )


def _joined_stage(before: MeasuredStage, after: MeasuredStage | None) -> MeasuredStage:
    if after is None:
        return before
    totals = _sums(before.total_seconds, after.total_seconds)
    counts = _sums(before.iterations, after.iterations)
    return after.model_copy(update={"total_seconds": totals, "iterations": counts})


def _sums(before: Sequence[_Number | None], after: Sequence[_Number | None]) -> list[_Number | None]:
    """None only where both are."""
    return [b if a is None else a if b is None else a + b for a, b in zip(before, after, strict=True)]


def _in_order(events: Iterable[OfGeneration]) -> list[OfGeneration]:
    """Two processes may have written, each when it came to it."""
    return sorted(events, key=lambda event: event.generation)


def _events(file: Path) -> Iterator[Told]:
    try:
        lines = content_of(file, MOST_RECORDED).split(b"\n")
    except OSError as error:
        raise fail(f"{file}", f"cannot be read: {error.strerror}") from None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            value = _value(line, f"{file}:{number}", is_last=number == len(lines))
            kind = _KINDS.get(value.get("event", "")) if value else None
            if kind is not None:
                yield _typed(kind, value, f"{file}:{number}")


def _value(line: bytes, where: str, is_last: bool) -> dict[str, Any]:
    """The object of a line; {} of a line that was cut."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        if is_last:
            return {}
        raise fail(where, "a JSON object in one line") from None
    if not isinstance(value, dict) or not isinstance(value.get("event"), str):
        raise fail(where, 'a JSON object with a text "event"')
    return value


def _typed(kind: type[Told], value: dict[str, Any], where: str) -> Told:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise fail(where, first["msg"], key, show(first["input"])) from None


def _check_lengths(file: Path, event: Ended) -> None:
    lists: list[list[Any]] = [event.hosts, event.iteration_seconds, event.iteration_total_seconds]
    for stage in event.stages:
        lists += [stage.total_seconds, stage.iterations, stage.seconds]
    if {len(each) for each in lists} != {event.ranks}:
        raise fail(f"{file}", f"times of each of {event.ranks} ranks")
