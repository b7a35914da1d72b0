# SPDX-License-Identifier: BSD-3-Clause
"""Options of `nereus daemon` for jobs in a resource manager: with allocations of their own, or in one."""

import shutil
from math import inf, isfinite
from typing import TYPE_CHECKING

from nereus.cli.messages import Refused, warn

if TYPE_CHECKING:
    from nereus.daemon.state import HostLimits, Pilot

_SLURM = "slurm"
_MOST_NODES, _MOST_HOURS = 1_000_000, 1e9


def host_limits(
    allocation: str | None, max_nodes: int | None, max_node_hours: float | None
) -> "HostLimits | None":
    """Of jobs with allocations of their own; None without --allocation, and where one is shared out."""
    from nereus.daemon.state import HostLimits

    if allocation is None:
        given = {"--max-nodes": max_nodes, "--max-node-hours": max_node_hours}
        alone = [name for name, value in given.items() if value is not None]
        if alone:
            raise Refused(f"{alone[0]}: allowed beside --allocation slurm")
        return None
    if allocation != _SLURM:
        raise Refused(f"--allocation = {allocation}: allowed is {_SLURM}")
    if max_nodes is not None and not 1 <= max_nodes <= _MOST_NODES:
        raise Refused(f"--max-nodes = {max_nodes}: allowed is 1 .. {_MOST_NODES}")
    hours = max_node_hours
    if hours is not None and not (isfinite(hours) and 0 < hours <= _MOST_HOURS):
        raise Refused(f"--max-node-hours = {hours:g}: allowed is a number above 0, up to {_MOST_HOURS:g}")
    if hours is not None and max_nodes is None:
        raise Refused("--max-node-hours: allowed beside --max-nodes")
    if shutil.which("srun") is None:
        raise Refused("--allocation = slurm: there is no Slurm here (srun is not on PATH)")
    return HostLimits(max_nodes, inf if hours is None else hours * 3600) if max_nodes is not None else None


def pilot() -> "Pilot":
    """The hosts of the job that we run in; Refused outside."""
    from nereus.daemon.state import Pilot
    from nereus.runs import Where

    where = Where.read(warn, "", None, ["compact"], oversubscribe=False)
    if where.manager.kind != _SLURM:
        raise Refused(
            "--allocation = slurm: share out the hosts of a job in Slurm, by starting it there, or say with "
            "--max-nodes how many hosts jobs with allocations of their own may get"
        )
    return Pilot(where.manager.job, {host.name: host.slots for host in where.hosts})


def check_beside(**others: object) -> None:
    """Options that make no sense with --allocation."""
    for name, value in others.items():
        if value is not None:
            raise Refused(f"--{name} and --allocation: one of them is allowed")


def in_words(limits: "HostLimits") -> str:
    hours = limits.host_seconds / 3600
    limit = f", for {hours:g} node hours" if isfinite(hours) else ""
    return f"{limits.hosts} more nodes at most{limit}"
