# SPDX-License-Identifier: BSD-3-Clause
"""The model of a workload; a field's description says what is allowed, and messages repeat it."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from nereus.policy.loading import is_in_file
from nereus.policy.strategies import STRATEGIES
from nereus.simulation.jobs.scenario import NAME_PATTERN, Part, Path, Ranks
from nereus.simulation.workload.behaviour import (
    ResizeCostTable,
    SpeedupTable,
    of_resize_cost,
    of_speedup,
)
from nereus.simulation.workload.disturbances import FailuresTable, StorageTable, of_failures, of_storage
from nereus.simulation.workload.figures import Watts
from nereus.simulation.workload.job import Kind
from nereus.simulation.workload.orders.registry import ORDERS, PRIORITY
from nereus.simulation.workload.orders.rules import WEEK, Reservation, Rules, Weights
from nereus.simulation.workload.speedup import Speedup

_RANKS = "a whole number from 1 to 10^7"
_ABOVE_0 = "seconds above 0, up to 1e10"
_WATTS = "watts from 0 to 1e6"
_WEIGHT = "a number from 0 to 1e9"
_BYTES = "bytes from 0 to 1e18"
_PERCENT = "a number from 0 to 100"

SHARED, EXCLUSIVE = ALLOCATIONS = ("shared", "exclusive")

Percent = Annotated[float, Field(ge=0, le=100)]
WattsOfCore = Annotated[float, Field(ge=0, le=1e6)]
IoBytes = Annotated[float, Field(ge=0, le=1e18)]
IoShare = Annotated[float, Field(ge=0, le=1)]
SomeSeconds = Annotated[float, Field(gt=0, le=1e10)]


class SubmittedJob(Part):
    """`seconds` and `limit` are for `ranks`, which it prefers."""

    name: str = Field(
        pattern=NAME_PATTERN,
        description="1 to 64 letters, digits, '.', '_' or '-', a letter or digit first",
    )
    submit: float = Field(0.0, ge=0, le=1e10, description="seconds from 0 to 1e10")
    ranks: Ranks = Field(description=_RANKS)
    seconds: SomeSeconds = Field(description=_ABOVE_0)
    limit: SomeSeconds | None = Field(None, description=_ABOVE_0)
    kind: str | None = Field(None, description=f"one of {', '.join(Kind)}")
    least: Ranks | None = Field(None, description="a whole number from 1 to ranks")
    most: Ranks | None = Field(None, description="a whole number from ranks to 10^7")
    memory_per_rank: float | None = Field(None, ge=0, le=1e18, description="bytes from 0 to 1e18")
    priority: float = Field(0.0, ge=0, le=1, description="a number from 0 to 1")
    io_bytes: IoBytes | None = Field(None, description=_BYTES)
    io_share: IoShare | None = Field(None, description="a share of 1")


MODELS = ("exponential", "lublin")
#: Of what a percentage of malleable and moldable jobs is.
SHARES = ("jobs", "core-hours")


class Generated(Part):
    """Jobs that are drawn. `lublin`: as Lublin and Feitelson (2003) found them in logs of machines."""

    model: str = Field("exponential", description=f"one of {', '.join(MODELS)}")
    jobs: int = Field(ge=1, le=10**6, description="a whole number from 1 to 10^6")
    every: SomeSeconds | None = Field(None, description=_ABOVE_0)
    seconds: SomeSeconds | None = Field(None, description=_ABOVE_0)
    most_ranks: Ranks = Field(1, description=_RANKS)
    limit_factor: float = Field(1.0, ge=1, le=1000, description="a number from 1 to 1000")
    serial_share: float = Field(0.244, ge=0, le=1, description="a share of 1")
    power_share: float = Field(0.576, ge=0, le=1, description="a share of 1")
    io_bytes: IoBytes | None = Field(None, description=_BYTES)
    io_share: IoShare | None = Field(None, description="a share of 1")


class ReservedCores(Part):
    """From `begin` to `end`, counted from the first submission."""

    begin: float = Field(ge=0, le=1e10, description="seconds from 0 to 1e10")
    end: SomeSeconds = Field(description=_ABOVE_0)
    cores: Ranks = Field(description=_RANKS)


class PriorityWeights(Part):
    """As in Slurm's priority/multifactor; weights are 0 where they are not set."""

    age_weight: float = Field(0.0, ge=0, le=1e9, description=_WEIGHT)
    max_age: SomeSeconds = Field(WEEK, description=_ABOVE_0)
    size_weight: float = Field(0.0, ge=-1e9, le=1e9, description="a number from -1e9 to 1e9")
    job_weight: float = Field(0.0, ge=0, le=1e9, description=_WEIGHT)

    @property
    def weights(self) -> Weights:
        """For an order."""
        return Weights(self.age_weight, self.max_age, self.size_weight, self.job_weight)


class Workload(Part):
    """Jobs for one machine, and what is compared: start orders, strategies, shares of malleable jobs."""

    cores: Ranks = Field(description=_RANKS)
    cores_per_node: Ranks = Field(1, description=_RANKS)
    allocation: str = Field(SHARED, description=f"one of {', '.join(ALLOCATIONS)}")
    order: list[str] = Field(
        default=["fcfs"], min_length=1, description=f"a list of names: {', '.join(ORDERS)}"
    )
    strategy: list[str] = Field(
        default=["keep-preferred"],
        min_length=1,
        description=f"a list of names: {', '.join(STRATEGIES)}, or FILE.py:CLASS",
    )
    malleable: list[Percent] = Field(
        default=[0.0], min_length=1, description="a list of numbers from 0 to 100"
    )
    malleable_by: str = Field("jobs", description=f"one of {', '.join(SHARES)}")
    moldable: Percent = Field(0.0, description=_PERCENT)
    least_factor: float = Field(0.5, gt=0, le=1, description="a number above 0, up to 1")
    most_factor: float = Field(2.0, ge=1, le=1e6, description="a number from 1 to 1e6")
    parallel_fraction: float = Field(0.99, ge=0, le=1, description="a share of 1")
    speedup: SpeedupTable | None = Field(None, description="a table with model")
    seed: int = Field(42, ge=0, le=2**63 - 1, description="a whole number from 0 to 2^63-1")
    seeds: int = Field(1, ge=1, le=10_000, description="a whole number from 1 to 10000")
    resize_cost: ResizeCostTable | None = Field(None, description="a table with method, seconds, rate")
    failures: FailuresTable | None = Field(None, description="a table with mtbf, recovery, save_every")
    storage: StorageTable | None = Field(None, description="a table with bandwidth, job_bandwidth, io_share")
    idle_watts: WattsOfCore | None = Field(None, description=_WATTS)
    busy_watts: WattsOfCore | None = Field(None, description=_WATTS)
    default_limit: SomeSeconds | None = Field(None, description=_ABOVE_0)
    priority: PriorityWeights = Field(
        PriorityWeights(), description="a table with age_weight, max_age, size_weight, job_weight"
    )
    reservations: list[ReservedCores] = Field(default=[], description="[[reservations]] tables")
    trace: str | None = Field(None, min_length=1, description="the name of a file")
    generated: Generated | None = Field(
        None, description="a table with jobs, every, seconds; or with jobs and model"
    )
    jobs: list[SubmittedJob] = Field(default=[], description="[[jobs]] tables")

    @model_validator(mode="after")
    def _rules(self) -> Self:
        found = list(findings(self))
        if found:
            raise PydanticCustomError("rules", "{text}", {"text": found[0][1], "findings": found})
        return self

    @property
    def step(self) -> int:
        """Cores that are allocated together."""
        return self.cores_per_node if self.allocation == EXCLUSIVE else 1

    @property
    def rules(self) -> Rules:
        """Of the site, for each order."""
        reserved = (Reservation(each.begin, each.end, each.cores) for each in self.reservations)
        return Rules(self.priority.weights, tuple(reserved))

    @property
    def needs_limits(self) -> bool:
        """Whether each job has to have one."""
        return any(ORDERS[name].needs_limits for name in self.order if name in ORDERS)

    @property
    def speedup_of_jobs(self) -> Speedup:
        """That of Amdahl without a table."""
        return (self.speedup or SpeedupTable()).made(self.parallel_fraction)

    @property
    def watts(self) -> Watts | None:
        """Of a core, where it is known."""
        if self.idle_watts is None or self.busy_watts is None:
            return None
        return Watts(self.idle_watts, self.busy_watts)


def findings(workload: Workload) -> Iterator[tuple[Path, str]]:
    """What keys say together that cannot be."""
    for index, name in enumerate(workload.order):
        if name not in ORDERS:
            yield ("order", index), f"one of {', '.join(ORDERS)}"
    for index, name in enumerate(workload.strategy):
        if name not in STRATEGIES and not is_in_file(name):
            yield ("strategy", index), f"one of {', '.join(STRATEGIES)}, or FILE.py:CLASS"
    if workload.malleable_by not in SHARES:
        yield ("malleable_by",), f"one of {', '.join(SHARES)}"
    yield from _of_priority(workload)
    yield from _of_reservations(workload)
    sources = [key for key in ("trace", "generated", "jobs") if getattr(workload, key)]
    if len(sources) != 1:
        yield (
            (sources[-1] if sources else "jobs",),
            "one of trace, generated and jobs says which jobs there are",
        )
    most_moldable = 100 - max(workload.malleable)
    if workload.moldable > most_moldable:
        yield ("moldable",), f"at most the {most_moldable:g} % of the jobs that are not malleable"
    if workload.generated is not None:
        found = _of_generated(workload.generated, workload.cores)
        yield from ((("generated", key), text) for key, text in found)
    names: set[str] = set()
    yield from _of_nodes(workload)
    yield from _of_kinds(workload)
    for key, other in (("idle_watts", "busy_watts"), ("busy_watts", "idle_watts")):
        if getattr(workload, key) is not None and getattr(workload, other) is None:
            yield (key,), f"goes with {other}"
    if workload.speedup is not None:
        says_fraction = "parallel_fraction" in workload.model_fields_set
        yield from ((("speedup", key), text) for key, text in of_speedup(workload.speedup, says_fraction))
    if workload.resize_cost is not None:
        found = of_resize_cost(workload.resize_cost, workload.trace is not None)
        yield from ((("resize_cost", key), text) for key, text in found)
    if workload.failures is not None:
        yield from ((("failures", key), text) for key, text in of_failures(workload.failures))
    yield from _of_io(workload)
    for index, job in enumerate(workload.jobs):
        if job.name in names:
            yield ("jobs", index, "name"), "another name: there is one job of this name"
        names.add(job.name)
        if job.limit is None and workload.default_limit is None and workload.needs_limits:
            yield ("jobs", index, "limit"), no_limit(workload.order)
        yield from ((("jobs", index, key), text) for key, text in _of_job(job, workload.cores))


def _of_priority(workload: Workload) -> Iterator[tuple[Path, str]]:
    weights = workload.priority
    if PRIORITY in workload.order and not (weights.age_weight or weights.size_weight or weights.job_weight):
        yield ("order", workload.order.index(PRIORITY)), "needs a weight other than 0 in the table priority"


def _of_reservations(workload: Workload) -> Iterator[tuple[Path, str]]:
    points = workload.speedup.points if workload.speedup is not None else None
    seconds = [each[-1] for each in points or [] if each]
    if workload.reservations and seconds != sorted(seconds, reverse=True):
        yield ("speedup", "points"), "seconds that do not rise with the ranks, where cores are reserved"
    can = [name for name, row in ORDERS.items() if row.needs_limits]
    for index, name in enumerate(workload.order):
        if workload.reservations and name in ORDERS and name not in can:
            yield (
                ("order", index),
                f"one of {', '.join(can)}, since only orders with limits keep reservations",
            )
    for index, each in enumerate(workload.reservations):
        if each.end <= each.begin:
            yield ("reservations", index, "end"), f"after its begin, {each.begin:g} s"
        same_time = (other.cores for other in workload.reservations if other.begin <= each.begin < other.end)
        if sum(same_time) > workload.cores:
            yield (
                ("reservations", index, "cores"),
                f"with those of others at that time at most the {workload.cores} cores of the machine",
            )
        if workload.allocation == EXCLUSIVE and each.cores % workload.cores_per_node:
            yield (
                ("reservations", index, "cores"),
                f"a multiple of the {workload.cores_per_node} cores of a node",
            )


def _of_io(workload: Workload) -> Iterator[tuple[Path, str]]:
    drawn = [] if workload.generated is None else [(("generated",), workload.generated)]
    places: list[tuple[Path, Generated | SubmittedJob]] = [*drawn]
    places += [(("jobs", index), job) for index, job in enumerate(workload.jobs)]
    own = 0
    for where, each in places:
        keys = [key for key in ("io_bytes", "io_share") if getattr(each, key) is not None]
        own += bool(keys)
        if len(keys) == 2:
            yield (*where, "io_share"), "goes without io_bytes: one of them says what I/O there is"
        elif keys and workload.storage is None:
            yield (*where, keys[0]), "goes with a table storage, which says what bandwidth there is"
    if workload.storage is not None:
        found = of_storage(workload.storage, own > 0, 0 < own == len(places))
        yield from ((("storage", key), text) for key, text in found)


def _of_nodes(workload: Workload) -> Iterator[tuple[Path, str]]:
    if workload.allocation not in ALLOCATIONS:
        yield ("allocation",), f"one of {', '.join(ALLOCATIONS)}"
    if workload.cores % workload.cores_per_node:
        yield ("cores",), f"a multiple of the {workload.cores_per_node} cores of a node"
    if workload.allocation == EXCLUSIVE and "cores_per_node" not in workload.model_fields_set:
        yield ("allocation",), f"{EXCLUSIVE} needs cores_per_node"


def _of_kinds(workload: Workload) -> Iterator[tuple[Path, str]]:
    fixed = [name for name in workload.order if name in ORDERS and not ORDERS[name].sizes]
    if not fixed:
        return
    why = f"since the order {fixed[0]} gives each job one size"
    for index, percent in enumerate(workload.malleable):
        if percent > 0:
            yield ("malleable", index), f"0, {why}"
    if workload.moldable > 0:
        yield ("moldable",), f"0, {why}"
    for index, job in enumerate(workload.jobs):
        if job.kind not in (None, Kind.RIGID):
            yield ("jobs", index, "kind"), f"rigid, {why}"


def _of_generated(generated: Generated, cores: int) -> Iterator[tuple[str, str]]:
    if generated.most_ranks > cores:
        yield "most_ranks", f"at most the {cores} cores of the machine"
    if generated.model not in MODELS:
        yield "model", f"one of {', '.join(MODELS)}"
    elif generated.model == "exponential":
        for key in ("every", "seconds"):
            if getattr(generated, key) is None:
                yield key, f"is missing: {_ABOVE_0}"
        for key in ("serial_share", "power_share"):
            if key in generated.model_fields_set:
                yield key, "goes with the model lublin"
    elif generated.seconds is not None:
        yield "seconds", "goes with the model exponential; lublin has run times of its own"
    elif generated.serial_share + generated.power_share > 1:
        yield (
            "power_share",
            f"at most {1 - generated.serial_share:g}: serial_share and power_share are of all jobs",
        )


def no_limit(order: Sequence[str]) -> str:
    """Why a job without a limit cannot be simulated."""
    needs = next(name for name in order if name in ORDERS and ORDERS[name].needs_limits)
    return f"is missing: the order {needs} needs the limit of each job, or a default_limit"


def _of_job(job: SubmittedJob, cores: int) -> Iterator[tuple[str, str]]:
    if job.ranks > cores:
        yield "ranks", f"at most the {cores} cores of the machine"
    if job.kind is not None and job.kind not in list(Kind):
        yield "kind", f"one of {', '.join(Kind)}"
    sizes = [key for key in ("least", "most") if getattr(job, key) is not None]
    if sizes and job.kind == Kind.RIGID:
        yield sizes[0], "goes with a job that is moldable or malleable"
    if job.least is not None and job.least > job.ranks:
        yield "least", f"at most the {job.ranks} ranks that it prefers"
    if job.most is not None and job.most < job.ranks:
        yield "most", f"at least the {job.ranks} ranks that it prefers"
