# SPDX-License-Identifier: BSD-3-Clause
"""Ways to resize under the names that the papers give them, as Merge-COLT."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from nereus.bench.combinations import Combination
from nereus.bench.transfer_ways import SHARED, TransferWay
from nereus.methods import by_column, transfer_conflict

_PROCESSES = by_column("process_methods", "paper")
_TRANSFERS = {**by_column("transfer_methods", "paper"), "SHM": SHARED}
_STRATEGIES = by_column("transfer_strategies", "paper")
_NAME = re.compile(f"({'|'.join(_PROCESSES)})-({'|'.join(_TRANSFERS)})({'|'.join(_STRATEGIES)})")
ALLOWED = (
    f"PROCESSES-TRANSFERSTRATEGY of {', '.join(_PROCESSES)}; {', '.join(_TRANSFERS)}; "
    f"{', '.join(_STRATEGIES)}; as Merge-COLT"
)
#: Martín-Álvarez et al. 2024, section 5.4.2, where Baseline is the one with an intra-communicator.
PAPERS = tuple(f"{p}-{t}{s}" for p in ("Baseline", "Merge") for t in ("P2P", "COL") for s in "SAT")


@dataclass(frozen=True)
class Variant:
    """One way to resize: its name and what it stands for."""

    name: str
    way: TransferWay

    @property
    def blocking(self) -> bool:
        """Whether the application waits for all of its data."""
        return self.way.strategy == "blocking"

    @property
    def blocking_name(self) -> str:
        """The variant of the same processes and transfer that alpha compares with."""
        match = _NAME.fullmatch(self.name)
        assert match is not None  # only names that are known become variants
        return f"{match[1]}-{match[2]}S"

    @property
    def memory(self) -> str:
        """Where arrays lie: methods can be told apart only where data is moved at all."""
        return "shared" if self.way.shared else "private"

    @property
    def transfer_method(self) -> str:
        """What carries the data that does move."""
        return "p2p" if self.way.shared else self.way.method

    def settings(self) -> dict[str, str]:
        """The library's settings, docs/reference/settings.md."""
        return {
            "NEREUS_PROCESS_METHOD": self.way.processes.method,
            "NEREUS_TRANSFER_METHOD": self.transfer_method,
            "NEREUS_TRANSFER_STRATEGY": self.way.strategy,
            "NEREUS_MEMORY": self.memory,
        }


def variant(name: str) -> Variant:
    """The variant of that name; ValueError says what is allowed."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(ALLOWED)
    process, transfer, strategy = _PROCESSES[match[1]], _TRANSFERS[match[2]], _STRATEGIES[match[3]]
    if conflict := transfer_conflict(process, transfer, strategy):
        raise ValueError(conflict)
    return Variant(name, TransferWay(Combination(process), transfer, strategy))


def common_memory(names: Iterable[str]) -> str | None:
    """Where arrays lie in all of these variants; None where they differ.

    Runs without a resize keep them there too: pages of shared memory are small, so that an application bound
    by memory is slower with them.
    """
    memories = {variant(name).memory for name in names}
    return memories.pop() if len(memories) == 1 else None
