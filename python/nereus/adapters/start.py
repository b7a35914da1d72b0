# SPDX-License-Identifier: BSD-3-Clause
"""How the program of an adapted job is started, on any number of ranks."""

import shlex
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nereus.adapters.adapter import Adapter
from nereus.launch import Build, Launch, Share, host_list, place
from nereus.launch.command import CONTROLLER, Command
from nereus.launch.hosts import is_here
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
        shares = self.shares(ranks)
        return [share.host or socket.gethostname() for share in shares for _ in range(share.ranks)]

    def ranks_here(self, ranks: int) -> int:
        """How many of them are on this host."""
        return sum(is_here(host) for host in self.hosts(ranks))

    def command(self, ranks: int, restarts: bool) -> Command:
        """`restarts`: the program goes on from what was saved. It gets no input, which it could read once."""
        words = self._to_go_on if restarts else self.arguments
        return replace(self._launch(words).command(self.shares(ranks)), reads_input=False)

    def supervision(self, ranks: int) -> Supervision:
        launch = self._launch(self.arguments)
        return Supervision(launch, self.shares(ranks), joins=False, manager=self.where.manager)

    def continued(self, ranks: int, program: str) -> str:
        """A command that goes on from what was saved."""
        own = ["nereus", "run", "--adapter", str(self.file), "--mpi", self.build.name, "-n", str(ranks)]
        if self.where.hosts and not self.where.manager.job:
            own += ["--hosts", host_list(self.where.hosts)]
        return shlex.join([*own, "--", program, *self._to_go_on])

    @property
    def _to_go_on(self) -> tuple[str, ...]:
        """Arguments that the user gave already, as for a job that continues one, are not given twice."""
        more, given = tuple(self.adapter.restart.arguments), self.arguments
        begins = range(len(given) - len(more) + 1)
        return given if any(given[at : at + len(more)] == more for at in begins) else (*given, *more)

    def _launch(self, words: tuple[str, ...]) -> Launch:
        # A program with Nereus in it is no job of its own here.
        own = {CONTROLLER: ""}
        return Launch(self.build, self.program, words, self.where.reach, own, recorded=True)
