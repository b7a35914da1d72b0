# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus bench transfer` finds: a row of medians for each pair of sizes and way to move data."""

import csv
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nereus.analysis.report.transfer_figures import (
    Course,
    common_iteration,
    progress_seconds,
    ratio,
    same_iteration_seconds,
)
from nereus.bench.process_rows import Spread
from nereus.bench.transfer_trials import LIMITS, Amount, Pair, TransferTrial
from nereus.bench.transfer_ways import BLOCKING, TransferWay

GIGA = 1e9
#: Figures of a single trial, in the order of the CSV file; a row has their medians.
FIGURES = (
    "background_seconds",
    "pause_seconds",
    "gigabytes_per_second",
    "bytes_moved",
    "bytes_minimum",
    "bytes_shared",
    "iterations",
    "omega",
    "first_iteration_ratio",
    "process_seconds",
    "transfer_seconds",
    "predicted_seconds",
    "over_seconds",
    "iterations_since_request",
    "iteration_seconds",
)
_WHOLE = ("bytes_moved", "bytes_minimum", "bytes_shared")


@dataclass(frozen=True)
class TransferRow:
    """All trials of one way from one size to another."""

    pair: Pair
    way: TransferWay
    bytes: int
    trials: int
    failed: int
    reason: str
    spreads: Mapping[str, Spread | None]
    alpha: float | None = None
    progress_seconds: float | None = None
    same_iteration_seconds: float | None = None
    isend_irecv: float | None = None

    @property
    def works(self) -> bool:
        """Whether at least one trial did."""
        return self.trials > self.failed

    def median(self, figure: str) -> float | None:
        """Of all trials that worked."""
        spread = self.spreads[figure]
        return None if spread is None else spread.median

    def document(self) -> dict[str, Any]:
        """As --json shows it."""
        medians = {name: _plain(name, self.median(name)) for name in FIGURES}
        spreads = {f"{name}_deviation": spread and spread.deviation for name, spread in self.spreads.items()}
        return {
            "process_method": self.way.processes.method,
            "process_strategies": list(self.way.processes.strategies),
            "method": self.way.method,
            "strategy": self.way.strategy,
            "from": self.pair.before,
            "to": self.pair.after,
            "bytes": self.bytes,
            **medians,
            "alpha": self.alpha,
            "progress_seconds": self.progress_seconds,
            "same_iteration_seconds": self.same_iteration_seconds,
            "isend_irecv": self.isend_irecv,
            "repeats": self.trials - self.failed,
            "trials": self.trials,
            "failed": self.failed,
            "works": self.works,
            "reason": self.reason,
            **spreads,
        }


def _plain(name: str, value: float | None) -> float | int | None:
    return round(value) if value is not None and name in _WHOLE else value


def figures_of(trial: TransferTrial) -> dict[str, float | None]:
    """The figures of one trial that worked, out of what nereus-transfers said."""
    said = trial.figures
    moved = said["constant_bytes"] + said["variable_bytes"]
    seconds = said["constant_seconds"] + said["variable_seconds"]
    in_background = said["transfer_strategy"] != BLOCKING
    rate = ratio(moved + said["shared_bytes"], seconds)
    predicted = said["predicted_seconds"]
    return {
        "background_seconds": said["constant_seconds"] if in_background else 0.0,
        "pause_seconds": said["pause_seconds"],
        "gigabytes_per_second": rate and rate / GIGA,
        "bytes_moved": moved,
        "bytes_minimum": said["bytes_minimum"],
        "bytes_shared": said["shared_bytes"],
        "iterations": said["background_iterations"],
        "omega": ratio(said["loop_background_mean"], said["loop_before"]),
        "first_iteration_ratio": ratio(said["first_iteration"], said["later_iteration"]),
        "process_seconds": said["process_seconds"],
        "transfer_seconds": seconds,
        "predicted_seconds": predicted if predicted >= 0 else None,
        "over_seconds": said["over_seconds"],
        "iterations_since_request": said["iterations_since_request"],
        "iteration_seconds": said["loop_after"],
    }


def rows_of(
    amount: Amount,
    trials: Sequence[TransferTrial],
    limits: Mapping[Pair, Sequence[Mapping[str, float | None]]],
) -> list[TransferRow]:
    """A row for each pair and way that was tried; the first of each come first."""
    groups: dict[tuple[Pair, TransferWay], list[TransferTrial]] = {}
    for trial in trials:
        groups.setdefault((trial.pair, trial.way), []).append(trial)
    rows = [_row(amount, pair, way, made) for (pair, way), made in groups.items()]
    bare = {pair: limits_of(found)["isend_irecv"] for pair, found in limits.items()}
    return [_compared(row, rows, bare.get(row.pair)) for row in rows]


def _row(amount: Amount, pair: Pair, way: TransferWay, made: Sequence[TransferTrial]) -> TransferRow:
    figures = [figures_of(trial) for trial in made if trial.works]
    bad = [trial for trial in made if not trial.works]
    spreads = {name: Spread.of([f for each in figures if (f := each[name]) is not None]) for name in FIGURES}
    return TransferRow(pair, way, amount.bytes, len(made), len(bad), bad[0].reason if bad else "", spreads)


def _compared(row: TransferRow, rows: Sequence[TransferRow], bare: float | None) -> TransferRow:
    """The row with what can only be told next to others of the same processes and sizes."""
    peers = [other for other in rows if other.pair == row.pair and other.way.processes == row.way.processes]
    courses = [course for other in peers if (course := _course(other)) is not None]
    latest = max((course.iterations for course in courses), default=0.0)
    mine = _course(row)
    common = common_iteration(courses)
    return replace(
        row,
        alpha=_alpha(row, peers),
        progress_seconds=None if mine is None else progress_seconds(mine, common),
        same_iteration_seconds=None if mine is None else same_iteration_seconds(mine, latest),
        isend_irecv=bare,
    )


def _course(row: TransferRow) -> Course | None:
    seconds, ended = row.median("over_seconds"), row.median("iterations_since_request")
    iteration = row.median("iteration_seconds")
    if seconds is None or ended is None or iteration is None:
        return None
    return Course(seconds, ended, iteration, background=bool(row.median("background_seconds")))


def _alpha(row: TransferRow, peers: Iterable[TransferRow]) -> float | None:
    """Asynchronous over blocking (Martín-Álvarez et al., section IV.C); none for blocking itself."""
    blocking = [
        other for other in peers if other.way.method == row.way.method and other.way.strategy == BLOCKING
    ]
    if row.way.strategy == BLOCKING or not blocking:
        return None
    return ratio(row.median("transfer_seconds"), blocking[0].median("transfer_seconds"))


def limits_of(found: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    """The medians of what runs with --limits said; None for what none of them could measure."""
    known = {name: [value for each in found if (value := each[name]) is not None] for name in LIMITS}
    return {name: statistics.median(values) if values else None for name, values in known.items()}


def write_csv(path: Path, mpi: str, network: str, amount: Amount, trials: Sequence[TransferTrial]) -> None:
    """Every single trial, a line each."""
    head = [
        "mpi",
        "network",
        "from",
        "to",
        "bytes",
        "process_method",
        "process_strategies",
        "method",
        "strategy",
        "works",
        "reason",
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*head, *FIGURES])
        for trial in trials:
            way, pair = trial.way, trial.pair
            where = [mpi, network, pair.before, pair.after, amount.bytes]
            processes = [way.processes.method, way.processes.words]
            what = [*processes, way.method, way.strategy, int(trial.works), trial.reason]
            figures = figures_of(trial) if trial.works else {}
            writer.writerow([*where, *what, *[_cell(figures.get(name)) for name in FIGURES]])


def _cell(value: float | None) -> float | str:
    return "" if value is None else value
