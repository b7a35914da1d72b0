# SPDX-License-Identifier: BSD-3-Clause
"""What processes send just now: from what they recorded at two moments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nereus.monitor import events

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
    """What one process sent until a moment: messages and bytes of each column, bytes to each rank."""

    facts: events.Process
    messages: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COLUMNS, 0))
    bytes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COLUMNS, 0))
    peers: dict[int, int] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int]:
        return self.facts.world, self.facts.rank

    def add(self, moved: events.Moved) -> None:
        """What is sent to a whole communicator counts once: a rate of calls."""
        column = GROUPS.get(moved.kind)
        if column is None:
            return
        if not moved.to:
            self.messages[column] += moved.messages
            self.bytes[column] += moved.bytes
        for rank, messages, size, _ in moved.to:
            self.messages[column] += messages
            self.bytes[column] += size
            if not moved.to_world:
                self.peers[rank] = self.peers.get(rank, 0) + size


def sums(lines: Iterable[bytes]) -> dict[tuple[str, int], Sums]:
    """Of the lines that `nereus-parts --totals` prints."""
    found: dict[tuple[str, int], Sums] = {}
    process: Sums | None = None
    for line in lines:
        if line.startswith(b'{"event":"process"'):
            process = Sums(events.Process.model_validate_json(line))
            found[process.key] = process
        elif process is not None and line.startswith(b'{"event":"moved"'):
            process.add(events.Moved.model_validate_json(line))
    return found


@dataclass(frozen=True)
class Rates:
    """Of one process, per second; `peer`: the rank that it sent most bytes to, if any."""

    world: str
    rank: int
    host: str
    messages: Mapping[str, float]
    bytes: Mapping[str, float]
    peer: int | None

    def document(self) -> dict[str, Any]:
        """As `nereus top --json` has it."""
        columns = {
            name: {"messages_per_second": self.messages[name], "bytes_per_second": self.bytes[name]}
            for name in COLUMNS
        }
        return {"world": self.world, "rank": self.rank, "host": self.host, "peer": self.peer, **columns}


def rates(
    before: Mapping[tuple[str, int], Sums], now: Mapping[tuple[str, int], Sums], seconds: float
) -> list[Rates]:
    """Of the processes that are there now; one that was not there before began with nothing."""
    return [_rates(before.get(key), process, seconds) for key, process in sorted(now.items())]


def _rates(before: Sums | None, now: Sums, seconds: float) -> Rates:
    was = before or Sums(now.facts)
    sent = {rank: size - was.peers.get(rank, 0) for rank, size in now.peers.items()}
    most = max(sent, key=lambda rank: sent[rank], default=None)
    return Rates(
        *now.key,
        now.facts.host,
        {name: (now.messages[name] - was.messages[name]) / seconds for name in COLUMNS},
        {name: (now.bytes[name] - was.bytes[name]) / seconds for name in COLUMNS},
        most if most is not None and sent[most] > 0 else None,
    )
