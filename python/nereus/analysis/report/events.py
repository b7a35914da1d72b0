# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a result file as typed values: the keys that some output needs. Others are skipped."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MOST_COUNTED = 2**63 - 1
Count = Annotated[int, Field(ge=0, le=MOST_COUNTED)]
Ranks = Annotated[int, Field(ge=1, lt=2**31)]


class Strict(BaseModel):
    """No silent conversion: "3" is not 3, NaN is not a time."""

    model_config = ConfigDict(
        extra="ignore", strict=True, frozen=True, allow_inf_nan=False, populate_by_name=True
    )


class Stage(Strict):
    type: str
    seconds: float
    bytes: Count
    granularity: Count
    capped: bool
    ranks: Count


class Phase(Strict):
    iterations: Count
    stages: list[Stage]


class Group(Strict):
    iterations: Count
    ranks: Ranks
    factor: float
    placement: str
    process_method: str
    process_strategies: list[str]
    transfer_method: str
    transfer_strategy: str


class Data(Strict):
    constant_bytes: Count
    variable_bytes: Count
    element_bytes: Annotated[int, Field(ge=1, le=8)]


class Protection(Strict):
    level: Literal["memory", "disk"]
    every: Literal["auto"] | float
    recoveries: Count


class Run(Strict):
    """The part of the run file (docs/formats/run.md) that results are explained with."""

    name: str
    barrier: bool
    capture: Literal["max", "mean", "median"]
    data: Data
    phases: list[Phase]
    groups: list[Group]
    protection: Protection | None = None


class Event(Strict):
    time: float = 0.0
    generation: Count = 0


class Header(Event):
    format: Literal["nereus-results"]
    version: Literal[1]
    nereus_version: str
    mpi: str
    host: str
    started: str
    run: Run


class GenerationStarted(Event):
    group: Count
    ranks: Ranks

    # Of the job so far, here and below. Not told by files of before there were failures.
    calibration_seconds: float = 0.0


class Failure(Event):
    """Processes died, as the experiment says."""

    iteration: Count
    what: Literal["rank", "host"]
    rank: Count
    died: Ranks
    calibration_seconds: float


class Resumed(Event):
    """The job continues from an epoch that was made before the iteration."""

    iteration: Count
    group: Count
    ranks: Ranks
    calibration_seconds: float


class Calibrated(Event):
    group: Count


class Progress(Event):
    group: Count
    phase: Count
    iteration: Count
    iterations: Count
    ranks: Ranks
    seconds: float


class Iteration(Event):
    group: Count
    phase: Count
    iteration: Count
    start: float
    seconds: float
    stage_seconds: list[float]
    background: bool


class ProcessesReady(Event):
    request: Count
    seconds: float


class ConstantSent(Event):
    request: Count
    seconds: float
    iterations: Count = 0
    # Not told by files of before there were background transfers; there `iterations` meant something else.
    first_iteration: Count | None = None


class Committed(Event):
    request: Count
    from_: Ranks = Field(alias="from")
    to: Ranks
    process_method: str
    process_strategies: list[str]
    transfer_method: str
    transfer_strategy: str
    variable_seconds: float
    pause_seconds: float
    bytes_moved: Count
    bytes_minimum: Count
    shared_bytes: Count = 0
    predicted_seconds: float | None = None
    usual_between_hosts: float | None = None
    between_hosts: float | None = None
    placed: str | None = None
    verified: bool | None


class ResizeUndone(Event):
    from_: Ranks = Field(alias="from")
    to: Ranks
    state: str
    reason: str


class Finished(Event):
    total_seconds: float
    data_intact: bool | None


# Events without a line here are skipped by readers.
KINDS: dict[str, type[Event]] = {
    "header": Header,
    "generation_started": GenerationStarted,
    "failure": Failure,
    "resumed": Resumed,
    "calibrated": Calibrated,
    "progress": Progress,
    "iteration": Iteration,
    "processes_ready": ProcessesReady,
    "constant_sent": ConstantSent,
    "committed": Committed,
    "resize_undone": ResizeUndone,
    "finished": Finished,
}
