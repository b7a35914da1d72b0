# SPDX-License-Identifier: BSD-3-Clause
"""Tables of a workload that say what disturbs jobs: nodes that fail, and a store that they share."""

from collections.abc import Iterator

from pydantic import Field, field_validator

from nereus.simulation.jobs.scenario import Part
from nereus.simulation.workload.behaviour import RATE, Rate
from nereus.simulation.workload.failures import INTERVALS, Failures, Recovery, Saves
from nereus.simulation.workload.storage import Storage

_MOST_SECONDS = 1e10
_SECONDS = "seconds from 0 to 1e10"
_SAVE_EVERY = f"seconds above 0, up to 1e10, or one of {', '.join(INTERVALS)}"


class FailuresTable(Part):
    """`mtbf`: of one node; `recovery`: what jobs do when one of theirs fails."""

    mtbf: float = Field(gt=0, le=_MOST_SECONDS, description="seconds above 0, up to 1e10")
    recovery: str = Field("resubmit", description=f"one of {', '.join(Recovery)}")
    save_every: float | str | None = Field(None, description=_SAVE_EVERY)
    save_cost: float = Field(0.0, ge=0, le=_MOST_SECONDS, description=_SECONDS)
    recovery_cost: float = Field(0.0, ge=0, le=_MOST_SECONDS, description=_SECONDS)
    repair: float = Field(0.0, ge=0, le=_MOST_SECONDS, description=_SECONDS)
    most_restarts: int = Field(100, ge=0, le=10**6, description="a whole number from 0 to 10^6")

    @field_validator("save_every", mode="before")
    @classmethod
    def _is_one_of_both(cls, value: object) -> object:
        """Else each of both would be told as an error."""
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | str)):
            raise ValueError(_SAVE_EVERY)
        return value

    def made(self, cores_per_node: int, seed: int) -> Failures:
        """Of nodes of so many cores, with that seed."""
        return Failures(
            self.mtbf,
            Recovery(self.recovery),
            seed,
            cores_per_node,
            None if self.save_every is None else Saves(self.save_every, self.save_cost),
            self.recovery_cost,
            self.repair,
            self.most_restarts,
        )


class StorageTable(Part):
    """`bandwidth`: of the store; `job_bandwidth`: that one job gets of it at most."""

    bandwidth: Rate = Field(description=RATE)
    job_bandwidth: Rate | None = Field(None, description=RATE)
    io_share: float | None = Field(None, ge=0, le=1, description="a share of 1")

    @property
    def of_job(self) -> float:
        """Bytes per second of one at most."""
        return self.bandwidth if self.job_bandwidth is None else self.job_bandwidth

    @property
    def made(self) -> Storage:
        """For a simulation."""
        return Storage(self.bandwidth, self.of_job)

    def share_of(self, io_share: float | None, io_bytes: float | None, seconds: float) -> float:
        """Of a job that takes so long without any other's I/O, by what it says of its own."""
        if io_bytes is not None:
            return io_bytes / (self.of_job * seconds)
        return (self.io_share or 0.0) if io_share is None else io_share


def of_storage(table: StorageTable, own: bool, all_own: bool) -> Iterator[tuple[str, str]]:
    """Keys of the table, and what is allowed there. `own`: whether a job says its I/O; `all_own`: all do."""
    if table.of_job > table.bandwidth:
        yield "job_bandwidth", f"at most the bandwidth of the store, {table.bandwidth:g}"
    if table.io_share is None and not own:
        yield "io_share", "is missing: a share of 1, or io_share or io_bytes of jobs"
    if table.io_share is not None and all_own:
        yield "io_share", "goes with jobs that do not say what I/O they do"


def of_failures(table: FailuresTable) -> Iterator[tuple[str, str]]:
    """Keys of the table, and what is allowed there."""
    if table.recovery not in list(Recovery):
        yield "recovery", f"one of {', '.join(Recovery)}"
        return
    recovery, every = Recovery(table.recovery), table.save_every
    if not recovery.saves:
        for key in ("save_every", "save_cost", "recovery_cost"):
            if key in table.model_fields_set:
                yield key, "goes with the recovery restart or shrink, which go on from a save"
        if recovery is Recovery.NONE and "most_restarts" in table.model_fields_set:
            yield "most_restarts", "goes with a recovery other than none"
    elif every is None:
        yield "save_every", f"is missing: the recovery {recovery} needs it, {_SAVE_EVERY}"
    elif isinstance(every, str):
        if every not in INTERVALS:
            yield "save_every", _SAVE_EVERY
        elif table.save_cost <= 0:
            yield "save_cost", f"seconds above 0, from which {every} finds the interval"
    elif not 0 < every <= _MOST_SECONDS:
        yield "save_every", _SAVE_EVERY
