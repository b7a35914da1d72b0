# SPDX-License-Identifier: BSD-3-Clause
"""Other sensors see what wrappers see: components and messages of Open MPI, UCX below MPICH, a model."""

from typing import Any

import pytest
from a_monitored_run import (
    added,
    by_open_mpi,
    collectives,
    launched,
    neighbours,
    pairs_of,
    point_to_point,
    record_of,
    without,
)

from nereus.launch import Build, choose
from nereus.launch.preloading import COMPONENTS


@pytest.fixture
def build(sampled_mpi: str) -> Build:
    return choose(sampled_mpi)


def test_collective_is_seen_as_the_messages_of_open_mpi(site: Any, openmpi_debian: str) -> None:
    """A reduce by the binary tree on eight ranks has seven messages (Bosilca et al. 2017, section 6.2)."""
    tree = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll_tuned_reduce_algorithm": "4"}
    document = record_of(site, choose(openmpi_debian), "reduce", 8, **tree)
    if document["worlds"][0]["decomposed"] is None:
        pytest.skip("this build cannot see what Open MPI sends: its inner headers were not there")
    seen = {pair: moved for pair, moved in pairs_of(document, "decomposed").items() if moved[1] >= 4_000_000}
    edges = [(1, 0), (2, 0), (3, 1), (4, 2), (5, 1), (6, 2), (7, 3)]
    assert {pair: size for pair, (_, size) in seen.items()} == dict.fromkeys(edges, 4_000_000)
    assert set(pairs_of(document, "collective")) == {(rank, 0) for rank in range(1, 8)}


KINDS = ["p2p", "collective", "onesided"]
MORE_KINDS = [pytest.param(kind, marks=pytest.mark.whole) for kind in ("split", "reduce")]


@pytest.mark.parametrize("kind", [*KINDS, *MORE_KINDS])
def test_monitor_agrees_with_open_mpi_monitoring_pair_by_pair(
    site: Any, openmpi_debian: str, kind: str
) -> None:
    """On all that this sees: persistent requests it does not, and it counts a get as an empty put too."""
    build, ranks = choose(openmpi_debian), 4
    ours, theirs = record_of(site, build, kind, ranks), by_open_mpi(site, build, kind, ranks)
    idle, their_idle = record_of(site, build, "nothing", ranks), by_open_mpi(site, build, "nothing", ranks)
    if ours["worlds"][0]["decomposed"] is None:
        pytest.skip("this build cannot see what Open MPI sends: its inner headers were not there")
    persistent = {(r, (r - 1) % ranks): (2, 16) for r in range(ranks)} if kind == "p2p" else {}
    assert without(pairs_of(ours, "point_to_point"), persistent) == pairs_of(theirs, "point_to_point")
    made, their_made = (pairs_of(document, "decomposed") for document in (ours, theirs))
    before, their_before = (pairs_of(document, "decomposed") for document in (idle, their_idle))
    assert without(made, before) == without(their_made, their_before)
    assert without(made, before) or kind == "p2p"
    empty = pairs_of(ours, "get")
    puts = {
        pair: (messages + (1 if empty else 0), size)
        for pair, (messages, size) in pairs_of(ours, "put").items()
    }
    assert puts == pairs_of(theirs, "put")
    assert empty == pairs_of(theirs, "get")


@pytest.fixture
def with_components(openmpi_debian: str) -> Build:
    build = choose(openmpi_debian)
    if not (build.prefix / COMPONENTS).exists():
        pytest.skip("there are no components: the inner headers of Open MPI were not there")
    return build


def test_components_record_what_wrappers_record(site: Any, with_components: Build) -> None:
    """But for files. Collectives of Open MPI's own, and messages of its files, are not the program's."""
    seen, wrapped = (
        record_of(site, with_components, "all", 4, sensor=sensor) for sensor in ("components", "wrappers")
    )
    assert seen["worlds"][0]["sensor"] == "components of Open MPI"
    for kind in ("point_to_point", "put", "get"):
        assert pairs_of(seen, kind) == pairs_of(wrapped, kind) != {}
    assert pairs_of(seen, "collective") == added(iter([*collectives(4), *neighbours(4)]))
    assert set(pairs_of(seen, "decomposed")) == set(pairs_of(wrapped, "decomposed"))
    assert any("files" in row["what"] for row in seen["unseen"])


@pytest.mark.parametrize(
    ("leave_out", "lost"),
    [
        ({"OMPI_MCA_coll": "basic,libnbc"}, "collectives that the program calls"),
        ({"OMPI_MCA_osc": "rdma,sm"}, "puts and gets"),
    ],
)
def test_components_left_out_by_the_user_are_reported_missing(
    site: Any, with_components: Build, leave_out: dict[str, str], lost: str
) -> None:
    document = record_of(site, with_components, "p2p", 2, sensor="components", **leave_out)
    missed = [row["what"] for row in document["unseen"]]
    assert lost in missed
    assert "variables of MPI_T" not in missed, "Open MPI's own monitoring is not on"
    assert pairs_of(document, "point_to_point")


def test_variables_are_left_to_open_mpi_monitoring_if_enabled(site: Any, openmpi_debian: str) -> None:
    build = choose(openmpi_debian)
    if record_of(site, build, "p2p", 2)["worlds"][0]["decomposed"] is None:
        pytest.skip("this build has no variables: the inner headers of Open MPI were not there")
    document = record_of(site, build, "p2p", 2, OMPI_MCA_pml_monitoring_enable="2")
    assert "variables of MPI_T" in [row["what"] for row in document["unseen"]]


def test_components_count_fortran_calls_once(site: Any, with_components: Build) -> None:
    document = record_of(site, with_components, "", 3, "talks_f08", "components")
    assert pairs_of(document, "point_to_point") == {(r, (r + 1) % 3): (3, 56) for r in range(3)}
    assert pairs_of(document, "collective") == {(a, b): (2, 32) for a in range(3) for b in range(3) if a != b}


def test_components_leave_the_calls_to_another_tool(site: Any, with_components: Build) -> None:
    tool = site.program(with_components.name, "libcounts_sends.so")
    talks = site.program(with_components.name, "talks")
    launch = launched(with_components, 2, talks, "p2p")
    launch[1:1] = ["-x", f"LD_PRELOAD={tool}"]
    options = ("-o", "record.jsonl", "--mpi", with_components.name, "--sensor", "components")
    done = site.nereus("monitor", *options, "--", *launch)
    assert done.code == 0, done.err
    assert done.err.count("calls of MPI_Isend: 3") == 2
    assert "forwards variables with -x" in done.err
    document = site.nereus("report", "record.jsonl", "--json").document
    assert pairs_of(document, "point_to_point") == added(point_to_point(2))


def test_missing_components_are_reported(site: Any, mpich: str) -> None:
    launch = launched(choose(mpich), 2, "true")
    done = site.nereus("monitor", "-o", "r.jsonl", "--mpi", mpich, "--sensor", "components", "--", *launch)
    assert done.code == 2
    assert "no components of the monitor" in done.err
    assert not (site.folder / "r.jsonl").exists()


def test_model_replaces_unseen_collective_messages_and_is_named(site: Any, mpich: str) -> None:
    assert record_of(site, choose(mpich), "collective", 5)["worlds"][0]["decomposed"] is None
    document = record_of(site, choose(mpich), "collective", 5, NEREUS_MONITOR_MODEL="on")
    assert "model" in document["worlds"][0]["decomposed"]
    made = pairs_of(document, "decomposed")
    assert made[0, 4] == (5, 1000 + 40 + 20 + 12), "of bcast, reduce, scatterv, scan, barrier"
    assert made[0, 1] == (6, 1000 + 2 * 8 + 8 + 12), "of bcast, two allreduce, scatterv, scan, barrier"


@pytest.mark.parametrize(("kind", "ranks"), [("collective", 3), ("collective", 8), ("reduce", 5)])
def test_model_matches_the_messages_mpich_passes_to_ucx(site: Any, mpich: str, kind: str, ranks: int) -> None:
    """Message by message, where MPICH is told to know of no hosts, so that all of them go that way."""
    build = choose(mpich)
    seen = record_of(site, build, kind, ranks, MPIR_CVAR_NOLOCAL="1")
    if seen["worlds"][0]["decomposed"] is None:
        (why,) = [row["why"] for row in seen["unseen"] if "decomposed" in row["what"]]
        pytest.skip(f"messages of this MPICH are not seen: {why}")
    told = record_of(site, build, kind, ranks, NEREUS_MONITOR_MODEL="on")
    assert "UCX" in seen["worlds"][0]["decomposed"]
    assert "model" in told["worlds"][0]["decomposed"]
    assert pairs_of(seen, "decomposed") == pairs_of(told, "decomposed") != {}


def test_other_tool_is_reported_and_the_program_runs(site: Any, build: Build) -> None:
    """Who comes first in LD_PRELOAD gets the calls: the monitor, where it is started last."""
    tool = site.program(build.name, "libcounts_sends.so")
    site.environment["LD_PRELOAD"] = str(tool)
    document = record_of(site, build, "p2p", 2)
    (why,) = [row["why"] for row in document["unseen"] if row["what"] == "another tool"]
    assert "libcounts_sends.so" in why
    assert pairs_of(document, "point_to_point") == added(point_to_point(2))


def test_call_costs_are_reported_with_and_without_sensor(site: Any, build: Build) -> None:
    small = ("--ranks", "2", "--calls", "send", "--bytes", "0,4096", "--repeat", "3")
    done = site.nereus("bench", "monitor", "--mpi", build.name, *small, "--json")
    assert done.code == 0, done.err
    rows = done.document["rows"]
    sensors = {row["sensor"] for row in rows}
    assert sensors >= ({"wrappers", "openmpi"} if (build.prefix / COMPONENTS).exists() else {"wrappers"})
    assert {(row["sensor"], row["bytes"]) for row in rows} == {(s, b) for s in sensors for b in (0, 4096)}
    assert all(row["on_nanoseconds"] > 0 and row["repeats"] >= 3 for row in rows)
