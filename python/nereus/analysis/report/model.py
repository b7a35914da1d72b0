# SPDX-License-Identifier: BSD-3-Clause
"""What a run did: generations with their iterations, resizes, resizes that were rolled back."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from nereus import UserError
from nereus.analysis.report.energy import Energy
from nereus.analysis.report.epoch_costs import EpochCosts
from nereus.analysis.report.events import Committed, Finished, Header, ResizeUndone
from nereus.analysis.report.recoveries import Recovery, lost_calibration


class ResultError(UserError):
    """A result file that cannot be read: "FILE:LINE: what was found and what is allowed"."""


@dataclass(frozen=True)
class Iteration:
    """One iteration.

    `background`: a resize was under way; `moving`: constant data moved meanwhile; `sampled`: known from rank
    0's progress only, as the run died before its group ended.
    """

    index: int
    phase: int
    start: float
    seconds: float
    stage_seconds: Sequence[float]
    background: bool
    sampled: bool = False
    moving: bool = False
    #: It had been done before a failure, after the epoch that the run continued from.
    repeated: bool = False

    @property
    def end(self) -> float:
        return self.start + self.seconds


@dataclass
class Generation:
    """The life of one group at one size."""

    group: int
    ranks: int
    started: float
    calibrated: bool = False
    iterations: list[Iteration] = field(default_factory=list)
    # More than len(iterations) when the last of them are known from samples.
    done: int = 0
    # Of these, done before in another generation.
    repeated: int = 0

    @property
    def main_phase(self) -> int | None:
        """The phase that had most of the iterations; the earlier one of equals."""
        counts = Counter(i.phase for i in self.iterations if not i.sampled)
        return min(counts, key=lambda phase: (-counts[phase], phase)) if counts else None

    @property
    def stage_columns(self) -> list[list[float]]:
        """For each stage of the main phase: its seconds in every iteration."""
        main = self.main_phase
        rows = [i.stage_seconds for i in self.iterations if i.phase == main and not i.sampled]
        return [list(column) for column in zip(*rows, strict=False)]

    @property
    def background(self) -> int:
        return sum(i.background for i in self.iterations)

    def document(self) -> dict[str, Any]:
        return {
            "ranks": self.ranks,
            "iterations": self.done,
            "repeated_iterations": self.repeated,
            "iteration_seconds": spread([i.seconds for i in self.iterations]),
            "stage_seconds": [spread(column) for column in self.stage_columns],
            "background_iterations": self.background,
        }


@dataclass(frozen=True)
class Resize:
    """A committed resize; times in seconds, None when the file does not tell them."""

    event: Committed
    process_seconds: float | None
    constant_seconds: float | None
    # Made while constant data moved.
    background_iterations: int
    # The one that the resize led to; None when the run died before it began.
    group: int | None
    # When the application stopped iterating.
    paused_at: float

    @property
    def background_seconds(self) -> float | None:
        """Time in which constant data moved while the application went on."""
        return 0.0 if self.event.transfer_strategy == "blocking" else self.constant_seconds

    def document(self) -> dict[str, Any]:
        event = self.event
        return {
            "from": event.from_,
            "to": event.to,
            "process_method": event.process_method,
            "process_strategies": list(event.process_strategies),
            "transfer_method": event.transfer_method,
            "transfer_strategy": event.transfer_strategy,
            "process_seconds": self.process_seconds,
            "constant_seconds": self.constant_seconds,
            "background_seconds": self.background_seconds,
            "background_iterations": self.background_iterations,
            "variable_seconds": event.variable_seconds,
            "predicted_seconds": event.predicted_seconds,
            "pause_seconds": event.pause_seconds,
            "bytes_moved": event.bytes_moved,
            "bytes_minimum": event.bytes_minimum,
            "shared_bytes": event.shared_bytes,
            "usual_between_hosts": event.usual_between_hosts,
            "between_hosts": event.between_hosts,
            "placed": event.placed,
            "verified": event.verified,
        }


@dataclass(frozen=True)
class Results:
    """All that a result file tells."""

    path: Path
    header: Header
    generations: list[Generation]
    resizes: list[Resize]
    undone: list[ResizeUndone]
    end: Finished | None
    energy: Energy | None = None
    recoveries: Sequence[Recovery] = ()
    epoch_costs: EpochCosts | None = None

    @property
    def finished(self) -> bool:
        """Whether the run came to its own end."""
        return self.end is not None

    @property
    def total_seconds(self) -> float | None:
        """Without calibration, also that of work that was lost; None for an unfinished run."""
        return self.end.total_seconds - lost_calibration(self.recoveries) if self.end else None

    @property
    def epoch_share(self) -> float | None:
        """Of the total, what epochs took."""
        if self.epoch_costs is None or not self.total_seconds:
            return None
        return self.epoch_costs.seconds / self.total_seconds

    def document(self) -> dict[str, Any]:
        """The JSON document of `nereus emulate --json`."""
        return {
            "generations": [g.document() for g in self.generations],
            "resizes": [r.document() for r in self.resizes],
            "undone": [
                {"from": u.from_, "to": u.to, "state": u.state, "reason": u.reason} for u in self.undone
            ],
            "failures": [recovery.document() for recovery in self.recoveries],
            "protection": self._protection(),
            "total_seconds": self.total_seconds,
            "mpi": self.header.mpi,
            "nereus_version": self.header.nereus_version,
            "finished": self.finished,
            "data_intact": self.end.data_intact if self.end else None,
            "energy": self.energy.model_dump() if self.energy else None,
        }

    def _protection(self) -> dict[str, Any] | None:
        protection, costs = self.header.run.protection, self.epoch_costs
        if protection is None:
            return None
        return {
            **protection.model_dump(),
            "epochs": len(costs.epochs) if costs else None,
            "epochs_not_made": costs.failed if costs else None,
            "epoch_seconds": costs.seconds if costs else None,
            "epoch_share": self.epoch_share,
        }


def spread(values: Sequence[float]) -> dict[str, float | None]:
    """Median, least and greatest; None for each of no values."""
    if not values:
        return {"median": None, "min": None, "max": None}
    return {"median": median(values), "min": min(values), "max": max(values)}
