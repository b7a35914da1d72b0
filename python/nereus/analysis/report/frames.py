# SPDX-License-Identifier: BSD-3-Clause
"""Results as pandas tables and as CSV files; the unit of a column is part of its name."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nereus.analysis.report.model import Generation, Iteration, Results

if TYPE_CHECKING:
    from pandas import DataFrame

GENERATION_COLUMNS = [
    "generation", "ranks", "started_seconds", "iterations", "repeated_iterations",
    "background_iterations", "iteration_median_seconds", "iteration_min_seconds", "iteration_max_seconds",
]  # fmt: skip
RESIZE_COLUMNS = [
    "from_ranks", "to_ranks", "outcome", "at_seconds", "process_method", "process_strategies",
    "transfer_method", "transfer_strategy", "process_seconds", "constant_seconds", "variable_seconds",
    "background_seconds", "background_iterations", "predicted_seconds", "pause_seconds", "moved_bytes",
    "minimum_bytes", "shared_bytes", "verified", "reason",
]  # fmt: skip
ITERATION_COLUMNS = [
    "iteration", "generation", "ranks", "phase", "start_seconds", "iteration_seconds", "background",
    "moving", "sampled", "repeated",
]  # fmt: skip


def write_csv(results: Results, folder: Path) -> list[Path]:
    """Write generations.csv, resizes.csv and iterations.csv; the paths of what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, frame in frames(results).items():
        path = folder / f"{name}.csv"
        frame.to_csv(path, index=False, lineterminator="\n")
        written.append(path)
    return written


def frames(results: Results) -> Mapping[str, "DataFrame"]:
    """One table for each of generations, resizes and iterations."""
    columns = {
        "generations": GENERATION_COLUMNS,
        "resizes": RESIZE_COLUMNS,
        "iterations": ITERATION_COLUMNS,
    }
    return {name: _frame(columns[name], rows) for name, rows in rows_of(results).items()}


def rows_of(results: Results) -> Mapping[str, list[dict[str, Any]]]:
    """What stands in these tables; a row lacks what is not known of it."""
    return {
        "generations": _generation_rows(results),
        "resizes": _resize_rows(results),
        "iterations": _iteration_rows(results),
    }


def _frame(columns: list[str], rows: list[dict[str, Any]]) -> "DataFrame":
    """A table that has `columns` also when there are no rows, and the rows' further columns after them."""
    from pandas import DataFrame

    more = dict.fromkeys(key for row in rows for key in row if key not in columns)
    return DataFrame(rows, columns=[*columns, *more])


def _generation_rows(results: Results) -> list[dict[str, Any]]:
    rows = []
    for number, generation in enumerate(results.generations):
        document = generation.document()
        row = {
            "generation": number,
            "ranks": generation.ranks,
            "started_seconds": generation.started,
            "iterations": generation.done,
            "repeated_iterations": generation.repeated,
            "background_iterations": generation.background,
        }
        rows.append(row | _spread_row("iteration", document["iteration_seconds"]) | _stage_columns(document))
    return rows


def _spread_row(name: str, spread: Mapping[str, float]) -> dict[str, float]:
    return {f"{name}_{figure}_seconds": value for figure, value in spread.items()}


def _stage_columns(document: Mapping[str, Any]) -> dict[str, float]:
    """Of the phase that had most of the iterations."""
    row: dict[str, float] = {}
    for number, spread in enumerate(document["stage_seconds"]):
        row |= _spread_row(f"stage_{number}", spread)
    return row


def _resize_rows(results: Results) -> list[dict[str, Any]]:
    rows = []
    for resize in results.resizes:
        event = resize.event
        row = {
            "from_ranks": event.from_,
            "to_ranks": event.to,
            "outcome": "committed",
            "at_seconds": resize.paused_at,
            "moved_bytes": event.bytes_moved,
            "minimum_bytes": event.bytes_minimum,
            "reason": "",
        }
        rows.append({k: v for k, v in resize.document().items() if k in RESIZE_COLUMNS} | row)
        rows[-1]["process_strategies"] = "+".join(event.process_strategies)
    for undone in results.undone:
        row = {"from_ranks": undone.from_, "to_ranks": undone.to, "at_seconds": undone.time}
        rows.append(row | {"outcome": f"undone while {undone.state}", "reason": undone.reason})
    return sorted(rows, key=lambda row: row["at_seconds"])


def _iteration_rows(results: Results) -> list[dict[str, Any]]:
    return [
        _iteration_row(number, generation, iteration)
        for number, generation in enumerate(results.generations)
        for iteration in generation.iterations
    ]


def _iteration_row(number: int, generation: Generation, iteration: Iteration) -> dict[str, Any]:
    row = {
        "iteration": iteration.index,
        "generation": number,
        "ranks": generation.ranks,
        "phase": iteration.phase,
        "start_seconds": iteration.start,
        "iteration_seconds": iteration.seconds,
        "background": iteration.background,
        "moving": iteration.moving,
        "sampled": iteration.sampled,
        "repeated": iteration.repeated,
    }
    return row | {f"stage_{n}_seconds": seconds for n, seconds in enumerate(iteration.stage_seconds)}
