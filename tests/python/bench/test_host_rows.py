# SPDX-License-Identifier: BSD-3-Clause
"""The row of `nereus bench allocation`."""

from nereus.bench.host_cycles import HostCycle
from nereus.bench.host_rows import HostRow


def test_row_has_medians_and_their_deviations() -> None:
    cycles = [HostCycle(usable, 0.25, 0.01, 0.02, 0.005, 0.006) for usable in (1.0, 2.0, 4.0)]
    row = HostRow("slurm", "expand", "mpich", 2, cycles, ["n2: folder /tmp/nereus-1"]).document()
    assert row == {
        "adapter": "slurm",
        "growth": "expand",
        "mpi": "mpich",
        "nodes": 2,
        "cycles": 3,
        "usable_seconds": 2.0,
        "idle_seconds": 0.25,
        "pause_seconds": 0.01,
        "shrink_pause_seconds": 0.02,
        "one_host_pause_seconds": 0.005,
        "one_host_shrink_pause_seconds": 0.006,
        "usable_seconds_deviation": 1.0,
        "idle_seconds_deviation": 0.0,
        "pause_seconds_deviation": 0.0,
        "shrink_pause_seconds_deviation": 0.0,
        "one_host_pause_seconds_deviation": 0.0,
        "one_host_shrink_pause_seconds_deviation": 0.0,
        "left_behind": ["n2: folder /tmp/nereus-1"],
    }


def test_figures_without_a_cycle_are_null() -> None:
    row = HostRow("slurm", "second-job", "mpich", 2, [], []).document()
    assert (row["usable_seconds"], row["usable_seconds_deviation"]) == (None, None)
