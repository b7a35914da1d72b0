# SPDX-License-Identifier: BSD-3-Clause
"""Counts of many trials, as a table or a document."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from chaos_plan import Trial
from chaos_verdict import Observed, Verdict, judge
from rich.table import Table


@dataclass
class Counts:
    """What came of the trials with one MPI."""

    trials: int = 0
    resizes: int = 0
    kills: int = 0
    kills_at_calls: int = 0
    stops: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    def add(self, observed: Observed) -> None:
        """Count one trial."""
        self.trials += 1
        self.resizes += len(observed.answers)
        self.kills += observed.kills + observed.kills_at_calls
        self.kills_at_calls += observed.kills_at_calls
        self.stops += observed.stops
        self.verdicts[judge(observed)] += 1


class Report:
    """All trials so far."""

    def __init__(self) -> None:
        """None yet."""
        self.counts: dict[str, Counts] = {}
        self.faults: list[dict[str, Any]] = []

    def add(self, trial: Trial, observed: Observed) -> None:
        """Note one trial."""
        self.counts.setdefault(trial.mpi, Counts()).add(observed)
        if judge(observed).is_fault:
            self.faults.append({"trial": trial.name, "verdict": judge(observed), **asdict(observed)})

    @property
    def kills(self) -> int:
        """Processes that were killed."""
        return sum(counts.kills for counts in self.counts.values())

    def document(self) -> dict[str, Any]:
        """For --json."""
        counts = {mpi: asdict(found) for mpi, found in self.counts.items()}
        return {"counts": counts, "faults": self.faults}

    def table(self) -> Table:
        """A column for each MPI."""
        table = Table("", *sorted(self.counts))
        found = [self.counts[mpi] for mpi in sorted(self.counts)]
        for name in ("trials", "resizes", "kills", "kills_at_calls", "stops"):
            table.add_row(name.replace("_", " "), *(str(getattr(counts, name)) for counts in found))
        for verdict in Verdict:
            table.add_row(verdict, *(str(counts.verdicts[verdict]) for counts in found))
        return table
