# SPDX-License-Identifier: BSD-3-Clause
"""The messages that Open MPI makes of its collectives, beside its own monitoring in runs of their own.

Messages that Open MPI prepares and starts later, as those of MPI_Alltoall from some 10 kB on, its own
monitoring takes for the program's, which here sends none: theirs are those of both kinds.
"""

from typing import Any

import pytest
from a_monitored_run import Pairs, added, by_open_mpi, pairs_of, record_of, without

from nereus.launch import Build, choose
from nereus.launch.preloading import COMPONENTS

COLLECTIVES = (
    *("alltoall", "alltoallv", "alltoallw", "allgather", "allgatherv", "allreduce", "reduce"),
    *("reduce_scatter", "reduce_scatter_block", "bcast", "gather", "gatherv", "scatter", "scatterv"),
    *("scan", "exscan", "barrier"),
)
SIZES = tuple(4**power for power in range(12))  # 1 B to 4 MiB
SENSORS = ("wrappers", "components")
Idle = dict[tuple[str, int], Pairs]


@pytest.fixture(scope="module")
def idle() -> Idle:
    """What each sensor counts of a program that sends nothing, once for each number of ranks."""
    return {}


def seen_by(site: Any, build: Build, sensor: str, kind: str, ranks: int) -> Pairs:
    """Messages of collectives; by Open MPI itself where `sensor` is empty."""
    if not sensor:
        document = by_open_mpi(site, build, kind, ranks)
        kinds = (pairs_of(document, "decomposed"), pairs_of(document, "point_to_point"))
        return added((*pair, *moved) for kind in kinds for pair, moved in kind.items())
    document = record_of(site, build, kind, ranks, sensor=sensor)
    if document["worlds"][0]["decomposed"] is None:
        pytest.skip("this build cannot see what Open MPI sends: its inner headers were not there")
    assert pairs_of(document, "point_to_point") == {}
    return pairs_of(document, "decomposed")


def differences(site: Any, build: Build, kind: str, ranks: int, idle: Idle) -> dict[str, tuple[Pairs, Pairs]]:
    """Of each of our sensors that counts other than Open MPI itself: both counts."""
    sensors = [sensor for sensor in SENSORS if sensor == "wrappers" or (build.prefix / COMPONENTS).exists()]
    made = {}
    for sensor in ("", *sensors):
        if (sensor, ranks) not in idle:
            idle[sensor, ranks] = seen_by(site, build, sensor, "nothing", ranks)
        made[sensor] = without(seen_by(site, build, sensor, kind, ranks), idle[sensor, ranks])
    assert made[""], "something was sent"
    return {sensor: (made[sensor], made[""]) for sensor in sensors if made[sensor] != made[""]}


@pytest.mark.parametrize("ranks", [2, 4])
def test_collectives_match_the_messages_open_mpi_counts(
    site: Any, openmpi_debian: str, ranks: int, idle: Idle
) -> None:
    every = ",".join(f"{collective}:{size}" for collective in COLLECTIVES for size in (1000, 300_000))
    assert differences(site, choose(openmpi_debian), every, ranks, idle) == {}


@pytest.mark.whole
@pytest.mark.parametrize("ranks", [2, 3, 4, 8])
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_each_collective_matches_open_mpi_in_all_sizes(
    site: Any, openmpi_debian: str, collective: str, ranks: int, idle: Idle
) -> None:
    """Sizes in one run are told apart by what is sent: a message more or less of one shows in the bytes."""
    all_sizes = ",".join(f"{collective}:{size}" for size in SIZES)
    assert differences(site, choose(openmpi_debian), all_sizes, ranks, idle) == {}
