# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus place` shows to people: costs beside each other, and who is where."""

from pathlib import Path
from typing import TYPE_CHECKING

from nereus.analysis.monitor.kinds import is_prof, is_recording
from nereus.analysis.monitor.totals import COLLECTIVES_ONCE
from nereus.analysis.report.units import percent_text, seconds_text
from nereus.placement import Placed

if TYPE_CHECKING:
    from rich.console import Group

NAMES = {
    "current": "as it is now",
    "packed": "packed",
    "round_robin": "round-robin",
    "random": "random (mean of 10)",
    "treematch": "TreeMatch",
    "scotch": "Scotch",
}
_REFINED = {"treematch": "TreeMatch", "scotch": "Scotch", "current_refined": "as it is now"}
_MOST_HOSTS = 20
_MOST_RUNS = 12


def what_counts(matrix: Path, what: str = "bytes") -> str:
    """Of a record, which has collectives in two forms; a line of a heading."""
    return f"\n{what} of all kinds{COLLECTIVES_ONCE}" if is_prof(matrix) or is_recording(matrix) else ""


def table(placed: Placed, counted: str = "") -> "Group":
    """Costs first, then the ranks of each host. `counted` says what of a record the costs are of."""
    from rich.console import Group

    from nereus.analysis.report.tables import new_table, number

    grid = new_table("mapping", number("cost"), number("of packed"), title=_title(placed) + counted)
    packed = placed.costs["packed"] or 0.0
    for key, name in NAMES.items():
        cost = placed.costs[key]
        if cost is not None:
            grid.add_row(name, f"{cost:.6g}", _share(cost, packed))
        elif key == "scotch":
            grid.add_row(name, "not built in", "")
    grid.add_row(_best(placed), f"{placed.cost:.6g}", _share(placed.cost, packed), style="bold")
    return Group(grid, *_hosts(placed))


def _title(placed: Placed) -> str:
    topology = placed.asked.topology
    hosts = f"{len(topology.hosts)} host" + ("s" if len(topology.hosts) != 1 else "")
    return (
        f"{placed.asked.ranks} ranks on {topology.slots} slots of {hosts}; {seconds_text(placed.seconds)}; "
        f"costs in {topology.unit}"
    )


def _best(placed: Placed) -> str:
    if placed.origin in ("packed", "current"):
        return f"chosen: {NAMES[placed.origin]}, nothing is cheaper"
    return f"chosen: {_REFINED[placed.origin]}, refined"


def _share(cost: float, packed: float) -> str:
    return percent_text(cost / packed if packed > 0 else None)


def _hosts(placed: Placed) -> list[str]:
    """One line for each host that has ranks."""
    topology = placed.asked.topology
    ranks_of: dict[int, list[int]] = {}
    for rank, slot in enumerate(placed.mapping):
        ranks_of.setdefault(topology.host_of(slot), []).append(rank)
    shown = [
        f"{topology.hosts[host]}: ranks {_runs(ranks)}"
        for host, ranks in sorted(ranks_of.items())[:_MOST_HOSTS]
    ]
    left = len(ranks_of) - len(shown)
    return ["", *shown, *([f"and {left} hosts more; --json shows all"] if left else [])]


def _runs(ranks: list[int]) -> str:
    """ "0-3, 7": consecutive ones together."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and runs[-1][1] == rank - 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:_MOST_RUNS]]
    return ", ".join(texts) + (", …" if len(runs) > _MOST_RUNS else "")
