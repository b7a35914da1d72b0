# SPDX-License-Identifier: BSD-3-Clause
"""The ways to move data that a resize may be asked for: processes, method and strategy."""

from collections.abc import Sequence
from dataclasses import dataclass

from nereus.bench.combinations import Combination
from nereus.methods import TRANSFER_METHODS, transfer_conflict

#: Not a method of its own: arrays lie in the shared memory of each host; p2p carries what crosses hosts.
SHARED = "shm"
METHODS = (*TRANSFER_METHODS, SHARED)
BLOCKING = "blocking"


@dataclass(frozen=True)
class TransferWay:
    """How processes come about, which calls carry the data, and who waits for them."""

    processes: Combination
    method: str
    strategy: str

    @property
    def text(self) -> str:
        """As nereus-transfers takes it: "merge:auto:col:wait-drains"."""
        return f"{self.processes.text}:{self.method}:{self.strategy}"

    @property
    def shared(self) -> bool:
        """Whether it needs a job of its own, whose arrays lie in shared memory from the start."""
        return self.method == SHARED

    @property
    def exists(self) -> bool:
        """Whether a resize can be asked for it, with some way to make processes."""
        return transfer_conflict(None, self.method, self.strategy) is None


def transfer_ways(
    processes: Sequence[Combination], methods: Sequence[str], strategies: Sequence[str]
) -> list[TransferWay]:
    """Each with each of the others, where there is such a way; every way once."""
    crossed = [TransferWay(p, m, s) for p in processes for m in methods for s in strategies]
    return list(dict.fromkeys(way for way in crossed if way.exists))
