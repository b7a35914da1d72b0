# SPDX-License-Identifier: BSD-3-Clause
"""The model of a file's table [live]; a field's description says what is allowed, and messages repeat it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from nereus.config.suggest import unknown_key
from nereus.simulation.jobs import Scenario
from nereus.simulation.jobs.scenario import Job

Path = tuple[str | int, ...]


class Live(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

    repetitions: int = Field(3, ge=1, le=1000, description="a whole number from 1 to 1000")
    mpi: str | None = Field(None, min_length=1, description="the name of an MPI build (nereus doctor)")
    store: Literal["limited", "folder"] = Field("limited", description="limited or folder")
    store_bytes: int = Field(2**28, ge=2**24, le=2**40, description="bytes from 2^24 to 2^40")
    piece_bytes: int = Field(2**20, ge=8, le=2**30, description="bytes from 8 to 2^30")
    delays: list[Annotated[float, Field(ge=0, le=3600)]] = Field(
        default=[], description="a list of seconds from 0 to 3600"
    )
    lead: float = Field(4.0, ge=1, le=600, description="seconds from 1 to 600")
    timeout: float = Field(300.0, ge=1, le=1e6, description="seconds from 1 to 1e6")
    jacobi: dict[str, Annotated[int, Field(ge=1, le=2**16)]] = Field(
        default={}, description="a table of names of jobs, each with its equations, from 1 to 65536"
    )
    paper: dict[str, dict[str, float]] = Field(
        default={}, description="a table of tables of numbers: what the paper measured, by policy"
    )


@dataclass(frozen=True)
class Study:
    """`text`: of the whole file."""

    name: str
    text: str
    scenario: Scenario
    live: Live

    @property
    def writes(self) -> bool:
        """Whether any job uses the store."""
        return any(job.io_every is not None for job in self.scenario.jobs)


def findings(scenario: Scenario, live: Live) -> Iterator[tuple[Path, str]]:
    """What can be simulated and not be run."""
    if scenario.trace is not None:
        yield ("trace",), "no trace: live jobs are [[jobs]] tables"
    names = [job.name for job in scenario.jobs]
    for name in live.jacobi:
        if name not in names:
            yield ("live", "jacobi", name), unknown_key(name, names)
    for index, job in enumerate(scenario.jobs):
        found = [*_of_kind(job, live), *_of_job(job)]
        yield from ((("jobs", index, *path), text) for path, text in found)


def _of_kind(job: Job, live: Live) -> Iterator[tuple[Path, str]]:
    if job.experiment is not None:
        yield from _of_emulated(job, live)
        return
    if job.startup != 0:
        yield ("startup",), "0: a live job is started before its time"
    yield from _of_jacobi(job) if job.name in live.jacobi else _of_waits(job)


def _of_job(job: Job) -> Iterator[tuple[Path, str]]:
    if job.checkpoint_every != 1:
        yield ("checkpoint_every",), "1: a live job has a checkpoint after each iteration"
    if job.io_rate is not None:
        yield ("io_rate",), "none: a live job writes as fast as the store is"


def _of_waits(job: Job) -> Iterator[tuple[Path, str]]:
    if job.time is None:
        yield ("times",), "time in place of times: a live job waits for fixed + divided / P + per_rank * P"


def _of_emulated(job: Job, live: Live) -> Iterator[tuple[Path, str]]:
    if job.name in live.jacobi:
        yield ("experiment",), "none: live.jacobi says that the job computes"
    if job.noise != 0:
        yield ("noise",), "0: iterations of an emulated application vary by themselves"


def _of_jacobi(job: Job) -> Iterator[tuple[Path, str]]:
    if job.most is None:
        yield ("most",), "is missing: a job that computes gets no faster with more ranks than there are cores"
    if job.io_every is not None and job.iterations % job.io_every != 0:
        text = f"a multiple of io_every = {job.io_every}: a job that computes ends with a phase"
        yield ("iterations",), text
