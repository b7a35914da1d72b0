# SPDX-License-Identifier: BSD-3-Clause
"""The rows of `nereus bench recovery`."""

import pytest

from nereus.bench.paired import Paired
from nereus.bench.recovery_rows import (
    row_of_costs,
    rows_of_host_losses,
    rows_of_memory_recoveries,
    rows_of_rounds,
)
from nereus.bench.recovery_trials import HostLoss, Recovery, Round

ROUNDS = [
    Round(save=0.2, write=0.1, recovery=Recovery(seconds=0.5, lost=3, resume=0.04), read=0.01),
    Round(save=0.1, write=0.1, recovery=Recovery(seconds=0.7, lost=5, resume=0.02), read=0.01),
    Round(save=0.4, write=0.1, recovery=Recovery(seconds=0.6, lost=4, resume=0.01), read=0.01),
]


def test_rounds_become_medians_for_each_case() -> None:
    rank, save, resume = [row.document() for row in rows_of_rounds("mpich", 1000, ROUNDS)]
    assert [row["case"] for row in (rank, save, resume)] == ["rank", "save", "resume"]
    assert {(row["mpi"], row["bytes"], row["repeats"]) for row in (rank, save, resume)} == {
        ("mpich", 1000, 3)
    }
    assert (rank["seconds"], rank["lost_iterations"], rank["of_plain"]) == (0.6, 4, None)
    assert rank["seconds_deviation"] == pytest.approx(0.1)
    assert (save["seconds"], resume["seconds"]) == (0.2, 0.02)


def test_plain_files_are_compared_round_by_round() -> None:
    _, save, resume = [row.document() for row in rows_of_rounds("mpich", 1000, ROUNDS)]
    assert (save["of_plain"], resume["of_plain"]) == (0.5, 0.5)


def test_recoveries_from_memory_become_medians() -> None:
    recoveries = [one.recovery for one in ROUNDS]
    memory, resume = [row.document() for row in rows_of_memory_recoveries("mpich", 1000, recoveries)]
    assert (memory["case"], memory["seconds"], memory["lost_iterations"]) == ("memory", 0.6, 4)
    assert (resume["case"], resume["seconds"], resume["repeats"]) == ("memory-resume", 0.02, 3)


def test_host_losses_become_medians() -> None:
    losses = [HostLoss(3.1, 2.6, 1), HostLoss(4.0, 3.0, 3), HostLoss(3.2, 2.4, 2)]
    (row,) = [row.document() for row in rows_of_host_losses("host", "mpich", 1000, losses)]
    assert (row["case"], row["seconds"], row["noticed_seconds"], row["lost_iterations"]) == (
        *("host", 3.2, 2.6),
        2,
    )


def test_no_round_makes_no_row() -> None:
    assert rows_of_host_losses("host", "mpich", 1000, []) == []
    assert rows_of_rounds("mpich", 1000, []) == []
    assert rows_of_memory_recoveries("mpich", 1000, []) == []


def test_costs_are_those_of_pairs() -> None:
    row = row_of_costs("on", "mpich", "nereus-cg", Paired([1.0, 2.0, 4.0], [1.01, 2.04, 4.04])).document()
    assert (row["case"], row["program"], row["bytes"], row["repeats"]) == ("on", "nereus-cg", None, 3)
    assert row["cost_percent"] == pytest.approx(1)
    assert row["seconds"] == 2.04
