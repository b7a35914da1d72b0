# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the store as they are allowed to be: a file may be damaged, or be written by somebody else."""

import json
from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, Json, ValidationError

from nereus import printable
from nereus.daemon.messages import MOST, MOST_CLAIMED, Hosts, Iteration, Number, Positive, Ranks
from nereus.daemon.questions import JobName

# Of sums over all of a job's life.
_Bytes = Annotated[int, Field(ge=0, le=2**62)]
_Time = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
_Seconds = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
_Epoch = Annotated[int, Field(ge=0, le=MOST)]
_Flag = Annotated[int, Field(ge=0, le=1)]


class Row(BaseModel):
    """Its fields are columns, in the order in which they are asked for."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class About(Row):
    command: list[str]
    mpi: str
    pid: Annotated[int, Field(ge=0, le=2**31 - 1)]
    supervised: bool
    hosts: Hosts
    most: Ranks
    generation: Number
    opening: Number


class Job(Row):
    name: JobName
    about: Json[About]
    came: _Time
    ended: None
    iteration: Iteration
    finished: Number
    phases: Number
    resizes: Number
    wait_seconds: _Seconds
    service_seconds: _Seconds
    bytes: _Bytes


class Turn(Row):
    job: JobName
    number: Positive
    epoch: _Epoch


class Meta(Row):
    name: str
    value: Annotated[int, Field(ge=0, le=MOST_CLAIMED)]


class Told(Row):
    number: Positive
    job: JobName
    ranks: Annotated[int, Field(ge=0, le=2**31 - 1)]  # 0: of one that is cancelled and was not known
    at: Iteration | None
    why: str
    loan: Number | None
    by: str


class Reserved(Row):
    job: JobName
    ranks: Ranks
    granted: _Flag


class Phase(Row):
    start: _Time
    wait_seconds: _Seconds
    service_seconds: _Seconds
    iteration: Iteration
    ranks: Ranks
    resized: _Flag


class Sample(Row):
    ranks: Ranks
    seconds: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]


class Happened(Row):
    number: Number
    time: _Time
    job: str
    event: str
    about: Json[dict[str, Any]]


Found = TypeVar("Found", bound=Row)


class BadRow(ValueError):
    """One that no daemon writes; the text names it."""


def checked(kind: type[Found], rows: Iterable[tuple[Any, ...]]) -> list[Found]:
    """BadRow for the first that is not as it may be."""
    return [_row(kind, row) for row in rows]


def good(kind: type[Found], rows: Iterable[tuple[Any, ...]]) -> list[Found]:
    """Those that are as they may be."""
    found = []
    for row in rows:
        try:
            found.append(_row(kind, row))
        except BadRow:
            continue
    return found


def _row(kind: type[Found], row: tuple[Any, ...]) -> Found:
    try:
        return kind(**dict(zip(kind.model_fields, row, strict=True)))
    except ValidationError as problem:
        first = problem.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        text = f"{kind.__name__.lower()} {json.dumps(row[0], default=repr)[:40]}: {where}: {first['msg']}"
        raise BadRow(printable(text)) from None
