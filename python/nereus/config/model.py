# SPDX-License-Identifier: BSD-3-Clause
"""The one model of an experiment that every dialect is read into.

A field's description says what is allowed; messages repeat it. Names are those of our TOML; run.md's names
are made by Experiment.to_run().
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from nereus.config.quantities import (
    AUTO,
    BYTES_TEXTS,
    SECONDS_TEXTS,
    bytes_of,
    interval_of,
    seconds_of,
    share_of,
)
from nereus.config.rules import problems_of, said_twice_or_half
from nereus.config.schema import interval, not_needed, number_or_text
from nereus.methods import (
    MEMORIES_ALLOWED,
    PLACEMENTS,
    PROCESS_METHODS,
    RELEASE_UNITS,
    SURVIVORS_ALLOWED,
    TRANSFER_METHODS_ALLOWED,
    TRANSFER_STRATEGIES_ALLOWED,
    Memory,
    Placement,
    ProcessMethod,
    ProcessStrategy,
    ReleaseUnit,
    Survivors,
    TransferMethod,
    TransferStrategy,
)
from nereus.methods.strategies import STRATEGIES_ALLOWED, allowed_together
from nereus.stages import COMPUTE, STAGES, StageType, column

INT32 = 2**31 - 1
MOST_BYTES = 2**60  # sums of such sizes stay within 64 bits
MOST_ITERATIONS = 2**40
LONGEST = 1e9  # seconds; 32 years
SHORTEST_INTERVAL, LONGEST_INTERVAL = 1e-3, 1e6  # seconds; as of the setting protect-every
MOST_RECOVERIES = 10**6


def _checked_interval(value: object) -> float | str:
    seconds = interval_of(value)
    if seconds == AUTO:
        return AUTO
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not is_number or not SHORTEST_INTERVAL <= seconds <= LONGEST_INTERVAL:  # type: ignore[operator]
        raise ValueError("neither a time nor auto")
    return float(seconds)  # type: ignore[arg-type]


Bytes = Annotated[
    int,
    BeforeValidator(bytes_of),
    Field(ge=0, le=MOST_BYTES),
    WithJsonSchema(number_or_text("integer", MOST_BYTES, BYTES_TEXTS)),
]
Seconds = Annotated[
    float,
    BeforeValidator(seconds_of),
    Field(ge=0, le=LONGEST),
    WithJsonSchema(number_or_text("number", LONGEST, SECONDS_TEXTS)),
]
Interval = Annotated[
    Literal["auto"] | float,
    PlainValidator(_checked_interval),
    WithJsonSchema(interval(SHORTEST_INTERVAL, LONGEST_INTERVAL, SECONDS_TEXTS)),
]
Iterations = Annotated[int, Field(ge=1, le=MOST_ITERATIONS)]
Positive = Annotated[float, Field(ge=1e-9, le=1e9)]
Percent = Annotated[float, Field(ge=0, le=100)]

BYTES_ALLOWED = 'bytes from 0 to 2^60, or a text such as "64 MiB"'
DEFAULT_GRANULARITY = column("granularity")
DEFAULT_MESSAGE = (
    65_536  # bytes of one communication or I/O operation that is repeated until its time is full
)


def _one_of(words: Sequence[str]) -> str:
    return f"one of {', '.join(words)}"


class Part(BaseModel):
    """What all tables of an experiment have in common."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Data(Part):
    """What the emulated application keeps and a resize moves."""

    constant_bytes: Bytes = Field(0, description=BYTES_ALLOWED)
    variable_bytes: Bytes = Field(0, description=BYTES_ALLOWED)
    element_bytes: Literal[1, 2, 4, 8] = Field(8, description="1, 2, 4 or 8")
    # Private: methods can be told apart only where data is moved at all.
    memory: Memory = Field("private", description=_one_of(MEMORIES_ALLOWED))
    # As the papers say it; once read, the model has bytes only.
    bytes: Bytes | None = Field(None, exclude=True, description=BYTES_ALLOWED)
    constant_percent: Percent | None = Field(None, exclude=True, description="a number from 0 to 100")

    @model_validator(mode="after")
    def _in_bytes(self) -> Self:
        """Two ways to say the same are the same model."""
        problems = list(said_twice_or_half(self.model_fields_set))
        if problems:
            raise PydanticCustomError("rules", "{text}", {"text": problems[0].message, "problems": problems})
        if self.bytes is None or self.constant_percent is None:
            return self
        constant = share_of(self.bytes, self.constant_percent)
        amounts = {"constant_bytes": constant, "variable_bytes": self.bytes - constant}
        self.__dict__.update(amounts, bytes=None, constant_percent=None)  # it is frozen only from here on
        return self


class Stage(Part):
    """One step of an iteration."""

    model_config = ConfigDict(json_schema_extra=not_needed("granularity"))

    type: StageType = Field(description=_one_of(STAGES))
    time: Seconds = Field(0.0, description='seconds from 0 to 1e9, or a text such as "50 ms"')
    bytes: Bytes = Field(0, description=BYTES_ALLOWED)
    granularity: int = Field(ge=1, le=INT32, description="a whole number from 1 to 2147483647")
    capped: bool = Field(False, description="true or false")
    padded: bool = Field(False, description="true or false")
    id: int | None = Field(None, ge=0, le=INT32, description="a whole number from 0 to 2147483647")
    ranks: int = Field(0, ge=0, le=INT32, description="a whole number from 0 (all ranks) to 2147483647")

    @model_validator(mode="before")
    @classmethod
    def _granularity_of_type(cls, values: object) -> object:
        """What is a good size of one operation depends on the type, so the default does too."""
        if isinstance(values, dict) and "granularity" not in values:
            kind = values.get("type")
            default = DEFAULT_GRANULARITY.get(kind, DEFAULT_MESSAGE) if isinstance(kind, str) else 1
            return {**values, "granularity": default}
        return values


class Phase(Part):
    """A list of stages, done so many times."""

    iterations: Iterations = Field(description="a whole number from 1 to 2^40")
    stages: list[Stage] = Field(min_length=1, description="at least one [[phases.stages]] table")


class Group(Part):
    """The processes between two resizes, and the resize that leads to them."""

    ranks: int = Field(ge=1, le=INT32, description="a group needs at least 1 process and at most 2147483647")
    iterations: int = Field(0, ge=0, le=MOST_ITERATIONS, description="a whole number from 0 to 2^40")
    factor: Positive = Field(1.0, description="a number from 1e-9 to 1e9")
    weights: list[Positive] | None = Field(
        None, min_length=1, description="at least one number, each from 1e-9 to 1e9"
    )
    times: list[Seconds] | None = Field(
        None, min_length=1, description='seconds from 0 to 1e9 for each stage, or texts such as "50 ms"'
    )
    placement: Placement = Field("compact", description=_one_of(PLACEMENTS))
    process_method: ProcessMethod = Field("merge", description=_one_of(PROCESS_METHODS))
    process_strategies: Annotated[list[ProcessStrategy], AfterValidator(allowed_together)] = Field(
        default=["auto"], description=STRATEGIES_ALLOWED
    )
    release_unit: ReleaseUnit = Field("job", description=_one_of(RELEASE_UNITS))
    # Neither is auto: the same experiment does the same on every machine.
    transfer_method: TransferMethod = Field("p2p", description=_one_of(TRANSFER_METHODS_ALLOWED))
    transfer_strategy: TransferStrategy = Field("blocking", description=_one_of(TRANSFER_STRATEGIES_ALLOWED))
    survivors: Survivors = Field("auto", description=_one_of(SURVIVORS_ALLOWED))


class Protection(Part):
    """From what the application continues after a failure, and how often."""

    level: Literal["memory", "disk"] = Field(description="one of memory, disk")
    every: Interval = Field(AUTO, description='auto, or seconds from 0.001 to 1e6, or a text such as "10 s"')
    recoveries: int = Field(3, ge=0, le=MOST_RECOVERIES, description="a whole number from 0 to 1000000")


class Failure(Part):
    """Processes that die at the beginning of an iteration."""

    iteration: Iterations = Field(description="a whole number from 1 to 2^40")
    what: Literal["rank", "host"] = Field("rank", description="one of rank, host")
    rank: int | None = Field(None, ge=0, le=INT32, description="a whole number from 0 to 2147483647")


RESIZE_KEYS = (
    "placement",
    "process_method",
    "process_strategies",
    "release_unit",
    "transfer_method",
    "transfer_strategy",
    "survivors",
)
# Of no effect in the first group, which no resize leads to: the others are those of its founders.
METHOD_KEYS = tuple(key for key in RESIZE_KEYS if key not in ("placement", "release_unit"))


class Experiment(Part):
    """An emulated application, the groups of processes it runs on, and how it is measured."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\z",
        description="1 to 64 letters, digits, '.', '_' or '-', a letter or digit first",
    )
    seed: int = Field(42, ge=0, le=2**63 - 1, description="a whole number from 0 to 2^63-1")
    barrier: bool = Field(False, description="true or false")
    capture: Literal["max", "mean", "median"] = Field("max", description="one of max, mean, median")
    verify: bool = Field(True, description="true or false")
    # As Proteo 2024 says (sections 4.1 and 4.4); Proteo's code differs, and so do its dialects.
    factor_scales: Literal["computation", "all"] = Field("computation", description="one of computation, all")
    reduction: Literal["sum", "max"] = Field("sum", description="one of sum, max")
    scratch: str | None = Field(None, min_length=1, description="the name of an existing folder")
    # Whose messages the times of the stages hold; the run file has none, since who starts it has chosen.
    mpi: str | None = Field(None, min_length=1, description="the name of an MPI build (nereus doctor)")
    weights: list[Positive] = Field(
        default=[1.0], min_length=1, description="at least one number, each from 1e-9 to 1e9"
    )
    data: Data = Field(default_factory=Data, description="a table [data]")
    phases: list[Phase] = Field(min_length=1, description="at least one [[phases]] table")
    groups: list[Group] = Field(min_length=1, description="at least one [[groups]] table")
    protection: Protection | None = Field(None, description="a table [protection]")
    failures: list[Failure] = Field(default=[], description="[[failures]] tables")

    @model_validator(mode="before")
    @classmethod
    def _first_group_has_no_resize(cls, values: object) -> object:
        """Methods of the first group mean nothing; without them equal experiments are equal models."""
        groups = values.get("groups") if isinstance(values, dict) else None
        if not isinstance(values, dict) or not isinstance(groups, list) or not groups:
            return values
        if not isinstance(groups[0], dict):
            return values
        try:
            Group.model_validate(
                {key: groups[0][key] for key in METHOD_KEYS if key in groups[0]} | {"ranks": 1}
            )
        except ValueError:
            return values  # a wrong value is an error there too
        first = {key: value for key, value in groups[0].items() if key not in METHOD_KEYS}
        return {**values, "groups": [first, *groups[1:]]}

    @model_validator(mode="after")
    def _rules(self) -> Self:
        problems = list(problems_of(self))
        if problems:
            raise PydanticCustomError("rules", "{text}", {"text": problems[0].message, "problems": problems})
        return self

    @property
    def malleable(self) -> bool:
        """Whether the job is resized at all."""
        return len(self.groups) > 1

    @property
    def process_methods(self) -> set[str]:
        """Those of its resizes."""
        return {group.process_method for group in self.groups[1:]}

    def scaled_seconds(self, stage: Stage, group: Group) -> float:
        """Seconds of an iteration that the stage is to last in the group, before weights."""
        is_scaled = self.factor_scales == "all" or stage.type in COMPUTE
        return stage.time * (group.factor if is_scaled else 1.0)

    def stage_seconds(self, group: Group) -> list[float]:
        """The same of the stages of all phases, as the group has them."""
        if group.times is not None:
            return list(group.times)
        return [self.scaled_seconds(stage, group) for phase in self.phases for stage in phase.stages]

    @property
    def max_ranks(self) -> int:
        """The most processes that the job ever has."""
        return max(group.ranks for group in self.groups)

    @property
    def iterations(self) -> int:
        """Iterations of the whole run."""
        return sum(phase.iterations for phase in self.phases)

    def to_run(self, scratch: str | None = None) -> dict[str, Any]:
        """The run file of docs/formats/run.md; `scratch` is used when the experiment names no folder."""
        run = self.model_dump(mode="json", exclude={"mpi", "protection", "failures"})
        run["scratch"] = self.scratch or scratch or tempfile.gettempdir()
        run["groups"] = [
            {key: value for key, value in group.items() if value is not None} for group in run["groups"]
        ]
        for stage in (stage for phase in run["phases"] for stage in phase["stages"]):
            stage["seconds"] = stage.pop("time")
        if self.protection is not None:
            run["protection"] = self.protection.model_dump()
            run["failures"] = [failure.model_dump() for failure in self.failures]
        return {"format": "nereus-run", "version": 1, **run}
