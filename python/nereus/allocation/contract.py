# SPDX-License-Identifier: BSD-3-Clause
"""What every adapter to a resource manager promises (docs/reference/allocations.md).

Nothing here waits. Who uses an allocation calls `turn()` again and again; meanwhile a growth goes through its
states:

    requested -> accepted -> usable
        \\           \\
         `-> failed    `-> failed

A growth that failed has left nothing behind: no job that is queued, no host that is paid for.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import inf
from pathlib import Path
from typing import Any, Protocol

from nereus import UserError
from nereus.launch.hosts import Host, Reach


class AllocationError(UserError):
    """A request that can never be granted as it stands; nothing was submitted."""


class NotGranted(UserError):
    """Hosts cannot be had now; at another time they may."""


class GrowthState(Enum):
    REQUESTED = "requested"  #: not granted by the resource manager yet
    ACCEPTED = "accepted"  #: hosts are granted; whether processes can be started there is being tried
    USABLE = "usable"  #: a process was started on each host
    FAILED = "failed"  #: refused, not granted in time, cancelled, or not usable; the reason says which

    @property
    def is_final(self) -> bool:
        return self in (GrowthState.USABLE, GrowthState.FAILED)


@dataclass(frozen=True)
class Wish:
    """More hosts: so many, or these by name, each with at least so many slots."""

    hosts: int = 0
    names: tuple[str, ...] = ()
    slots: int = 1
    #: Seconds after which it fails where hosts have not been granted; None: as the resource manager has it.
    patience: float | None = None

    def __post_init__(self) -> None:
        """A wish for nothing, or for two things, is a mistake of ours or of a user's."""
        if (self.hosts < 1) == (not self.names):
            raise AllocationError(f"{self.hosts} hosts and {list(self.names)}: a number or names are allowed")
        if self.slots < 1:
            raise AllocationError(f"{self.slots} slots: must be 1 or more")

    @property
    def count(self) -> int:
        return self.hosts or len(self.names)

    def deadline(self, now: float) -> float:
        """Until when hosts must be granted, if it is wished for now."""
        return inf if self.patience is None else now + self.patience


@dataclass
class Growth:
    """A wish on its way. `hosts`: once they are granted."""

    wish: Wish
    state: GrowthState = GrowthState.REQUESTED
    hosts: tuple[Host, ...] = ()
    #: What it waits for; once it failed, why.
    reason: str = ""
    #: Whether it could never be granted as it stands.
    never: bool = False

    def to(self, state: GrowthState, reason: str = "") -> None:
        """The next state; a final one is never left."""
        if self.state.is_final:
            raise ValueError(f"a growth that is {self.state.value} cannot become {state.value}")
        self.state, self.reason = state, reason


class EventKind(Enum):
    HOST_LOST = "host_lost"  #: what ran there has ended, or will never be heard of again
    HOST_NOT_WATCHED = "host_not_watched"  #: its loss will be noticed by the launcher alone
    HOST_DRAINS = "host_drains"  #: it is to be left
    HOST_KEPT = "host_kept"  #: it was to be given back, and could not be
    ENDS_SOON = "ends_soon"  #: the resource manager will end the job

    @property
    def sentence(self) -> str:
        """For people."""
        return _SENTENCES[self]


_SENTENCES = {
    EventKind.HOST_LOST: "lost",
    EventKind.HOST_NOT_WATCHED: "not watched",
    EventKind.HOST_DRAINS: "to be left",
    EventKind.HOST_KEPT: "not given back",
    EventKind.ENDS_SOON: "about to be taken back",
}


@dataclass(frozen=True)
class Event:
    """Something that the resource manager did by itself."""

    kind: EventKind
    reason: str
    hosts: tuple[str, ...]


class Allocation(ABC):
    """The hosts of one job. Used by one thread; closed once."""

    @property
    @abstractmethod
    def hosts(self) -> tuple[Host, ...]:
        """Usable ones, in the order in which they came."""

    @property
    @abstractmethod
    def environment(self) -> Mapping[str, str]:
        """What the remote shell needs beside its own, to reach hosts that came by growing."""

    @abstractmethod
    def grow(self, wish: Wish) -> Growth:
        """Ask for more. AllocationError where that can never be granted; nothing was submitted then."""

    @abstractmethod
    def cancel(self, growth: Growth) -> None:
        """Give up what is not usable yet; it fails, now or in a later turn."""

    @abstractmethod
    def check_release(self, names: Sequence[str]) -> None:
        """AllocationError names the hosts that cannot be given back."""

    def check_names(self, names: Sequence[str]) -> None:
        """AllocationError names those that are none of `hosts`."""
        known = {host.name for host in self.hosts}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise AllocationError(f"{', '.join(unknown)}: no host of this job")

    @abstractmethod
    def release(self, names: Sequence[str], clean: bool = False) -> None:
        """Give back hosts on which no process of the job runs any more.

        `clean`: all that ran there came to its own end, and has removed the job's temporary folder.
        They are no longer among `hosts` at once; that the resource manager has them is seen in a later turn.
        AllocationError names those that cannot be given back.
        """

    @abstractmethod
    def turn(self) -> list[Event]:
        """Look what came of growths and releases, and what the resource manager did by itself."""

    @abstractmethod
    def close(self) -> None:
        """Give back all that came by growing, and give up what is under way; the first hosts stay.

        May wait for a few seconds.
        """


class Inspection(ABC):
    """What a resource manager shows of us, for those who measure it; the calls wait.

    AllocationError where it does not answer.
    """

    @abstractmethod
    def are_idle(self, names: Sequence[str]) -> bool:
        """Whether nobody has these hosts."""

    @abstractmethod
    def left_behind(self, key: str, folder: Path, names: Sequence[str]) -> list[str]:
        """What there is of our job `key`, which has ended: a line for each thing.

        Jobs and steps at the resource manager; on these hosts processes, and `folder`, the job's own.
        """


class Inquiry(Protocol):
    """A question to a daemon that is under way."""

    def answer(self) -> Mapping[str, Any] | Exception | None:
        """None: it has not answered yet; an exception: it will not."""

    def close(self) -> None: ...


#: Puts a question to the daemon of many jobs.
Inquire = Callable[[Mapping[str, Any]], Inquiry]


@dataclass(frozen=True)
class ResourceManager:
    """Who gives hosts to jobs: those that there are now, and a way to an allocation for each job."""

    #: The word by which commands and documents call it.
    kind: str
    reach: Reach
    #: The allocation of a job, by the job's key and a folder of its own, which outlives the allocation.
    open: Callable[[str, Path], Allocation]
    #: In which way a job gets more hosts; "": in none.
    growth: str = ""
    inspection: Inspection | None = None
    #: What it calls the job that we run in; "": there is none.
    job: str = ""
    #: The same for one of several jobs of ours among which a daemon shares out these hosts; None: that is
    #: not possible.
    shared: "Shared | None" = None


class Shared(Protocol):
    def __call__(self, first: Sequence[str], inquire: Inquire, keeps: str = "") -> ResourceManager:
        """`first`: hosts with which the job begins; `inquire`: asks the daemon; `keeps`: why it cannot have
        others.
        """
