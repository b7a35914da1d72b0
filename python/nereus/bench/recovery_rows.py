# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus bench recovery` finds: a row for each case."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nereus.bench.paired import Paired
from nereus.bench.process_rows import Spread
from nereus.bench.recovery_trials import MemoryRound, Round


@dataclass(frozen=True)
class RecoveryRow:
    """Medians, with the median distance from them."""

    case: str
    mpi: str
    #: Of the job's data, or of nothing where it is that of a program.
    bytes: int | None
    repeats: int
    seconds: Spread | None
    #: Iterations that were done again.
    lost_iterations: float | None = None
    #: Plain files' seconds over these, round by round: 1 is as fast as they are.
    of_plain: Spread | None = None
    program: str = ""
    costs: Paired | None = None

    @property
    def cost_percent(self) -> float | None:
        """Of the program's time."""
        return None if self.costs is None else self.costs.overhead_percent

    def document(self) -> dict[str, Any]:
        """As --json shows it."""
        low, high = (None, None) if self.costs is None else self.costs.interval_percent or (None, None)
        return {
            "case": self.case,
            "mpi": self.mpi,
            "program": self.program,
            "bytes": self.bytes,
            "seconds": self.seconds and self.seconds.median,
            "seconds_deviation": self.seconds and self.seconds.deviation,
            "lost_iterations": self.lost_iterations,
            "of_plain": self.of_plain and self.of_plain.median,
            "of_plain_deviation": self.of_plain and self.of_plain.deviation,
            "cost_percent": self.cost_percent,
            "cost_low_percent": low,
            "cost_high_percent": high,
            "repeats": self.repeats,
        }


def rows_of_rounds(mpi: str, size: int, rounds: Sequence[Round]) -> list[RecoveryRow]:
    """`rank`, `save` and `resume`; none where there was no round."""
    lost = Spread.of([float(one.lost) for one in rounds])
    if lost is None:
        return []

    def row(
        case: str, of_one: Callable[[Round], float], plain: Callable[[Round], float] | None
    ) -> RecoveryRow:
        of_plain = Spread.of([plain(one) / of_one(one) for one in rounds]) if plain is not None else None
        return RecoveryRow(
            case, mpi, size, len(rounds), Spread.of([of_one(one) for one in rounds]), of_plain=of_plain
        )

    return [
        replace(row("rank", lambda one: one.recovery, None), lost_iterations=lost.median),
        row("save", lambda one: one.save, lambda one: one.write),
        row("resume", lambda one: one.resume, lambda one: one.read),
    ]


def rows_of_memory_rounds(mpi: str, size: int, rounds: Sequence[MemoryRound]) -> list[RecoveryRow]:
    """`memory` and `memory-resume`; none where there was no round."""
    lost = Spread.of([float(one.lost) for one in rounds])
    if lost is None:
        return []
    seconds, resume = (
        Spread.of([one.recovery for one in rounds]),
        Spread.of([one.resume for one in rounds]),
    )
    return [
        RecoveryRow("memory", mpi, size, len(rounds), seconds, lost_iterations=lost.median),
        RecoveryRow("memory-resume", mpi, size, len(rounds), resume),
    ]


def row_of_restarts(mpi: str, size: int, seconds: Sequence[float]) -> list[RecoveryRow]:
    """None where there was no restart."""
    return [RecoveryRow("restart", mpi, size, len(seconds), Spread.of(seconds))] if seconds else []


def row_of_costs(case: str, mpi: str, program: str, costs: Paired) -> RecoveryRow:
    """`off` and `on`."""
    return RecoveryRow(
        case, mpi, None, len(costs.with_it), Spread.of(costs.with_it), program=program, costs=costs
    )
