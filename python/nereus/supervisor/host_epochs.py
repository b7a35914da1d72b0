# SPDX-License-Identifier: BSD-3-Clause
"""Epochs in memory of a job on several hosts: each host has its part, and a copy of that of another one.

A job's new processes find out between them which epoch is whole. We know the latest as its root tells it.
"""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nereus.epochs import Epoch, EpochOnHosts, chosen_epoch, newest_number
from nereus.launch.error import LaunchError
from nereus.launch.hosts import RemoteShell, is_here, short_name
from nereus.supervisor import messages
from nereus.supervisor.host_keepers import HostKeepers
from nereus.supervisor.memory_epochs import MemoryEpochs


class HostEpochs(MemoryEpochs):
    """Of a job and of all that continue it, until close()."""

    def __init__(self, shell: RemoteShell | None) -> None:
        """None yet; LaunchError where nothing can be kept in memory here. `shell`: how to get to hosts."""
        super().__init__()
        self._told: EpochOnHosts | None = None
        #: What hosts call themselves that have a part of it.
        self._having: frozenset[str] = frozenset()
        self._keepers = HostKeepers(self.folder, shell)

    @property
    def latest(self) -> EpochOnHosts | None:
        """Its root may have been killed before it told of the first one: then this host may have a part."""
        if self._told is not None or not self.has_any:
            return self._told
        found: Epoch = chosen_epoch(self._here)
        return EpochOnHosts(self.folder, found.number, found.iteration)

    @property
    def has_any(self) -> bool:
        return self._told is not None or newest_number(self._here) > 0

    def prepare(self, hosts: Sequence[str], stopped: Callable[[], bool]) -> Mapping[str, str]:
        try:
            self._here.mkdir(mode=0o700, exist_ok=True)
        except OSError as problem:
            raise LaunchError(f"{self._here}: cannot be made: {problem.strerror}") from None
        return self._keepers.keep([name for name in hosts if not is_here(name)], stopped)

    def look(self, say: Callable[[str], None]) -> None:
        for name in self._keepers.look():
            say(f"{name}: the command that keeps its epochs in memory has ended, and is started again")

    def processes_on(self, hosts: Sequence[str], of_ranks: Sequence[str]) -> dict[str, int]:
        """How many processes each of these hosts had, by its name; one at least where it has a part.

        `of_ranks`: what these call their host.
        """
        counts = Counter({name: 1 for name in self._having})
        counts |= Counter(short_name(name) for name in of_ranks)
        return {name: counts[short_name(self._own_name(name))] for name in hosts}

    def made(self, message: messages.Saved, of_ranks: Sequence[str]) -> None:
        self._told = EpochOnHosts(self.folder, message.epoch, message.iteration)
        self._having = frozenset(short_name(name) for name in of_ranks)

    def has(self, epoch: Path) -> bool:
        return epoch == self.folder

    def forget(self) -> None:
        """Nobody can continue from them any more."""
        self._keepers.close()
        super().forget()
        self._told, self._having = None, frozenset()

    def close(self) -> None:
        """They are gone, on all hosts."""
        try:
            self._keepers.close()
        finally:
            super().close()

    @property
    def _here(self) -> Path:
        return self.folder / os.uname().nodename

    def _own_name(self, host: str) -> str:
        return os.uname().nodename if is_here(host) else self._keepers.own_names.get(host, host)
