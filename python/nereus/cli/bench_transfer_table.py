# SPDX-License-Identifier: BSD-3-Clause
"""`nereus bench transfer` for people: a table for each pair of sizes."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from nereus.analysis.report.tables import new_table, number
from nereus.analysis.report.units import amount_text, bytes_text, ratio_text, seconds_text, spread_text
from nereus.bench.process_rows import Spread
from nereus.bench.transfer_rows import TransferRow
from nereus.bench.transfer_trials import Pair
from nereus.cli.messages import show

_WORDS = ("process method", "method", "strategy")
_NUMBERS = (
    "background",
    "pause",
    "rate",
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
    show("limits: " + ", ".join(f"{name} {_rate(value)}" for name, value in limits.items()))
    for row in rows:
        if row.failed:
            where = f"{row.pair.before} → {row.pair.after} {row.way.text}"
            show(Text(f"{where}: {row.failed} of {row.trials} failed: {row.reason}"))


def _table(pair: Pair, rows: Sequence[TransferRow]) -> Table:
    title = f"{pair.before} → {pair.after} processes, {bytes_text(rows[0].bytes)}; medians ± deviations"
    grid = new_table(*_WORDS, *map(number, _NUMBERS), title=title)
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
        _rate(row.median("gigabytes_per_second")),
        _bytes(row.median("bytes_moved")),
        _bytes(row.median("bytes_minimum")),
        _count(row.median("iterations")),
        ratio_text(row.median("omega")),
        ratio_text(row.alpha),
        seconds_text(row.progress_seconds),
        ratio_text(row.median("first_iteration_ratio")),
        f"{row.trials - row.failed}/{row.trials}",
    ]


def _seconds(spread: Spread | None) -> str:
    if spread is None or not spread.median:
        return "-"
    return spread_text(spread.median, spread.deviation)


def _bytes(count: float | None) -> str:
    return "-" if count is None else bytes_text(round(count))


def _rate(gigabytes: float | None) -> str:
    """Of a second."""
    return amount_text(None if gigabytes is None else gigabytes * 1e9, "B/s")


def _count(number: float | None) -> str:
    return "-" if number is None else str(round(number))
