# SPDX-License-Identifier: BSD-3-Clause
"""A recorded run: its worlds, their processes, and what each of these told."""

from dataclasses import dataclass, field
from pathlib import Path

from nereus import UserError
from nereus.analysis.monitor import events


class RecordingError(UserError):
    """A file of the monitor that cannot be read: "FILE:LINE: what was found and what is allowed"."""


@dataclass
class File:
    """A file that one process had open through MPI."""

    opened: events.FileOpened
    closed: events.FileClosed | None = None


@dataclass
class Process:
    """What one process recorded."""

    facts: events.Process
    moved: list[events.Moved] = field(default_factory=list)
    windows: list[events.Window] = field(default_factory=list)
    communicators: dict[int, events.Communicator] = field(default_factory=dict)
    files: dict[int, File] = field(default_factory=dict)
    generations: list[events.Generation] = field(default_factory=list)
    meetings: list[events.Met] = field(default_factory=list)
    phases: dict[int, str] = field(default_factory=dict)  # names by number
    supervised: events.Supervised | None = None  # as a process of a job of `nereus run`


@dataclass
class World:
    """One MPI_COMM_WORLD. `facts` is None where the process that tells them left nothing."""

    name: str
    ranks: int
    facts: events.World | None = None
    decomposed: str | None = None  # what saw the messages that collectives are made of
    processes: dict[int, Process] = field(default_factory=dict)

    @property
    def missing(self) -> list[int]:
        """Ranks of which nothing is there."""
        return [rank for rank in range(self.ranks) if rank not in self.processes]


@dataclass
class Recording:
    """All of one file. `broken_off` says where and how reading ended early."""

    path: Path
    header: events.Header
    worlds: list[World]
    unseen: list[tuple[str, str]]
    ended: events.Ended | None
    broken_off: str | None

    @property
    def processes(self) -> list[tuple[World, Process]]:
        return [(world, process) for world in self.worlds for _, process in sorted(world.processes.items())]
