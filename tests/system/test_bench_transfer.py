# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench transfer with real MPIs: data moves and is right, limits are measured, nothing is left."""

import shutil
import signal
import subprocess
import time
from typing import Any

import pytest

from nereus.bench.local_hosts import complaint
from nereus.launch import choose, command

BENCH = ("bench", "transfer", "--bytes", "400000", "--strategies", "blocking", "--json", "--check")
LIMIT = 300.0


def document(site: Any, mpi: str, *options: str, **settings: str) -> Any:
    result = site.nereus(*BENCH, "--mpi", mpi, *options, limit=LIMIT, **settings)
    assert result.code == 0, result.err
    return result.document


def namespaces() -> list[str]:
    """Namespaces of benches, whoever runs them."""
    if shutil.which("ip") is None:
        return []
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, timeout=60, check=False)
    return [line.split()[0] for line in listed.stdout.splitlines() if line.startswith("nrb")]


def test_messages_are_measured_beside_the_limits_of_the_machine(site: Any, sampled_mpi: str) -> None:
    data = ("--arrays", "3", "--constant-percent", "50")
    found = document(
        site, sampled_mpi, "--from", "1,3", "--to", "3,1", *data, "--methods", "p2p,col", "--repeat", "2"
    )
    ways = {(*row["process_strategies"], row["method"], row["from"]) for row in found["rows"]}
    assert ways == {
        (*processes, method, size)
        for processes in (("auto",), ())
        for method in ("p2p", "col")
        for size in (1, 3)
    }
    for row in found["rows"]:
        assert row["works"], row["reason"]
        # Without one survivor's third of the data.
        assert 400000 * 2 // 3 - 64 <= row["bytes_minimum"] <= row["bytes_moved"] <= 400000
        assert row["gigabytes_per_second"] > 0
        assert row["pause_seconds"] > 0
        assert row["first_iteration_ratio"] > 0
        assert row["progress_seconds"] >= row["pause_seconds"]
    limits = found["limits"]
    assert all(
        limits[name] > 0 for name in ("memcpy_one_core", "memcpy_all_cores", "isend_irecv", "first_touch")
    )


def test_ways_that_replace_rank_0_are_measured(site: Any, mpich: str) -> None:
    processes = "baseline-inter,baseline-intra"
    ways = ("--process-methods", processes, "--process-strategies", "none", "--methods", "p2p")
    found = document(site, mpich, "--from", "1", "--to", "2", *ways, "--repeat", "2")
    assert [row["process_method"] for row in found["rows"]] == processes.split(",")
    for row in found["rows"]:
        assert row["works"], row["reason"]
        assert row["bytes_moved"] == 400000


def test_processes_of_one_host_communicate_over_tcp(site: Any, mpi: str) -> None:
    found = document(
        site, mpi, "--from", "1", "--to", "2", "--methods", "p2p", "--network", "tcp", "--repeat", "2"
    )
    (row,) = found["rows"]
    assert row["works"], row["reason"]


def test_transfer_carried_out_by_another_method_does_not_count(site: Any, mpich: str) -> None:
    """What does not lie in shared memory must not be shown as if it did."""
    options = (
        "--from",
        "1",
        "--to",
        "2",
        "--methods",
        "shm",
        "--process-strategies",
        "auto",
        "--repeat",
        "1",
    )
    result = site.nereus(*BENCH, "--mpi", mpich, *options, limit=LIMIT)
    (row,) = result.document["rows"]
    assert row["works"] == (row["bytes_shared"] is not None and row["bytes_shared"] > 0)
    assert row["works"] or row["reason"]


@pytest.mark.skipif(bool(complaint()), reason=complaint() or "none")
def test_limited_link_bounds_the_rate_and_is_removed_afterwards(site: Any, sampled_mpi: str) -> None:
    options = ("--from", "1", "--to", "2", "--methods", "p2p", "--network", "limited", "--gigabits", "0.1")
    found = document(site, sampled_mpi, *options, "--bytes", "8000000", "--repeat", "2")
    (row,) = found["rows"]
    assert row["works"], row["reason"]
    # 0.1 Gbit/s are 0.0125 GB/s. A resize is timed by rank 0, for which what is in a socket's buffer is sent.
    assert row["gigabytes_per_second"] < 0.05
    assert found["limits"]["isend_irecv"] < 0.016
    assert namespaces() == []


@pytest.mark.skipif(bool(complaint()), reason=complaint() or "none")
def test_transfer_lasts_until_the_last_process_has_its_data(site: Any, mpich: str) -> None:
    """Also where rank 0, which times it, has sent all of its own: half of it comes from the other host."""
    megabytes, gigabits = 8, 0.1
    options = ("--from", "4", "--to", "1", "--methods", "p2p", "--process-methods", "baseline-inter")
    network = ("--network", "limited", "--gigabits", str(gigabits))
    found = document(site, mpich, *options, *network, "--bytes", f"{megabytes}000000", "--repeat", "1")
    (row,) = found["rows"]
    assert row["works"], row["reason"]
    crossing = megabytes / 2 * 1e6 * 8 / (gigabits * 1e9)
    assert row["pause_seconds"] > row["transfer_seconds"] > 0.9 * crossing


@pytest.mark.skipif(bool(complaint()), reason=complaint() or "none")
def test_least_movement_keeps_shared_data_on_its_hosts_where_possible(site: Any, mpich: str) -> None:
    options = ("--from", "2", "--to", "4", "--methods", "shm", "--network", "limited", "--bytes", "8000000")
    found = document(site, mpich, *options, "--repeat", "2", NEREUS_SURVIVORS="least-movement")
    (row,) = found["rows"]
    assert row["works"], row["reason"]
    assert (row["bytes_moved"], row["bytes_shared"]) == (0, 4_000_000)


@pytest.mark.skipif(bool(complaint()), reason=complaint() or "none")
def test_links_are_removed_after_ctrl_c(site: Any, mpich: str) -> None:
    options = (*BENCH, "--mpi", mpich, "--from", "1", "--to", "2", "--network", "limited", "--repeat", "1000")
    with site.started(*options, "--methods", "p2p") as process:
        deadline = time.monotonic() + LIMIT
        while not site.processes("nereus-transfers") and time.monotonic() < deadline:
            time.sleep(0.02)
        assert namespaces() != []
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, error
    assert namespaces() == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--from 1 --to 2 --bytes 8", "found no way, allowed is PROCESSES:METHOD:STRATEGY"),
        ("--from 1 --to 1 --bytes 8 merge:p2p:blocking", "--to = 1: must differ from --from"),
        ("--from 1 --to 2 --bytes 8 merge:p2p", "merge:p2p: allowed is PROCESSES:METHOD:STRATEGY"),
        ("--from 1 --to 2 --bytes 8 merge:p2p:later", "merge:p2p:later: allowed is"),
        ("--from 1 --to 2 --bytes 8 merge:p2p:blocking merge:shm:blocking", "shm needs a run of its own"),
        (
            "--from 1 --to 2 --bytes 8 merge:p2p:blocking merge:wake:p2p:blocking",
            "merge:wake:p2p:blocking: ways that wake processes need a run of their own",
        ),
        (
            "--from 1 --to 2 --bytes 8 merge:fork:p2p:blocking",
            "merge:fork:p2p:blocking: allowed is PROCESSES:METHOD",
        ),
        ("--from 1 --to 2 --bytes 8 --limits merge:p2p:blocking", "--limits goes without ways"),
        ("--from 1 --to 2 --bytes 8 --limits", "--limits: needs as many processes as --from and --to, and 2"),
        ("--from 1 --to 2 --bytes 8 --constant-percent 5 merge:p2p:blocking", "--arrays = 1: constant"),
        ("--from 1 --to 2 --bytes x merge:p2p:blocking", "--bytes"),
        (
            "--from 2 --to 3 --bytes 8 merge:p2p:blocking",
            "--from = 2: the job has 1 processes; start it with 2",
        ),
    ],
)
def test_bad_input_of_nereus_transfers_gives_one_line(mpich: str, arguments: str, expected: str) -> None:
    build = choose(mpich)
    start = command(build, 1, build.program("nereus-transfers"), arguments.split())
    result = subprocess.run(start.arguments, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert result.returncode == 2
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("nereus")]
    assert line.startswith("nereus-transfers: ")
    assert expected in line
