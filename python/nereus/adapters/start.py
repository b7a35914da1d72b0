# SPDX-License-Identifier: BSD-3-Clause
"""How the program of an adapted job is started, on any number of ranks."""

import shlex
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.adapters.adapter import Adapter
from nereus.launch import Build, Launch, Share, place
from nereus.launch.command import CONTROLLER, Command
from nereus.runs import Where
from nereus.supervisor import Supervision


@dataclass(frozen=True)
class Start:
    adapter: Adapter
    #: Of the adapter.
    file: Path
    where: Where
    build: Build
    program: Path
    arguments: tuple[str, ...]
    #: Ranks that the job may have.
    most: int

    def shares(self, ranks: int) -> Sequence[Share]:
        """LaunchError where its hosts have too few slots."""
        return place(self.where.hosts, ranks, self.where.spread, self.where.oversubscribe)

    def hosts(self, ranks: int) -> Sequence[str]:
        """Of each rank."""
        return [
            share.host or socket.gethostname() for share in self.shares(ranks) for _ in range(share.ranks)
        ]

    def command(self, ranks: int, restarts: bool) -> Command:
        """`restarts`: the program goes on from what was saved."""
        more = tuple(self.adapter.restart.arguments) if restarts else ()
        return self._launch(more).command(self.shares(ranks))

    def supervision(self, ranks: int) -> Supervision:
        return Supervision(self._launch(()), self.shares(ranks), joins=False, manager=self.where.manager)

    def continued(self, ranks: int, program: str) -> str:
        """A command that goes on from what was saved."""
        own = ["nereus", "run", "--adapter", str(self.file), "-n", str(ranks), "--", program]
        return shlex.join([*own, *self.arguments, *self.adapter.restart.arguments])

    def _launch(self, more: tuple[str, ...]) -> Launch:
        # A program with Nereus in it is no job of its own here.
        own, words = {CONTROLLER: ""}, (*self.arguments, *more)
        return Launch(self.build, self.program, words, self.where.reach, own, recorded=True)
