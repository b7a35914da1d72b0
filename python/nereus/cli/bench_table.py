# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus bench processes` prints."""

from collections.abc import Sequence

from rich.text import Text

from nereus.analysis.report.tables import new_table, number
from nereus.analysis.report.units import seconds_text, spread_text
from nereus.bench.process_rows import Row, Spread
from nereus.bench.process_trials import SECONDS
from nereus.cli.messages import show


def show_rows(rows: Sequence[Row]) -> None:
    """The table for people; below it why something failed."""
    if not rows:
        show("nothing was tried")
        return
    sizes = rows[0].sizes
    figures = ("make", "connect", "pause", "stall", "per process", "trials")
    title = f"{sizes.before} → {sizes.after} processes; medians ± deviations"
    grid = new_table("MPI", "method", "strategies", *map(number, figures), title=title)
    for row in rows:
        grid.add_row(*_cells(row))
    show(grid)
    for row in rows:
        if row.failed:
            failed = f"{row.failed} of {row.trials} failed"
            show(Text(f"{row.mpi} {row.combination.text}: {failed}: {row.reason}"))


def _cells(row: Row) -> list[str]:
    return [
        row.mpi,
        row.combination.method,
        row.combination.words,
        *[_seconds(row.seconds[key]) for key in SECONDS],
        seconds_text(row.seconds_per_process),
        f"{row.trials - row.failed}/{row.trials}",
    ]


def _seconds(spread: Spread | None) -> str:
    return "-" if spread is None else spread_text(spread.median, spread.deviation)
