# SPDX-License-Identifier: BSD-3-Clause
"""The lines of the monitor's file as typed values; keys that no output needs are skipped."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from nereus.analysis.report.events import Count, Strict

MOST_RANKS = 2**22  # what is made of a damaged number must fit into memory
Ranks = Annotated[int, Field(ge=1, le=MOST_RANKS)]

Step = Annotated[int, Field(ge=-(2**31), le=2**31)]


def _that_fit(runs: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    if sum(number for _, _, number, _ in runs) > MOST_RANKS:
        raise ValueError(f"up to {MOST_RANKS} processes are allowed")
    return runs


Kind = Literal["point_to_point", "collective", "decomposed", "put", "get", "read", "write"]
Histogram = dict[Annotated[str, Field(pattern=r"^[0-9]{1,3}$")], Count]
Run = tuple[Count, Count, Ranks, Step]  # of processes: world, first rank, number, step
Members = Annotated[list[Run], AfterValidator(_that_fit)]


class Header(Strict):
    event: Literal["header"]
    format: Literal["nereus-monitor"]
    version: Literal[1]
    run: str = ""
    command: list[str] = Field(default_factory=list)


class Process(Strict):
    """Lines up to the next one of this kind are of this process."""

    event: Literal["process"]
    world: str
    rank: Count
    ranks: Ranks
    host: str
    process: int
    end: str
    lost_messages: Count


class World(Strict):
    event: Literal["world_started"]
    world: str
    ranks: Ranks
    sensor: str
    mpi: str
    started_unix: float
    window_seconds: float


class WorldEnded(Strict):
    event: Literal["world_ended"]
    world: str


class Moved(Strict):
    """What one process sent in one way: to single peers, or to a whole communicator."""

    event: Literal["moved"]
    kind: Kind
    generation: Count
    phase: Count = 0
    call: str = ""
    communicator: Count = 0
    file: Count = 0
    reach: Literal["peer", "all", "higher", "nobody"] = "peer"
    to_world: Count = 0
    # Of each peer: rank, messages, bytes, messages of each size.
    to: list[tuple[Count, Count, Count, Histogram]] = Field(default_factory=list)
    messages: Count = 0
    bytes: Count = 0
    histogram: Histogram = Field(default_factory=dict)


class Communicator(Strict):
    event: Literal["communicator"]
    communicator: Count
    name: str
    own_rank: int
    two_sides: bool
    members: Members
    own: Members = Field(default_factory=list)  # side, where there are two


class Generation(Strict):
    """The process belongs to a generation of a malleable job from here on; `members` by their rank in it."""

    event: Literal["generation"]
    generation: Count
    job: str
    own_rank: Count
    members: Members


class Supervised(Strict):
    """The process was started by `nereus run` as one of this job."""

    event: Literal["supervised"]
    job: str
    continues: str | None = None  # the job that failed before


class Met(Strict):
    """The process met others, which were not of its world; both sides in the order of their ranks."""

    event: Literal["met"]
    by: Literal["spawn", "parent", "accept", "connect", "join"]
    begin_unix: float
    end_unix: float
    own: Members
    members: Members


class Phase(Strict):
    event: Literal["phase"]
    phase: Count
    name: str


class Window(Strict):
    """Rows: communicator, reach, world, rank of the peer, messages, bytes."""

    event: Literal["window"]
    window: Count
    kind: Kind
    generation: Count
    phase: Count = 0
    rows: list[tuple[Count, str, Count, Count, Count, Count]]


class FileOpened(Strict):
    event: Literal["file_opened"]
    file: Count
    name: str
    mode: int
    processes: Count
    unix: float


class FileClosed(Strict):
    event: Literal["file_closed"]
    file: Count
    unix: float


class Unseen(Strict):
    event: Literal["unseen"]
    what: str
    why: str


class Decomposed(Strict):
    """What saw the messages that collectives are made of."""

    event: Literal["decomposed"]
    source: str


class Ended(Strict):
    """The command under which the run was recorded."""

    event: Literal["ended"]
    exit_code: int


Event = (
    Header
    | Process
    | World
    | WorldEnded
    | Moved
    | Communicator
    | Generation
    | Supervised
    | Met
    | Phase
    | Window
    | FileOpened
    | FileClosed
    | Unseen
    | Decomposed
    | Ended
)
KINDS: dict[str, type[Event]] = {
    "header": Header,
    "process": Process,
    "world_started": World,
    "world_ended": WorldEnded,
    "moved": Moved,
    "communicator": Communicator,
    "generation": Generation,
    "supervised": Supervised,
    "met": Met,
    "phase": Phase,
    "window": Window,
    "file_opened": FileOpened,
    "file_closed": FileClosed,
    "unseen": Unseen,
    "decomposed": Decomposed,
    "ended": Ended,
}
