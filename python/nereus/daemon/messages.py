# SPDX-License-Identifier: BSD-3-Clause
"""What jobs say to the daemon (docs/formats/daemon.md).

What is read is checked; what cannot be read is dropped.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from nereus.supervisor.frames import decode, encode
from nereus.supervisor.messages import MOST_RANKS, validated

__all__ = [
    "Done",
    "FromJob",
    "Goodbye",
    "Heard",
    "Heartbeat",
    "Hello",
    "IoDone",
    "IoRequest",
    "Refused",
    "Sample",
    "encode",
    "read",
]

#: Beyond this, numbers of JSON are not the same to everybody.
MOST = 2**53 - 1
#: An epoch that a job claims to have is below this: there must be later ones.
MOST_CLAIMED = 2**52

Number = Annotated[int, Field(ge=0, le=MOST)]
Positive = Annotated[int, Field(ge=1, le=MOST)]
Iteration = Annotated[int, Field(ge=0, le=MOST)]
Ranks = Annotated[int, Field(ge=1, le=MOST_RANKS)]
# Whole seconds may come without a point.
Seconds = Annotated[float, Field(ge=0, le=1e9, strict=False, allow_inf_nan=False)]
# A sample of no time at all would be of a job that is infinitely fast.
SampledSeconds = Annotated[float, Field(ge=1e-9, le=1e9, strict=False, allow_inf_nan=False)]
Operations = Annotated[float, Field(ge=0, le=1e33, strict=False, allow_inf_nan=False)]
Hosts = Annotated[list[Annotated[str, Field(max_length=255)]], Field(min_length=1)]
Text = Annotated[str, Field(max_length=1 << 16)]


class Message(BaseModel):
    """What all messages share; `opening` tells jobs of one name apart: a later one has a greater number, and
    0 is of a job that does not say it.
    """

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    job: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    opening: Annotated[int, Field(ge=0, le=MOST)] = 0


class Hello(Message):
    """What a job is, and where it stands."""

    kind: Literal["hello"]
    command: list[str]
    mpi: Text
    pid: Annotated[int, Field(ge=0, le=2**31 - 1)]
    supervised: bool
    hosts: Hosts
    most: Ranks
    iteration: Iteration
    generation: Number
    asked: Number
    epoch: Annotated[int, Field(ge=0, lt=MOST_CLAIMED)]
    commands: Annotated[list[Positive], Field(max_length=1000)]


class Heartbeat(Message):
    """It is there."""

    kind: Literal["heartbeat"]
    iteration: Iteration
    epoch: Number


class Sample(Message):
    """What its latest iterations took."""

    kind: Literal["sample"]
    ranks: Ranks
    iteration: Iteration
    iterations: Positive
    seconds: SampledSeconds
    # Of rank 0, where the application marks stages; and of all ranks, where it counts them.
    compute_seconds: Seconds | None = None
    communication_seconds: Seconds | None = None
    operations: Operations | None = None


class IoRequest(Message):
    """An I/O phase is about to begin."""

    kind: Literal["io_request"]
    number: Positive
    bytes: Number
    iteration: Iteration


class IoDone(Message):
    """An I/O phase is over."""

    kind: Literal["io_done"]
    id: Number
    number: Positive
    epoch: Number
    bytes: Number
    iteration: Iteration
    ranks: Ranks
    wait_seconds: Seconds
    service_seconds: Seconds
    age_seconds: Seconds


class Heard(Message):
    """A command is noted, and not done yet."""

    kind: Literal["heard"]
    command: Positive


class Done(Message):
    """A resize ended well."""

    kind: Literal["done"]
    id: Number
    command: Number
    hosts: Hosts
    generation: Number
    iteration: Iteration
    seconds: Seconds
    message: Text


class Refused(Message):
    """A command was not carried out."""

    kind: Literal["refused"]
    id: Number
    command: Number
    code: Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
    message: Text


class Goodbye(Message):
    """The job is over."""

    kind: Literal["goodbye"]
    id: Number


class Outcome(BaseModel):
    """What became of a command; `ranks`: those that the job has by it, where it was resized."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    command: Positive
    code: Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
    message: Text
    ranks: Annotated[int, Field(ge=0, le=MOST_RANKS)] = 0


class Allocation(Message):
    """From the job's supervisor: its hosts, and what became of commands that concern them."""

    kind: Literal["allocation"]
    first_slots: Annotated[int, Field(ge=0, le=MOST_RANKS)]
    host_slots: Annotated[int, Field(ge=0, le=MOST_RANKS)]
    more_hosts: Annotated[int, Field(ge=0, le=MOST_RANKS)]
    heard: Number
    outcomes: Annotated[list[Outcome], Field(max_length=100)]


FromJob = Hello | Heartbeat | Sample | IoRequest | IoDone | Heard | Done | Refused | Goodbye | Allocation

_from_job: TypeAdapter[FromJob] = TypeAdapter(Annotated[FromJob, Field(discriminator="kind")])


def read(frame: bytes) -> FromJob | None:
    """A message of a job; None for anything else."""
    value = decode(frame)
    if value is None:
        return None
    try:
        return validated(_from_job, value)
    except ValueError:
        return None
