# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus calibrate` shows of the costs of an MPI."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from nereus.analysis.report.tables import new_table, number
from nereus.analysis.report.units import amount_text, percent_text, ratio_text, seconds_text
from nereus.bench import Costs, StoredCosts

_UNITS = (("days", 86400), ("hours", 3600), ("minutes", 60))


def document(stored: StoredCosts, mpi: str) -> dict[str, Any]:
    """As --json shows it."""
    costs = stored.costs
    return {
        "mpi": mpi,
        "file": str(stored.path),
        "reason": stored.complaint or ("" if costs else "nothing was measured yet"),
        "age_seconds": costs and costs.age.total_seconds(),
        "measured": costs and costs.model_dump(mode="json"),
    }


def tables(found: Sequence[dict[str, Any]], all_stored: Sequence[StoredCosts]) -> RenderableType:
    """For people: a table for each MPI, or why there is none."""
    parts: list[RenderableType] = []
    for each, stored in zip(found, all_stored, strict=True):
        parts.append(
            Text(f"{each['mpi']}: {each['reason']}") if stored.costs is None else _table(stored.costs)
        )
    return Group(*parts)


def age_text(age: timedelta) -> str:
    """In the largest unit of which there are two."""
    seconds = age.total_seconds()
    for name, length in _UNITS:
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {name} ago"
    return "just now"


def _table(costs: Costs) -> Table:
    title = f"{costs.mpi} on {costs.host}, {costs.made:%Y-%m-%d %H:%M} UTC ({age_text(costs.age)})"
    figures = ("fixed", "per array", "rate", "pause", "omega", "deviation")
    grid = new_table("method", "strategy", *map(number, figures), title=title)
    for cost in costs.costs:
        grid.add_row(
            cost.method,
            cost.strategy,
            seconds_text(cost.fixed_seconds),
            seconds_text(cost.seconds_per_array),
            amount_text(1 / cost.seconds_per_byte if cost.seconds_per_byte > 0 else None, "B/s"),
            seconds_text(cost.pause_seconds),
            "-" if cost.strategy == "blocking" else ratio_text(cost.omega),
            percent_text(cost.deviation),
        )
    return grid
