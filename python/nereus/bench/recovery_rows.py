# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus bench recovery` finds: a row for each case."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nereus.bench.paired import Paired
from nereus.bench.process_rows import Spread
from nereus.bench.recovery_trials import HostLoss, Recovery, Round


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
    #: After a host was lost.
    noticed: Spread | None = None
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
            "noticed_seconds": self.noticed and self.noticed.median,
            "noticed_seconds_deviation": self.noticed and self.noticed.deviation,
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
    if not rounds:
        return []
    recoveries = [one.recovery for one in rounds]

    def row(case: str, seconds: list[float], plain: list[float]) -> RecoveryRow:
        of_plain = [of / it for of, it in zip(plain, seconds, strict=True)]
        return RecoveryRow(case, mpi, size, len(rounds), Spread.of(seconds), of_plain=Spread.of(of_plain))

    return [
        _row_of_recoveries("rank", mpi, size, recoveries),
        row("save", [one.save for one in rounds], [one.write for one in rounds]),
        row("resume", [one.resume for one in recoveries], [one.read for one in rounds]),
    ]


def rows_of_recoveries(case: str, mpi: str, size: int, recoveries: Sequence[Recovery]) -> list[RecoveryRow]:
    """Of this case; none where there was no recovery."""
    return [_row_of_recoveries(case, mpi, size, recoveries)] if recoveries else []


def rows_of_memory_recoveries(mpi: str, size: int, recoveries: Sequence[Recovery]) -> list[RecoveryRow]:
    """`memory` and `memory-resume`; none where there was no recovery."""
    if not recoveries:
        return []
    resume = Spread.of([one.resume for one in recoveries])
    return [
        _row_of_recoveries("memory", mpi, size, recoveries),
        RecoveryRow("memory-resume", mpi, size, len(recoveries), resume),
    ]


def rows_of_host_losses(case: str, mpi: str, size: int, losses: Sequence[HostLoss]) -> list[RecoveryRow]:
    """`host` or `buddy`; none where there was no loss."""
    if not losses:
        return []
    noticed = Spread.of([one.noticed for one in losses])
    return [replace(_row_of_recoveries(case, mpi, size, losses), noticed=noticed)]


def _row_of_recoveries(
    case: str, mpi: str, size: int, recoveries: Sequence[Recovery] | Sequence[HostLoss]
) -> RecoveryRow:
    lost = Spread.of([float(one.lost) for one in recoveries])
    seconds = Spread.of([one.seconds for one in recoveries])
    return RecoveryRow(
        case, mpi, size, len(recoveries), seconds, lost_iterations=None if lost is None else lost.median
    )


def rows_of_times(case: str, mpi: str, size: int, seconds: Sequence[float]) -> list[RecoveryRow]:
    """`restart` or `rerun`; none where there was no time."""
    return [RecoveryRow(case, mpi, size, len(seconds), Spread.of(seconds))] if seconds else []


def row_of_costs(case: str, mpi: str, program: str, costs: Paired) -> RecoveryRow:
    """`off` and `on`."""
    return RecoveryRow(
        case, mpi, None, len(costs.with_it), Spread.of(costs.with_it), program=program, costs=costs
    )
