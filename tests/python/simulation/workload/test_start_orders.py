# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the order that a site has. Each case is worked out by hand, on four cores.

A job is (submission, ranks, seconds, limit).
"""

import pytest
from plain_orders import Numbers, rigid_jobs

from nereus.simulation.workload.orders.registry import ORDERS
from nereus.simulation.workload.simulation import simulate

#: The second needs all cores, and gets them at 10 s at the latest, the limit of the first, which ends at 8 s.
#: The third would run on until 11 s, the fourth ends at 10 s at the latest.
LATE, ALL, TOO_LONG, SHORT = (0, 3, 8, 10), (1, 4, 5, 5), (2, 1, 9, 9), (3, 1, 4, 7)
#: The last one takes the core that the second leaves, until 33 s: the third, which needs all, waits for it.
FIRST, NEXT, WHOLE, THIN = (0, 3, 10, 10), (1, 3, 10, 10), (2, 4, 1, 1), (3, 1, 30, 30)


def started(order: str, cores: int, *numbers: Numbers) -> list[float]:
    """When each job starts."""
    return [each.started for each in simulate(rigid_jobs(numbers), ORDERS[order].make(cores))]


@pytest.mark.parametrize(
    ("order", "starts"), [("fcfs", [0, 8, 13, 13]), ("easy", [0, 8, 13, 3]), ("conservative", [0, 8, 13, 3])]
)
def test_short_job_is_backfilled_where_it_does_not_delay_the_first_one(
    order: str, starts: list[float]
) -> None:
    assert started(order, 4, LATE, ALL, TOO_LONG, SHORT) == starts


@pytest.mark.parametrize(
    ("order", "starts"),
    [("fcfs", [0, 10, 20, 21]), ("easy", [0, 10, 33, 3]), ("conservative", [0, 10, 20, 21])],
)
def test_only_conservative_backfilling_keeps_the_places_of_all(order: str, starts: list[float]) -> None:
    assert started(order, 4, FIRST, NEXT, WHOLE, THIN) == starts


@pytest.mark.parametrize("order", ORDERS)
def test_job_is_killed_at_its_limit_and_its_cores_are_free(order: str) -> None:
    jobs = rigid_jobs([(0, 4, 10, 6), (1, 4, 5, 5)])
    first, second = simulate(jobs, ORDERS[order].make(4))
    assert (first.ended, first.killed, first.work_seconds, first.core_seconds) == (6, True, 6, 24)
    assert (second.started, second.ended, second.killed) == (6, 11, False)


def test_jobs_without_limits_are_served_first_come_first_served() -> None:
    forever = float("inf")
    assert started("fcfs", 4, (0, 3, 100, forever), (1, 2, 5, forever), (2, 1, 5, forever)) == [0, 100, 100]


@pytest.mark.parametrize("order", ORDERS)
def test_later_jobs_move_up_when_one_ends_early(order: str) -> None:
    assert started(order, 4, (0, 4, 1, 100), (0, 4, 1, 100), (0, 2, 1, 100), (0, 2, 1, 100)) == [0, 1, 2, 2]
