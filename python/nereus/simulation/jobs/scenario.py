# SPDX-License-Identifier: BSD-3-Clause
"""The model of a scenario; a field's description says what is allowed, and messages repeat it."""

from collections.abc import Iterator
from dataclasses import fields
from math import ceil
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from nereus.config.schema import not_needed
from nereus.config.suggest import unknown_key
from nereus.policy.parameters import Parameters
from nereus.policy.performance import Curve, Falling, Performance

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\z"
FOR_JOBS = ("none", "blocking", "phase-shifting", "coupling")
FOR_TRACES = ("none", "fair", "speedup")

Path = tuple[str | int, ...]
Ranks = Annotated[int, Field(ge=1, le=10**7)]
Seconds = Annotated[float, Field(ge=0, le=1e12)]


class Part(BaseModel):
    """What the tables of a scenario have in common."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)


class Cluster(Part):
    cores: Ranks = Field(description="a whole number from 1 to 10^7")
    cores_per_host: Ranks | None = Field(None, description="a whole number from 1 to 10^7")

    @property
    def hosts(self) -> dict[str, int]:
        """Cores of each; the last has what is left."""
        each = self.cores_per_host or self.cores
        number = ceil(self.cores / each)
        return {f"h{index:04d}": min(each, self.cores - index * each) for index in range(number)}


class Store(Part):
    bandwidth: float = Field(1e9, gt=0, le=1e15, description="bytes per second, above 0 and up to 1e15")
    contention_loss: float = Field(0.0, ge=0, lt=1, description="a share of 1, below 1")


class Reconfiguration(Part):
    """What a resize takes: so long, and for each rank that comes or goes so much more; or as measured."""

    seconds: Seconds = Field(1.0, description="seconds from 0 to 1e12")
    per_rank: Seconds = Field(0.0, description="seconds from 0 to 1e12")
    measured: str | None = Field(None, min_length=1, description="the name of a file of a daemon's events")


class Time(Part):
    """Seconds of an iteration: fixed + divided / P + per_rank * P."""

    fixed: Seconds = Field(0.0, description="seconds from 0 to 1e12")
    divided: Seconds = Field(0.0, description="seconds from 0 to 1e12")
    per_rank: Seconds = Field(0.0, description="seconds from 0 to 1e12")


class Job(Part):
    # What an experiment says is filled in before; without one it is needed.
    model_config = ConfigDict(json_schema_extra=not_needed("ranks", "iterations"))

    name: str = Field(
        pattern=NAME_PATTERN,
        description="1 to 64 letters, digits, '.', '_' or '-', a letter or digit first",
    )
    experiment: str | None = Field(None, min_length=1, description="the name of an experiment's file")
    start: Seconds = Field(0.0, description="seconds from 0 to 1e12")
    ranks: Ranks = Field(description="a whole number from 1 to 10^7")
    most: Ranks | None = Field(None, description="a whole number from ranks to 10^7")
    iterations: int = Field(ge=1, le=10**9, description="a whole number from 1 to 10^9")
    time: Time | None = Field(None, description="a table with fixed, divided, per_rank")
    times: list[Annotated[list[float], Field(min_length=2, max_length=2)]] | None = Field(
        None, min_length=1, description="a list of [ranks, seconds of an iteration], ranks rising"
    )
    startup: Seconds = Field(0.0, description="seconds from 0 to 1e12")
    noise: float = Field(0.0, ge=0, le=1, description="a share of 1")
    io_every: int | None = Field(None, ge=1, le=10**9, description="a whole number of iterations from 1")
    io_bytes: float | None = Field(None, gt=0, le=1e18, description="bytes above 0")
    io_seconds: float | None = Field(None, gt=0, le=1e9, description="seconds above 0")
    io_rate: float | None = Field(None, gt=0, le=1e15, description="bytes per second, above 0")
    checkpoint_every: int = Field(1, ge=1, le=10**9, description="a whole number of iterations from 1")
    flops: float = Field(0.0, ge=0, le=1e24, description="operations of an iteration, from 0")
    profile: list[Ranks] = Field(default=[], description="a list of numbers of ranks")
    reconfiguration: Reconfiguration | None = Field(None, description="a table with seconds, per_rank")

    def model(self) -> Performance:
        """Seconds of an iteration on so many ranks."""
        if self.times is not None:
            ranks, seconds = zip(*self.times, strict=True)
            return Falling(tuple(int(each) for each in ranks), tuple(seconds))
        assert self.time is not None
        return Curve(self.time.fixed, self.time.divided, self.time.per_rank)

    def io_amount(self, bandwidth: float) -> float:
        """Bytes of an I/O phase."""
        if self.io_seconds is not None:
            return self.io_seconds * min(bandwidth, self.io_rate or bandwidth)
        return self.io_bytes or 0.0


class Trace(Part):
    """Jobs of a Standard Workload Format file, each with a speed-up of Amdahl's form."""

    file: str = Field(min_length=1, description="the name of a file")
    parallel_fraction: float = Field(0.99, ge=0, le=1, description="a share of 1")
    most_factor: float = Field(4.0, ge=1, le=1e6, description="a number from 1")
    malleable_share: float = Field(1.0, ge=0, le=1, description="a share of 1")
    iteration_seconds: float = Field(10.0, gt=0, le=1e6, description="seconds above 0")


class Scenario(Part):
    """Jobs on a cluster with one store, and the policies to compare."""

    seed: int = Field(42, ge=0, le=2**63 - 1, description="a whole number from 0 to 2^63-1")
    until: float | None = Field(None, gt=0, le=1e12, description="seconds above 0")
    latency: float = Field(0.0, ge=0, le=3600, description="seconds from 0 to 3600")
    policies: list[str] | None = Field(
        None, min_length=1, description="a list of names of policies, or of FILE.py:CLASS"
    )
    parameters: dict[str, float] = Field(default={}, description="a table of numbers")
    cluster: Cluster = Field(description="a table with cores, cores_per_host")
    storage: Store = Field(default=Store(), description="a table with bandwidth, contention_loss")
    reconfiguration: Reconfiguration = Field(
        default=Reconfiguration(), description="a table with seconds, per_rank"
    )
    jobs: list[Job] = Field(default=[], description="[[jobs]] tables")
    trace: Trace | None = Field(None, description="a table with file")

    @model_validator(mode="after")
    def _rules(self) -> Self:
        found = list(_findings(self))
        if found:
            raise PydanticCustomError("rules", "{text}", {"text": found[0][1], "findings": found})
        return self

    @property
    def compared(self) -> list[str]:
        return self.policies or list(FOR_TRACES if self.trace is not None else FOR_JOBS)

    def tuned(self) -> Parameters:
        whole = {field.name for field in fields(Parameters) if field.type in (int, "int")}
        chosen = {name: int(each) if name in whole else each for name, each in self.parameters.items()}
        return Parameters(**chosen)  # type: ignore[arg-type]

    def reconfigurations(self) -> Iterator[tuple[Path, Reconfiguration]]:
        """All, and where each stands."""
        yield ("reconfiguration",), self.reconfiguration
        for number, job in enumerate(self.jobs):
            if job.reconfiguration is not None:
                yield ("jobs", number, "reconfiguration"), job.reconfiguration

    def reconfiguration_of(self, job: Job) -> Reconfiguration:
        return job.reconfiguration or self.reconfiguration


def _findings(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    known = [field.name for field in fields(Parameters)]
    for name, value in scenario.parameters.items():
        if name not in known:
            yield ("parameters", name), unknown_key(name, known)
        elif value < 0:
            yield ("parameters", name), "a number from 0"
    for where, each in scenario.reconfigurations():
        if each.measured is not None and each.model_fields_set != {"measured"}:
            yield (*where, "measured"), "either this, or seconds and per_rank"
    if not scenario.jobs and scenario.trace is None:
        yield ("jobs",), "is missing: there is nothing to simulate without jobs and trace"
    if scenario.jobs and scenario.trace is not None:
        yield ("trace",), "either this or [[jobs]]"
    names = [job.name for job in scenario.jobs]
    for index, job in enumerate(scenario.jobs):
        place: Path = ("jobs", index)
        if names.index(job.name) != index:
            yield (*place, "name"), "another name: there is one job of this name"
        if job.ranks > scenario.cluster.cores:
            yield (*place, "ranks"), f"at most the {scenario.cluster.cores} cores of the cluster"
        yield from ((place + path, text) for path, text in _of_job(job))


def _of_job(job: Job) -> Iterator[tuple[Path, str]]:
    if (job.time is None) == (job.times is None):
        yield ("time",), "one of time and times says how long an iteration takes"
    elif job.time is not None and job.model().seconds(job.ranks) <= 0:
        yield ("time",), "a number above 0 in fixed, divided or per_rank"
    if job.times is not None:
        yield from _of_times(job.times)
    if job.most is not None and job.most < job.ranks:
        yield ("most",), f"at least the {job.ranks} ranks that it starts with"
    writes = [key for key in ("io_bytes", "io_seconds") if getattr(job, key) is not None]
    if job.io_every is not None and len(writes) != 1:
        yield ("io_every",), "goes with one of io_bytes and io_seconds"
    if job.io_every is None and writes:
        yield (writes[0],), "goes with io_every: after how many iterations it writes"


def _of_times(times: list[list[float]]) -> Iterator[tuple[Path, str]]:
    for index, (ranks, seconds) in enumerate(times):
        if ranks < 1 or ranks != int(ranks) or seconds <= 0:
            yield ("times", index), "[ranks, seconds of an iteration]: a whole number from 1, and above 0"
        if index > 0 and ranks <= times[index - 1][0]:
            yield ("times", index), "more ranks than the one before"
