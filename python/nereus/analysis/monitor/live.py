# SPDX-License-Identifier: BSD-3-Clause
"""What processes send just now: from what they recorded at two moments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nereus.analysis.monitor import events
from nereus.analysis.monitor.identities import Peer, expanded

# What `nereus top` has columns for.
GROUPS = {
    "point_to_point": "point_to_point",
    "collective": "collective",
    "put": "one_sided",
    "get": "one_sided",
    "read": "files",
    "write": "files",
}
COLUMNS = ("point_to_point", "collective", "one_sided", "files")


@dataclass
class Sums:
    """What one process sent until a moment: messages and bytes of each column, bytes to each peer."""

    facts: events.Process
    job: str = ""  # as `nereus run` calls it, where that started the process
    generation: events.Generation | None = None  # the latest of its job, if it belongs to one
    messages: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COLUMNS, 0))
    bytes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COLUMNS, 0))
    peers: dict[Peer, int] = field(default_factory=dict)
    moved: list[events.Moved] = field(default_factory=list)  # what all this is made of

    @property
    def key(self) -> tuple[str, int]:
        return self.facts.world, self.facts.rank

    def add(self, moved: events.Moved) -> None:
        """What is sent to a whole communicator counts once: a rate of calls."""
        self.moved.append(moved)
        column = GROUPS.get(moved.kind)
        if column is None:
            return
        if not moved.to:
            self.messages[column] += moved.messages
            self.bytes[column] += moved.bytes
        for rank, messages, size, _ in moved.to:
            self.messages[column] += messages
            self.bytes[column] += size
            peer = (moved.to_world, rank)
            self.peers[peer] = self.peers.get(peer, 0) + size

    def rank_of(self, peer: Peer) -> int | None:
        """As the table numbers it: in the job, else in the own world; None where it has no such number."""
        if self.generation is not None:
            members = expanded(self.generation.members)
            return members.index(peer) if peer in members else None
        return None if peer[0] else peer[1]


def sums(lines: Iterable[bytes]) -> dict[tuple[str, int], Sums]:
    """Of the lines that `nereus-parts --totals` prints."""
    found: dict[tuple[str, int], Sums] = {}
    process: Sums | None = None
    for line in lines:
        if line.startswith(b'{"event":"process"'):
            process = Sums(events.Process.model_validate_json(line))
            found[process.key] = process
        elif process is not None and line.startswith(b'{"event":"supervised"'):
            process.job = events.Supervised.model_validate_json(line).job
        elif process is not None and line.startswith(b'{"event":"generation"'):
            process.generation = events.Generation.model_validate_json(line)
        elif process is not None and line.startswith(b'{"event":"moved"'):
            process.add(events.Moved.model_validate_json(line))
    return found


def latest_of_job(found: Mapping[tuple[str, int], Sums], job: str) -> dict[tuple[str, int], Sums]:
    """The processes of the latest generation of the job that `nereus run` calls so.

    All of them, where none tells a generation.
    """
    same = {one.generation.job for one in found.values() if one.generation and one.job == job}
    ours = {
        key: one.generation for key, one in found.items() if one.generation and one.generation.job in same
    }
    if not ours:
        return {key: one for key, one in found.items() if one.job == job}
    latest = max(generation.generation for generation in ours.values())
    return {key: found[key] for key, generation in ours.items() if generation.generation == latest}


@dataclass(frozen=True)
class Rates:
    """Of one process, per second.

    `rank`: in its world; `generation`, `job_rank`: None where it is of no malleable job; `peer`: the rank, in
    the job if there is one, that it sent most bytes to, if any.
    """

    world: str
    rank: int
    host: str
    generation: int | None
    job_rank: int | None
    messages: Mapping[str, float]
    bytes: Mapping[str, float]
    peer: int | None

    def document(self) -> dict[str, Any]:
        """As `nereus top --json` has it."""
        columns = {
            name: {"messages_per_second": self.messages[name], "bytes_per_second": self.bytes[name]}
            for name in COLUMNS
        }
        names = ("world", "rank", "host", "generation", "job_rank", "peer")
        return {**{name: getattr(self, name) for name in names}, **columns}


def rates(
    before: Mapping[tuple[str, int], Sums], now: Mapping[tuple[str, int], Sums], seconds: float
) -> list[Rates]:
    """Of the processes that are there now, by rank; one that was not there before began with nothing."""
    made = [_rates(before.get(key), process, seconds) for key, process in sorted(now.items())]
    return sorted(made, key=lambda one: one.rank if one.job_rank is None else one.job_rank)


def _rates(before: Sums | None, now: Sums, seconds: float) -> Rates:
    was = before or Sums(now.facts)
    sent = {peer: size - was.peers.get(peer, 0) for peer, size in now.peers.items()}
    most = max(sent, key=lambda peer: sent[peer], default=None)
    told = now.generation
    return Rates(
        *now.key,
        now.facts.host,
        told.generation if told else None,
        told.own_rank if told else None,
        {name: (now.messages[name] - was.messages[name]) / seconds for name in COLUMNS},
        {name: (now.bytes[name] - was.bytes[name]) / seconds for name in COLUMNS},
        now.rank_of(most) if most is not None and sent[most] > 0 else None,
    )
