# SPDX-License-Identifier: BSD-3-Clause
"""The messages that a supervisor reads from the link and its control socket (docs/formats/link.md).

What is read is checked; what cannot be read is dropped.
"""

import json
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from nereus.methods import RESIZE_OPTIONS
from nereus.supervisor.frames import decode

MOST_RANKS = 2**31 - 1

#: What may be said about one resize from outside; names and values are those of settings.
OPTIONS = (*(option["name"] for option in RESIZE_OPTIONS), "hosts")

RequestNumber = Annotated[int, Field(ge=0, le=2**63 - 1)]
PartyNumber = Annotated[int, Field(ge=0, le=MOST_RANKS)]
Ranks = Annotated[int, Field(ge=1, le=MOST_RANKS)]
Code = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Token = Annotated[str, Field(max_length=64)]
HostName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$")]


Read = TypeVar("Read")


class Message(BaseModel):
    """What all messages share."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", defer_build=True)


class Root(Message):
    """The root tells that it is there, and how the job stands."""

    kind: Literal["root"]
    generation: Annotated[int, Field(ge=0)]
    ranks: Ranks
    hosts: list[str]
    #: Of a root that follows another one: what that one called it.
    token: Token = ""


class Member(Message):
    """A process, as the system of its host knows it."""

    pid: Annotated[int, Field(ge=0, le=2**63 - 1)]
    #: In clock ticks since its host began.
    started: Annotated[int, Field(ge=0, le=2**63 - 1)]


class Members(Message):
    """The processes that the job consists of in a generation, in the order of their ranks."""

    kind: Literal["members"]
    generation: Annotated[int, Field(ge=0)]
    processes: list[Member]
    hosts: list[str]

    @model_validator(mode="after")
    def _has_a_host_for_each(self) -> Self:
        if len(self.processes) != len(self.hosts):
            raise ValueError("not a host for each process")
        return self


class ShareAsked(Message):
    """Newcomers on one host."""

    host: str
    ranks: Ranks


class PartyAsked(Message):
    """Newcomers that share an MPI_COMM_WORLD."""

    party: PartyNumber
    shares: Annotated[list[ShareAsked], Field(min_length=1)]


class Make(Message):
    """Newcomers are wanted."""

    kind: Literal["make"]
    request: RequestNumber
    parties: Annotated[list[PartyAsked], Field(min_length=1)]


class Orders(Message):
    """Something for a leader."""

    kind: Literal["orders"]
    request: RequestNumber
    party: PartyNumber
    orders: Any


class Connecting(Message):
    """The job is about to wait in MPI_Comm_accept."""

    kind: Literal["connecting"]
    request: RequestNumber
    #: A word of a command line, which no zero can be in.
    port: Annotated[str, Field(min_length=1, max_length=4096, pattern=r"^[^\x00]+$")]
    seconds: Annotated[float, Field(ge=0, le=1e9, strict=False)]


class Connected(Message):
    """The accept has ended."""

    kind: Literal["connected"]
    request: RequestNumber


class Settled(Message):
    """A resize has ended, done or rolled back."""

    kind: Literal["settled"]
    request: RequestNumber
    code: Code
    message: str
    report: dict[str, Any] | None = None
    #: Where another process is the root from now on: what it says.
    next_root: Token = ""


class Answer(Message):
    """What the job says to a wish from outside."""

    kind: Literal["answer"]
    ticket: Annotated[int, Field(ge=0)]
    code: Code
    message: str
    request: Annotated[int, Field(ge=0, le=2**63 - 1)]


class Saved(Message):
    """A request to save an epoch has ended; `code` 0: it was saved."""

    kind: Literal["saved"]
    request: RequestNumber
    code: Code
    message: str
    #: 0: none was saved.
    epoch: Annotated[int, Field(ge=0, le=2**63 - 1)]
    iteration: Annotated[int, Field(ge=0, le=2**63 - 1)]
    bytes: Annotated[int, Field(ge=0, le=2**63 - 1)]
    seconds: Annotated[float, Field(ge=0, le=1e9, strict=False)]
    #: Whether the job ends now, to be continued from this epoch.
    stops: bool
    #: Of several hosts; nobody has asked for it from outside.
    in_memory: bool


class MemoryHandle(Message):
    """How a file of shared memory is found that a process has open."""

    array: str
    bytes: Annotated[int, Field(ge=0, le=2**63 - 1)]
    pid: Annotated[int, Field(ge=1, le=2**31 - 1)]
    descriptor: Annotated[int, Field(ge=0, le=2**31 - 1)]
    inode: Annotated[int, Field(ge=0, le=2**64 - 1)]
    device: Annotated[int, Field(ge=0, le=2**64 - 1)]
    path: Literal[""]


class Keep(Message):
    """Files of shared memory are to outlive all processes of the job."""

    kind: Literal["keep"]
    request: RequestNumber
    #: In memory, for which they are; 0: for a restart.
    epoch: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    handles: list[MemoryHandle | None]


class Restart(Message):
    """All processes are about to leave; others are to be started, which get their data."""

    kind: Literal["restart"]
    request: RequestNumber
    shares: Annotated[list[ShareAsked], Field(min_length=1)]
    #: As many as there are now, where that fails.
    before: Annotated[list[ShareAsked], Field(min_length=1)]


class Closing(Message):
    """The job is being closed."""

    kind: Literal["closing"]


class Hello(Message):
    """All processes of a party are up."""

    kind: Literal["hello"]
    request: RequestNumber
    party: PartyNumber
    hello: Any


_OfResizes = Make | Orders | Connecting | Connected | Keep | Restart | Settled
FromJob = Root | Members | Hello | Answer | Saved | Closing | _OfResizes


class AskStatus(Message):
    """From the control socket: how does the job stand?"""

    kind: Literal["status"]


class AskResize(Message):
    """From the control socket: another size is wanted."""

    kind: Literal["resize"]
    ranks: Ranks
    options: dict[str, str] = {}
    wait: bool = True


class AskHosts(Message):
    """From the control socket: the job is to get more hosts from its resource manager, or to give some back.

    Either a number of hosts or their names. Without `ranks` all slots are filled where hosts come, and the
    processes on hosts that go leave.
    """

    kind: Literal["hosts"]
    change: Literal["grow", "release"]
    count: Annotated[int, Field(ge=0, le=MOST_RANKS)] = 0
    ranks: Ranks | None = None
    names: Annotated[list[HostName], Field(max_length=MOST_RANKS)] = []
    options: dict[str, str] = {}
    wait: bool = True
    #: Seconds after which hosts that were not granted are not wanted any more.
    patience: Annotated[float, Field(ge=0, le=1e9, strict=False)] | None = None

    @model_validator(mode="after")
    def _has_a_number_or_names(self) -> Self:
        if (self.count == 0) == (not self.names):
            raise ValueError("a number of hosts or their names")
        return self


class AskSave(Message):
    """From the control socket: an epoch is to be saved, and the job to end then where `stops`."""

    kind: Literal["save"]
    stops: bool = False
    wait: bool = True


FromClient = AskStatus | AskResize | AskHosts | AskSave

# Built when the first message comes, since commands that start no job import this too.
_LATER = ConfigDict(defer_build=True)
_from_job: TypeAdapter[FromJob] = TypeAdapter(Annotated[FromJob, Field(discriminator="kind")], config=_LATER)
_from_client: TypeAdapter[FromClient] = TypeAdapter(
    Annotated[FromClient, Field(discriminator="kind")], config=_LATER
)


def validated(adapter: TypeAdapter[Read], value: dict[str, Any]) -> Read:
    """ValueError where it is not allowed. Half characters, which no encoding has, are replaced: JSON can hold
    them, and nobody is to be unheard for what a program is called.
    """
    try:
        return adapter.validate_python(value)
    except ValueError:
        return adapter.validate_python(_of_whole_characters(value))


def _of_whole_characters(value: dict[str, Any]) -> Any:
    try:
        return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("lists of so many levels are not allowed") from None


def read_from_job(frame: bytes, job: str) -> FromJob | None:
    """A message of the link that carries the job's key."""
    value = decode(frame)
    if value is None or value.get("job") != job:
        return None
    try:
        return validated(_from_job, value)
    except ValueError:
        return None


def read_from_client(value: dict[str, Any]) -> FromClient | str:
    """A message of the control socket, or why it is refused."""
    try:
        asked = validated(_from_client, value)
    except ValueError:
        kind = value.get("kind")
        allowed = (
            "status, resize with ranks, options and wait, hosts with change, and save with stops and wait"
        )
        return f"allowed are {allowed}" + (
            f"; found {kind}" if isinstance(kind, str) and len(kind) < 40 else ""
        )
    if isinstance(asked, AskResize | AskHosts):
        unknown = [name for name in asked.options if name not in OPTIONS]
        if unknown:
            return f"options: {unknown[0][:40]}: allowed are {', '.join(OPTIONS)}"
    return asked
