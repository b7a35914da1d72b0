# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus bench processes` finds: a row of medians for each MPI, method and strategies."""

import csv
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nereus.bench.combinations import Combination
from nereus.bench.process_trials import SECONDS, Sizes, Trial


@dataclass(frozen=True)
class Spread:
    """The middle of some times, and the median distance from it."""

    median: float
    deviation: float

    @staticmethod
    def of(times: Sequence[float]) -> "Spread | None":
        """None when there are no times."""
        if not times:
            return None
        median = statistics.median(times)
        return Spread(median, statistics.median(abs(time - median) for time in times))


@dataclass(frozen=True)
class Row:
    """All trials of one way with one MPI."""

    mpi: str
    sizes: Sizes
    combination: Combination
    trials: int
    failed: int
    reason: str
    seconds: Mapping[str, Spread | None]

    @property
    def works(self) -> bool:
        """Whether at least one trial did."""
        return self.trials > self.failed

    @property
    def seconds_per_process(self) -> float | None:
        """To make and connect, for each process that was made or woken."""
        make, connect = self.seconds["make_seconds"], self.seconds["connect_seconds"]
        if make is None or connect is None:
            return None
        return (make.median + connect.median) / self.combination.made(self.sizes.before, self.sizes.after)

    def document(self) -> dict[str, Any]:
        """As --json shows it."""
        medians = {key: spread and spread.median for key, spread in self.seconds.items()}
        deviations = {f"{key}_deviation": spread and spread.deviation for key, spread in self.seconds.items()}
        return {
            "from": self.sizes.before,
            "to": self.sizes.after,
            "method": self.combination.method,
            "strategies": list(self.combination.strategies),
            **medians,
            "seconds_per_process": self.seconds_per_process,
            "mpi": self.mpi,
            "works": self.works,
            "reason": self.reason,
            "trials": self.trials,
            "failed": self.failed,
            **deviations,
        }


def rows_of(mpi: str, sizes: Sizes, ways: Sequence[Combination], trials: Sequence[Trial]) -> list[Row]:
    """A row for each way that was tried at least once."""
    by_way = {way: [trial for trial in trials if trial.combination == way] for way in ways}
    return [_row(mpi, sizes, way, made) for way, made in by_way.items() if made]


def _row(mpi: str, sizes: Sizes, way: Combination, made: Sequence[Trial]) -> Row:
    good = [trial for trial in made if trial.works]
    bad = [trial for trial in made if not trial.works]
    seconds = {
        key: Spread.of([trial.seconds[key] for trial in good if key in trial.seconds]) for key in SECONDS
    }
    return Row(mpi, sizes, way, len(made), len(bad), bad[0].reason if bad else "", seconds)


def write_csv(path: Path, sizes: Sizes, trials: Mapping[str, Sequence[Trial]]) -> None:
    """Every single trial, a line each."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["mpi", "from", "to", "method", "strategies", "works", "reason", *SECONDS])
        for mpi, made in trials.items():
            for trial in made:
                way = trial.combination
                head = [mpi, sizes.before, sizes.after, way.method, way.words, int(trial.works), trial.reason]
                writer.writerow([*head, *[trial.seconds.get(key, "") for key in SECONDS]])
