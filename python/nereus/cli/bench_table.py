# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus bench processes` prints."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from nereus.bench.process_rows import Row, Spread
from nereus.bench.process_trials import SECONDS
from nereus.cli.messages import show


def show_rows(rows: Sequence[Row]) -> None:
    """The table for people, in milliseconds; below it why something failed."""
    if not rows:
        show("nothing was tried")
        return
    sizes = rows[0].sizes
    grid = Table(
        title=f"{sizes.before} → {sizes.after} processes; medians and their deviation in ms",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
    )
    for name in ("MPI", "method", "strategies"):
        grid.add_column(name)
    for name in ("make", "connect", "pause", "stall", "per process", "trials"):
        grid.add_column(name, justify="right")
    for row in rows:
        grid.add_row(*_cells(row))
    show(grid)
    for row in rows:
        if row.failed:
            failed = f"{row.failed} of {row.trials} failed"
            show(Text(f"{row.mpi} {row.combination.text}: {failed}: {row.reason}"))


def _cells(row: Row) -> list[str]:
    each = row.seconds_per_process
    return [
        row.mpi,
        row.combination.method,
        row.combination.words,
        *[_milliseconds(row.seconds[key]) for key in SECONDS],
        "-" if each is None else f"{each * 1000:.1f}",
        f"{row.trials - row.failed}/{row.trials}",
    ]


def _milliseconds(spread: Spread | None) -> str:
    return "-" if spread is None else f"{spread.median * 1000:.1f} ± {spread.deviation * 1000:.1f}"
