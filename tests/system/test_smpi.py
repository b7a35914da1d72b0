# SPDX-License-Identifier: BSD-3-Clause
"""`nereus simulate transfer` and `placement` with the real program, where it was built."""

import signal
import time
from typing import Any

import numpy as np
import pytest

from nereus.launch import LaunchError, mpi_independent

METHODS = "p2p,col,rma-lock,rma-lockall"


@pytest.fixture
def simulating(site: Any) -> Any:
    """The document of a simulation."""
    try:
        mpi_independent("nereus-smpi")
    except LaunchError:
        pytest.skip(
            "nereus-smpi is not installed: SimGrid (libsimgrid-dev) was not there when this was built"
        )

    def document(what: str, *options: str) -> Any:
        done = site.nereus("simulate", what, "--json", "--quiet", *options)
        assert done.code == 0, done.err
        return done.document

    return document


@pytest.mark.parametrize("pair", ["12:5", "5:12", "1:3"])
def test_every_byte_arrives_with_every_method(simulating: Any, pair: str) -> None:
    machine = ("--nodes", "3", "--cores", "4", "--bandwidth", "10 Gbit/s")
    found = simulating(
        "transfer", "--pair", pair, "--method", METHODS, "--bytes", "100003", "--check", *machine
    )
    assert [row["checked"] for row in found["rows"]] == [True] * 4


def test_nothing_is_faster_than_the_bound_and_long_messages_come_near(simulating: Any) -> None:
    found = simulating(
        "transfer", "--pair", "160:80", "--bandwidth", "100 Gbit/s", "--method", "p2p,rma-lock"
    )
    for row in found["rows"]:
        assert row["link_bytes"] / row["bandwidth"] == pytest.approx(row["bound"])
        assert 1 < row["ratio"] < 1.12  # a look at a request takes a 200th of the bound


def test_without_acknowledgements_the_full_model_rate_is_reached(simulating: Any) -> None:
    options = ("--pair", "120:160", "--bandwidth", "100 Gbit/s", "--method", "p2p", "--no-acks")
    (row,) = simulating("transfer", *options)["rows"]
    assert 1 < row["model_ratio"] < 1.01


def test_half_the_bandwidth_takes_twice_as_long(simulating: Any) -> None:
    rates = ("--bandwidth", "10 Gbit/s", "--bandwidth", "5 Gbit/s")
    fast, slow = simulating(
        "transfer", "--pair", "8:4", "--nodes", "4", "--cores", "2", "--method", "p2p", *rates
    )["rows"]
    assert slow["seconds"] / fast["seconds"] == pytest.approx(2, rel=0.02)


def test_sizes_that_move_nothing_are_shown(simulating: Any, site: Any) -> None:
    options = ("--pair", "2:3", "--pair", "3:4", "--bytes", "1", "--nodes", "1", "--picture", "p.png")
    found = simulating("transfer", *options)
    assert all(row["moved_bytes"] == 0 and row["ratio"] is None for row in found["rows"])
    assert (site.folder / "p.png").read_bytes().startswith(b"\x89PNG")


def test_unwritable_picture_does_not_lose_the_figures(simulating: Any, site: Any) -> None:
    assert simulating  # skipped where it is not built
    (site.folder / "full.png").symlink_to("/dev/full")
    options = ("--pair", "2:3", "--nodes", "1", "--bytes", "1 MiB", "--json", "--quiet")
    done = site.nereus("simulate", "transfer", "--picture", "full.png", *options)
    assert done.code == 1
    assert "No space left" in done.err
    assert all(row["seconds"] > 0 for row in done.document["rows"])


def test_spawn_time_is_reported_separately_and_only_for_newcomers(simulating: Any) -> None:
    sizes = (
        "--pair",
        "2:6",
        "--pair",
        "6:2",
        "--bytes",
        "1 MiB",
        "--method",
        "p2p",
        "--bandwidth",
        "10 Gbit/s",
    )
    grows, shrinks = simulating("transfer", "--spawn", "0.25", *sizes)["rows"]
    assert grows["spawn_seconds"] == 1
    assert shrinks["spawn_seconds"] == 0
    assert grows["seconds"] < 1


def test_simulation_that_takes_too_much_memory_is_ended(simulating: Any, site: Any) -> None:
    done = site.nereus("simulate", "transfer", "--pair", "160:80", "--memory", "1 MiB", "--quiet")
    assert done.code == 2
    assert "takes more than 1 MiB and was ended" in done.err


def test_tree_takes_as_long_as_its_longest_chain_of_messages(simulating: Any) -> None:
    # One rank a host: 3 levels of 10 MB over 8 Gbit/s; two children share the link of their parent.
    options = ("--ranks", "7", "--topology", "host:7", "--bytes", "10 MB", "--bandwidth", "8 Gbit/s")
    found = simulating("placement", "--pattern", "reduce", *options)
    assert found["seconds"]["packed"] == pytest.approx(2 * 2 * 0.01 / 0.94, rel=0.05)


def test_placed_ranks_are_never_much_slower_than_packed_or_round_robin_ones(simulating: Any) -> None:
    for pattern in ("reduce", "reduce-heap", "stencil-2d", "stencil-3d"):
        options = ("--topology", "host:4 core:4", "--bytes", "1 MB", "--seeds", "2")
        seconds = simulating("placement", "--pattern", pattern, *options)["seconds"]
        assert seconds["placed"] <= 1.02 * seconds["packed"]
        assert seconds["placed"] <= 1.02 * seconds["round-robin"]


def test_matrix_is_simulated_as_given(simulating: Any, site: Any) -> None:
    # Pairs of ranks that are packed on different hosts: placing takes all messages off the links.
    matrix = np.zeros((4, 4))
    matrix[0, 2] = matrix[1, 3] = matrix[2, 0] = matrix[3, 1] = 50e6
    np.save(site.folder / "m.npy", matrix)
    found = simulating("placement", "--matrix", "m.npy", "--topology", "host:2 core:2", "--iterations", "5")
    assert found["chosen"] == "placed"
    assert found["mapping"][0] // 2 == found["mapping"][2] // 2
    assert found["gains"]["packed"] > 3
    # SimGrid has a twentieth of what is received go back, as acknowledgements do.
    assert found["seconds"]["packed"] == pytest.approx(2 * 50e6 * 1.05 / 4e9 / 0.94, rel=0.02)


def test_ctrl_c_ends_simulations_at_once(simulating: Any, site: Any) -> None:
    assert simulating  # skipped where it is not built
    options = ("--nodes", "500", "--pair", "10000:5000", "--method", "p2p", "--quiet")
    with site.started("simulate", "transfer", *options) as process:
        while not any(site.temporary.glob("nereus-*/question.json")):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped by SIGINT" in error
    assert not list(site.temporary.glob("nereus-*"))
