# SPDX-License-Identifier: BSD-3-Clause
"""`nereus bench transfer` for people: a table for each pair of sizes."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from nereus.analysis.report.units import bytes_text, seconds_text
from nereus.bench.process_rows import Spread
from nereus.bench.transfer_rows import TransferRow
from nereus.bench.transfer_trials import Pair
from nereus.cli.messages import show

_WORDS = ("processes", "method", "strategy")
_NUMBERS = (
    "background",
    "pause",
    "GB/s",
    "moved",
    "least",
    "iterations",
    "omega",
    "alpha",
    "progress",
    "first",
    "trials",
)


def show_transfers(rows: Sequence[TransferRow], limits: Mapping[str, float | None]) -> None:
    """A table for each pair of sizes, the limits, and below them why something failed."""
    if not rows:
        show("nothing was tried")
        return
    for pair in dict.fromkeys(row.pair for row in rows):
        show(_table(pair, [row for row in rows if row.pair == pair]))
    show("limits in GB/s: " + ", ".join(f"{name} {_number(value)}" for name, value in limits.items()))
    for row in rows:
        if row.failed:
            where = f"{row.pair.before} → {row.pair.after} {row.way.text}"
            show(Text(f"{where}: {row.failed} of {row.trials} failed: {row.reason}"))


def _table(pair: Pair, rows: Sequence[TransferRow]) -> Table:
    grid = Table(
        title=f"{pair.before} → {pair.after} processes, {bytes_text(rows[0].bytes)}; medians ± deviations",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
    )
    for name in _WORDS:
        grid.add_column(name)
    for name in _NUMBERS:
        grid.add_column(name, justify="right")
    for row in rows:
        grid.add_row(*_cells(row))
    return grid


def _cells(row: TransferRow) -> list[str]:
    return [
        row.way.processes.text,
        row.way.method,
        row.way.strategy,
        _seconds(row.spreads["background_seconds"]),
        _seconds(row.spreads["pause_seconds"]),
        _number(row.median("gigabytes_per_second")),
        _bytes(row.median("bytes_moved")),
        _bytes(row.median("bytes_minimum")),
        _number(row.median("iterations"), 0),
        _number(row.median("omega")),
        _number(row.alpha),
        seconds_text(row.progress_seconds),
        _number(row.median("first_iteration_ratio")),
        f"{row.trials - row.failed}/{row.trials}",
    ]


def _seconds(spread: Spread | None) -> str:
    if spread is None or not spread.median:
        return "-"
    return f"{seconds_text(spread.median)} ± {seconds_text(spread.deviation)}"


def _bytes(count: float | None) -> str:
    return "-" if count is None else bytes_text(round(count))


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
