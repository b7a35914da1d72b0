# SPDX-License-Identifier: BSD-3-Clause
"""What is to be supervised."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.allocation import Allocation
from nereus.launch.command import Launch
from nereus.launch.hosts import Share


@dataclass(frozen=True)
class Supervision:
    """A job to be supervised: what runs, where its founders go, and whether newcomers may join."""

    launch: Launch
    founders: Sequence[Share]
    joins: bool
    #: The job's allocation, by its key and a folder of its own; None: hosts by a list.
    open_allocation: Callable[[str, Path], Allocation] | None = None

    @property
    def ranks(self) -> int:
        """Of all founders."""
        return sum(share.ranks for share in self.founders)
