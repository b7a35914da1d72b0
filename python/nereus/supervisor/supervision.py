# SPDX-License-Identifier: BSD-3-Clause
"""What is to be supervised."""

from collections.abc import Sequence
from dataclasses import dataclass

from nereus.allocation import ResourceManager
from nereus.launch.command import Launch
from nereus.launch.hosts import Share
from nereus.supervisor.memory_epochs import MemoryEpochs


@dataclass(frozen=True)
class Supervision:
    """A job to be supervised: what runs, where its founders go, and whether newcomers may join."""

    launch: Launch
    founders: Sequence[Share]
    joins: bool
    #: Who gives it hosts; None: it has them by a list.
    manager: ResourceManager | None = None
    #: From which it continues where it fails; None: none are kept.
    memory_epochs: MemoryEpochs | None = None

    @property
    def ranks(self) -> int:
        """Of all founders."""
        return sum(share.ranks for share in self.founders)

    @property
    def is_asked_from_elsewhere(self) -> bool:
        """Whether its user may be on another host: it has several, or somebody else chose the one it has."""
        managed = self.manager is not None and self.manager.job != ""
        return self.launch.recorded and (self.launch.reach.far or managed)
