# SPDX-License-Identifier: BSD-3-Clause
"""What may be asked on the daemon's control socket, `daemon.control` (docs/reference/daemon.md)."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from nereus.daemon.messages import Number, Ranks
from nereus.supervisor.messages import MOST_RANKS, HostName, validated

JobName = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
_ALLOWED = (
    "status with from, events with since, reserve with job and ranks, release with job, "
    "learn with job, command and times, pilot, hosts with job, names and first, change with policy and "
    "parameters, and stop"
)


class Question(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class AskStatus(Question):
    """How the daemon and its jobs stand; of many jobs those from a number on."""

    kind: Literal["status"]
    start: Annotated[int, Field(ge=0, alias="from")] = 0


class AskEvents(Question):
    """What happened after the event of that number."""

    kind: Literal["events"]
    since: Number = 0


class AskReserve(Question):
    """Cores for a job that is about to start."""

    kind: Literal["reserve"]
    job: JobName
    ranks: Ranks


class AskRelease(Question):
    """They are not needed any more."""

    kind: Literal["release"]
    job: JobName


class Timed(BaseModel):
    """An iteration without I/O took so long."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    ranks: Ranks
    seconds: Annotated[float, Field(gt=0, le=1e9, strict=False)]


class AskLearn(Question):
    """How long a program takes, as `nereus profile` measured it."""

    kind: Literal["learn"]
    job: JobName
    command: Annotated[list[str], Field(min_length=1)]
    times: Annotated[list[Timed], Field(max_length=10_000)]


class AskPilot(Question):
    """Of which job of a resource manager it shares out the hosts."""

    kind: Literal["pilot"]


HostNames = Annotated[list[HostName], Field(max_length=10_000)]


class AskHosts(Question):
    """The hosts that a job has, the `first` ones at the front; so many more, or these, are wished for; hosts
    that jobs should not have any more.
    """

    kind: Literal["hosts"]
    job: JobName
    names: HostNames
    first: Annotated[int, Field(ge=0, le=10_000)]
    more: Annotated[int, Field(ge=0, le=MOST_RANKS)] = 0
    more_names: HostNames = []
    unfit: HostNames = []


class AskChange(Question):
    """Another policy, by its name (none: as it is), and parameters of the policies, `NAME=VALUE` each."""

    kind: Literal["change"]
    policy: Annotated[str, Field(max_length=100)] | None = None
    parameters: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=100)] = []


class AskStop(Question):
    """The daemon is to end."""

    kind: Literal["stop"]


Asked = AskStatus | AskEvents | AskReserve | AskRelease | AskLearn | AskPilot | AskHosts | AskChange | AskStop

_asked: TypeAdapter[Asked] = TypeAdapter(Annotated[Asked, Field(discriminator="kind")])


def read_question(value: dict[str, Any]) -> Asked | str:
    """A question, or why it is refused."""
    try:
        return validated(_asked, value)
    except ValueError:
        return f"allowed are {_ALLOWED}"
