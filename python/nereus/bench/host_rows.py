# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus bench allocation` finds: medians over the cycles of one job."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nereus.bench.host_cycles import HostCycle
from nereus.bench.process_rows import Spread

#: The figures of a row, and the fields of a cycle that they are the medians of.
FIGURES = {
    "usable_seconds": "usable",
    "idle_seconds": "idle",
    "pause_seconds": "pause_growing",
    "shrink_pause_seconds": "pause_shrinking",
    "one_host_pause_seconds": "one_host_pause_growing",
    "one_host_shrink_pause_seconds": "one_host_pause_shrinking",
}


@dataclass(frozen=True)
class HostRow:
    """`adapter`: the resource manager's; `growth`: the way in which it gives more hosts."""

    adapter: str
    growth: str
    mpi: str
    nodes: int
    cycles: Sequence[HostCycle]
    left_behind: Sequence[str]

    @property
    def figures(self) -> dict[str, Spread | None]:
        """None where there is no cycle."""
        return {name: self._spread(field) for name, field in FIGURES.items()}

    def document(self) -> dict[str, Any]:
        """As --json shows it."""
        about = {"adapter": self.adapter, "growth": self.growth, "mpi": self.mpi, "nodes": self.nodes}
        medians = {name: spread and spread.median for name, spread in self.figures.items()}
        deviations = {
            f"{name}_deviation": spread and spread.deviation for name, spread in self.figures.items()
        }
        left = {"left_behind": list(self.left_behind)}
        return {**about, "cycles": len(self.cycles), **medians, **deviations, **left}

    def _spread(self, field: str) -> Spread | None:
        return Spread.of([getattr(cycle, field) for cycle in self.cycles])
