# SPDX-License-Identifier: BSD-3-Clause
"""Counts of many trials, as a table or a document."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from chaos_plan import Role, Trial
from chaos_verdict import Answer, Observed, Verdict, judge
from rich.table import Table


@dataclass
class Counts:
    """The outcomes of the trials with one MPI."""

    trials: int = 0
    resizes: Counter[str] = field(default_factory=Counter)
    kills: Counter[str] = field(default_factory=Counter)
    #: Those of the kills at the entry of a call, by function.
    kills_at_calls: Counter[str] = field(default_factory=Counter)
    stops: Counter[str] = field(default_factory=Counter)
    #: Injections that found nobody, or whose call was never made.
    misses: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    def add(self, observed: Observed) -> None:
        """Count one trial."""
        self.trials += 1
        self.resizes.update(str(answer) for answer in observed.answers)
        for hit in observed.hits:
            found = self.misses if not hit.reached else self.kills if hit.kill else self.stops
            found[hit.role] += 1
            if hit.reached and hit.function:
                self.kills_at_calls[hit.function] += 1
        self.verdicts[judge(observed)] += 1
        self.seconds.append(observed.seconds)

    @property
    def document(self) -> dict[str, Any]:
        """For JSON: the median in place of each trial's seconds."""
        counted = {
            key: dict(value) if isinstance(value, Counter) else value for key, value in vars(self).items()
        }
        return counted | {"seconds": round(median(self.seconds), 2), "killed": self.kills.total()}


class Report:
    """All trials so far."""

    def __init__(self) -> None:
        """None yet."""
        self.counts: dict[str, Counts] = {}
        self.violations: list[dict[str, Any]] = []
        #: Shared memory that appeared meanwhile, of an owner that is not known: not judged, not removed.
        self.of_unknown: list[str] = []

    def add(self, trial: Trial, observed: Observed) -> None:
        """Note one trial."""
        self.counts.setdefault(trial.mpi, Counts()).add(observed)
        if judge(observed).is_violation:
            self.violations.append({"trial": trial.name, "verdict": judge(observed), **asdict(observed)})

    @property
    def kills(self) -> int:
        """Processes that were killed."""
        return sum(counts.kills.total() for counts in self.counts.values())

    @property
    def document(self) -> dict[str, Any]:
        """For --json and --output."""
        counts = {mpi: found.document for mpi, found in sorted(self.counts.items())}
        found = {"kills": self.kills, "counts": counts, "violations": self.violations}
        return found | {"shared_memory_of_unknown": self.of_unknown}

    def table(self) -> Table:
        """A column for each MPI."""
        table = Table("", *sorted(self.counts))
        found = [self.counts[mpi] for mpi in sorted(self.counts)]
        for name, values in _rows(found):
            table.add_row(name, *map(str, values))
        return table


def _rows(found: list[Counts]) -> Iterator[tuple[str, list[object]]]:
    yield "trials", [counts.trials for counts in found]
    yield "seconds of a trial, median", [f"{median(counts.seconds):.1f}" for counts in found]
    for answer in Answer:
        yield f"resizes {answer}", [counts.resizes[answer] for counts in found]
    yield "kills", [counts.kills.total() for counts in found]
    for role in Role:
        yield f"  of a {role}", [counts.kills[role] for counts in found]
    yield "  at the entry of a call", [counts.kills_at_calls.total() for counts in found]
    yield "stops", [counts.stops.total() for counts in found]
    for role in Role:
        yield f"missed: {role}", [counts.misses[role] for counts in found]
    for verdict in Verdict:
        yield verdict, [counts.verdicts[verdict] for counts in found]
