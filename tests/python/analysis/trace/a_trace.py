# SPDX-License-Identifier: BSD-3-Clause
"""Traces as processes leave them, made by hand."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from nereus.analysis.trace.file import EVENT, EVENTS_AT, HEAD, MAGIC, NAME_BYTES, NAMES_AT, NO_PEER

BOOT = "8c5f4f5e-boot"


@dataclass
class AProcess:
    """One process; times are ns since its trace began."""

    world: str = "aaaa"
    rank: int = 0
    ranks: int = 1
    host: str = "h"
    boot: str = BOOT
    begun: int = 10**12
    begun_unix: float = 1.7e9
    clock_offset: int = 0
    clock_error: int = 0
    at_end: tuple[int, int, int] = (0, 0, 0)  # offset and error at the end, and when: 0: not measured
    is_ended: bool = True
    recorded: int | None = None  # with those that were overwritten
    most: int | None = None  # of the ring; None: it is full
    names: list[str] = field(default_factory=list)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)  # of the record

    def add(
        self,
        name: str,
        begin: int,
        end: int | None = None,
        size: int = 0,
        peer: int = NO_PEER,
        tag: int = 0,
        group: int = 1,
        number: int = 0,
        thread: int = 0,
    ) -> "AProcess":
        """One event; without an end it takes no time."""
        if name not in self.names:
            self.names.append(name)
        what = (self.names.index(name) + 1) << 54 | thread << 48 | (begin if end is None else end) - begin
        self.rows.append((what, begin, size, group, peer, tag, number))
        return self

    def sends(self, begin: int, peer: int, size: int = 8, tag: int = 0, end: int | None = None) -> "AProcess":
        """A blocking one."""
        return self.add("Send", begin, begin + 10 if end is None else end, size, peer, tag)

    def receives(
        self, begin: int, end: int, peer: int, size: int, tag: int = 0, number: int = 1
    ) -> "AProcess":
        """A blocking one, and what came."""
        self.add("Recv", begin, end, 100, peer, tag)
        return self.add("received", end, None, size, peer, tag, number=number)

    def content(self) -> bytes:
        """Of its file."""
        head = np.zeros(1, dtype=HEAD)
        head["magic"] = MAGIC
        for name in ("rank", "ranks", "begun", "begun_unix", "clock_offset", "clock_error", "is_ended"):
            head[name] = getattr(self, name)
        for name in ("world", "host", "boot"):
            head[name] = getattr(self, name).encode()
        head["room"] = max(1, len(self.rows))
        head["most"] = head["room"] if self.most is None else self.most
        for name, value in zip(
            ("clock_offset_at_end", "clock_error_at_end", "compared_at_end"), self.at_end, strict=True
        ):
            head[name] = value
        head["recorded"] = len(self.rows) if self.recorded is None else self.recorded
        head["process"] = 100 + self.rank
        names = b"".join(name.encode().ljust(NAME_BYTES, b"\0") for name in self.names)
        rows = np.array(self.rows, dtype=EVENT)
        begin = head.tobytes().ljust(NAMES_AT, b"\0") + names
        return begin.ljust(EVENTS_AT, b"\0") + rows.tobytes()


def communicator(number: int, own_rank: int, ranks: int, name: str = "MPI_COMM_WORLD") -> dict[str, Any]:
    """Of all processes of the world."""
    return {
        "event": "communicator",
        "communicator": number,
        "name": name,
        "own_rank": own_rank,
        "two_sides": False,
        "members": [[0, 0, ranks, 1]],
    }


def generation(
    number: int, own_rank: int, members: Sequence[Sequence[int]], job: str = "j"
) -> dict[str, Any]:
    """`members`: runs of world, first rank, number, step."""
    return {
        "event": "generation",
        "generation": number,
        "job": job,
        "own_rank": own_rank,
        "members": [list(run) for run in members],
    }


def write(folder: Path, processes: Sequence[AProcess]) -> Path:
    """The folder that `nereus trace` would leave; it has each communicator of the world as number 1."""
    folder.mkdir(exist_ok=True)
    lines: list[dict[str, Any]] = [{"event": "header", "format": "nereus-monitor", "version": 1, "run": "r"}]
    for process in processes:
        lines.append(
            {
                "event": "process",
                "world": process.world,
                "rank": process.rank,
                "ranks": process.ranks,
                "host": process.host,
                "process": 100 + process.rank,
                "end": "finalized",
                "lost_messages": 0,
            }
        )
        lines.append(communicator(1, process.rank, process.ranks))
        lines += process.lines
        name = f"{process.world}-{process.rank}.trace"
        (folder / name).write_bytes(process.content())
    lines.append({"event": "ended", "exit_code": 0})
    (folder / "record.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def two(**more: Any) -> list[AProcess]:
    """Processes of one world."""
    return [AProcess(rank=rank, ranks=2, **more) for rank in range(2)]
