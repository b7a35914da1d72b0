# SPDX-License-Identifier: BSD-3-Clause
"""Jobs from numbers, under an order."""

from collections.abc import Callable

import pytest
from plain_orders import Numbers, rigid_jobs

from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate


@pytest.fixture
def started() -> Callable[..., list[float]]:
    """When each job starts."""

    def made(order: str, cores: int, *numbers: Numbers) -> list[float]:
        return [each.started for each in simulate(rigid_jobs(numbers), ORDERS[order].make(cores))]

    return made
