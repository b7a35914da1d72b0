# SPDX-License-Identifier: BSD-3-Clause
"""The start orders by their names, and what each can."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from nereus.simulation.workload.orders.conservative import Conservative
from nereus.simulation.workload.orders.easy import Easy
from nereus.simulation.workload.orders.fcfs import FirstComeFirstServed
from nereus.simulation.workload.orders.order import StartOrder
from nereus.simulation.workload.orders.priority import Priority
from nereus.simulation.workload.orders.rules import NO_RULES, Rules


class Make(Protocol):
    """Of a machine with so many cores."""

    def __call__(self, cores: int, rules: Rules = NO_RULES) -> StartOrder: ...


@dataclass(frozen=True)
class Row:
    """`needs_limits`: of all jobs; `sizes`: whether jobs that are not rigid have more than one size under it,
    which takes a SizingOrder.
    """

    name: str
    make: Make
    needs_limits: bool
    sizes: bool


PRIORITY = "priority"

ORDERS: Mapping[str, Row] = {
    row.name: row
    for row in (
        Row("fcfs", FirstComeFirstServed, needs_limits=False, sizes=True),
        Row("easy", Easy, needs_limits=True, sizes=True),
        Row("conservative", Conservative, needs_limits=True, sizes=False),
        Row(PRIORITY, Priority, needs_limits=True, sizes=True),
    )
}
