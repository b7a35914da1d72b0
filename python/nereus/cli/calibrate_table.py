# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus calibrate` shows of the costs of an MPI."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

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
    grid = Table(
        title=f"{costs.mpi} on {costs.host}, {costs.made:%Y-%m-%d %H:%M} UTC ({age_text(costs.age)})",
        title_justify="left",
        title_style="bold",
        box=None,
        pad_edge=False,
    )
    grid.add_column("method")
    grid.add_column("strategy")
    for name in ("fixed ms", "ms per array", "GB/s", "pause ms", "omega", "deviation"):
        grid.add_column(name, justify="right")
    for cost in costs.costs:
        grid.add_row(
            cost.method,
            cost.strategy,
            f"{cost.fixed_seconds * 1e3:.3f}",
            f"{cost.seconds_per_array * 1e3:.3f}",
            f"{1e-9 / cost.seconds_per_byte:.2f}" if cost.seconds_per_byte > 0 else "-",
            f"{cost.pause_seconds * 1e3:.1f}",
            "-" if cost.strategy == "blocking" else f"{cost.omega:.2f}",
            f"{cost.deviation:.0%}",
        )
    return grid
