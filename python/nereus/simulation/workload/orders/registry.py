# SPDX-License-Identifier: BSD-3-Clause
"""The start orders by their names, and what each can."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from nereus.simulation.workload.orders.conservative import Conservative
from nereus.simulation.workload.orders.easy import Easy
from nereus.simulation.workload.orders.fcfs import FirstComeFirstServed
from nereus.simulation.workload.orders.order import StartOrder


@dataclass(frozen=True)
class Row:
    """`needs_limits`: of all jobs; `sizes`: whether jobs that are not rigid have more than one size under it,
    which takes a SizingOrder.
    """

    name: str
    make: Callable[[int], StartOrder]
    needs_limits: bool
    sizes: bool


ORDERS: Mapping[str, Row] = {
    row.name: row
    for row in (
        Row("fcfs", FirstComeFirstServed, needs_limits=False, sizes=True),
        Row("easy", Easy, needs_limits=True, sizes=True),
        Row("conservative", Conservative, needs_limits=True, sizes=False),
    )
}
