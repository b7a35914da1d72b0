# SPDX-License-Identifier: BSD-3-Clause
"""What the daemon keeps of a job beside what the coordinator knows: where it is, what it is to be told."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any

from nereus.coordinator.known_jobs import About, Command
from nereus.daemon.places import places_of
from nereus.policy.performance import Measured

#: The socket that a job came by, and its number there.
Address = tuple[int, bytes]
REPEAT_SECONDS = 1.0
_MOST_MISSING = 64
_MOST_WHY = 1000


@dataclass
class Telling:
    """A command, or that it is not to be carried out: said again until it is heard."""

    message: dict[str, Any]
    why: str
    by: str
    for_root: bool = True  # else for the job's supervisor
    next: float = 0.0
    heard: bool = False


@dataclass(frozen=True)
class Held:
    """A turn: of which I/O phase, by which epoch."""

    number: int
    epoch: int


@dataclass
class Io:
    """All I/O phases of a job together."""

    phases: int = 0
    wait_seconds: float = 0.0
    service_seconds: float = 0.0
    bytes: int = 0


@dataclass(frozen=True)
class Pace:
    """Of the latest iterations, in seconds of one; what is not marked or counted is None.

    `compute_seconds`, `communication_seconds`: of rank 0, in stages of these kinds; `flops`: floating-point
    operations in a second, of all ranks.
    """

    iteration_seconds: float
    compute_seconds: float | None = None
    communication_seconds: float | None = None
    flops: float | None = None

    @property
    def communication_share(self) -> float | None:
        """Of an iteration."""
        if self.communication_seconds is None:
            return None
        return min(1.0, self.communication_seconds / self.iteration_seconds)


@dataclass
class Session:
    """`to`: None until the job was heard since the daemon began; `supervisor`: the same of its supervisor,
    where it has an allocation of its own; `asked`, `finished`, `doubted`: numbers of phases; the last one is
    taken for over, and was asked for even so, `doubts` times.
    """

    name: str
    command: list[str]
    mpi: str
    pid: int
    supervised: bool
    hosts: list[str]
    most: int
    generation: int
    iteration: int
    came: float
    opening: int = 0
    to: Address | None = None
    supervisor: Address | None = None
    asked: int = 0
    finished: int = 0
    doubted: int = 0
    doubts: int = 0
    held: Held | None = None
    io: Io = field(default_factory=Io)
    resizes: int = 0
    pace: Pace | None = None  # None: no sample came since it was resized last
    telling: dict[int, Telling] = field(default_factory=dict)  # by command
    missing: set[int] = field(default_factory=set)  # phases before `finished` of which nothing was said

    @property
    def places(self) -> dict[str, int]:
        return places_of(self.hosts)

    def about(self, profile: Sequence[Measured]) -> About:
        return About(self.name, self.places, self.most, profile=profile, iteration=self.iteration)

    def finish(self, phase: int) -> bool:
        """An I/O phase is over; whether that is news. Words of two phases may come in the wrong order."""
        if phase <= self.finished:
            late = phase in self.missing
            self.missing.discard(phase)
            return late
        self.missing |= set(range(max(self.finished + 1, phase - _MOST_MISSING), phase))
        self.missing = {each for each in self.missing if each >= phase - _MOST_MISSING}
        self.finished = phase
        self.asked = max(self.asked, phase)
        return True

    def doubt(self, phase: int) -> None:
        self.doubts = self.doubts + 1 if phase == self.doubted else 1
        self.doubted = phase

    def tell(self, command: Command, for_root: bool = True) -> None:
        message = {
            "kind": "resize",
            "command": command.number,
            "ranks": command.ranks,
            "at": command.at or 0,
            "options": {},
            "why": command.why[:_MOST_WHY],
        }
        self.telling[command.number] = Telling(message, command.why, command.by, for_root)

    def tell_not_to(self, number: int, why: str, by: str) -> None:
        """Who was told of it."""
        for_root = number not in self.telling or self.telling[number].for_root
        self.telling[number] = Telling({"kind": "cancel", "command": number}, why, by, for_root)

    def tell_all_again(self) -> None:
        """It may have heard of none."""
        for told in self.telling.values():
            told.heard, told.next = False, 0.0

    def heard(self, number: int) -> None:
        """A cancelled command is done with when it is heard; another one when it is done or refused."""
        told = self.telling.get(number)
        if told is not None and told.message["kind"] == "cancel":
            del self.telling[number]
        elif told is not None:
            told.heard = True

    def due_at_supervisor(self, now: float) -> Telling | None:
        """What its supervisor is to be told now: one command after the other, each from its iteration on."""
        told = next((told for _, told in sorted(self.telling.items()) if not told.for_root), None)
        if told is None or told.heard or told.next > now or told.message.get("at", 0) > self.iteration + 1:
            return None
        told.next = now + REPEAT_SECONDS
        return told

    def heard_by_supervisor(self, last: int) -> None:
        """All resizes up to that one; that it is not to do one is heard when it says what became of it."""
        for number, told in self.telling.items():
            if number <= last and not told.for_root and told.message["kind"] == "resize":
                told.heard = True

    def told_by_supervisor(self, ranks: int) -> int:
        """The command by which the job has so many ranks now, be it of its own accord; 0: there is none."""
        number, told = min(self.telling.items(), default=(0, None))
        if told is None or told.for_root or not told.heard or told.message.get("ranks") != ranks:
            return 0
        return number

    def drop_all_but(self, pending: Container[int]) -> list[int]:
        """Commands that are not pending any more; their numbers."""
        resizes = [number for number, told in self.telling.items() if told.message["kind"] == "resize"]
        ended = [number for number in resizes if number not in pending]
        for number in ended:
            del self.telling[number]
        return ended

    def due(self, now: float) -> dict[str, Any] | None:
        """What is to be said now. A later command waits until this one is heard: of one with a lower number
        than it knows the job takes no notice.
        """
        unheard = (each for each, told in self.telling.items() if told.for_root and not told.heard)
        number = min(unheard, default=None)
        if number is None or self.telling[number].next > now:
            return None
        self.telling[number].next = now + REPEAT_SECONDS
        return self.telling[number].message
