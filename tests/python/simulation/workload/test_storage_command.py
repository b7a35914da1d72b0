# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: workloads that say what I/O jobs do, and what they are told of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nereus.simulation.workload.loading import load_workload
from nereus.simulation.workload.sources import jobs_of

Nereus = Callable[..., tuple[int, str, str]]
JOBS = """
cores = 64
cores_per_node = 8
order = ["easy"]
malleable = [50]
[storage]
bandwidth = 2e9
job_bandwidth = 1e9
[generated]
jobs = 60
every = 60.0
seconds = 3000.0
most_ranks = 32
limit_factor = 3.0
io_share = 0.4
"""
TWO = """cores = 4
[storage]
bandwidth = 2e9
[[jobs]]
name = "a"
ranks = 2
seconds = 10
io_bytes = 2e10
[[jobs]]
name = "b"
ranks = 2
seconds = 10
io_share = 1.0
"""
TRACE = "1 0 -1 10 2 -1 -1 -1 20 -1 1 1 1 1 1 1 -1 -1\n2 0 -1 10 2 -1 -1 -1 20 -1 1 1 1 1 1 1 -1 -1\n"


def workload(folder: Path, text: str = JOBS) -> Path:
    file = folder / "w.toml"
    file.write_text(text)
    return file


def row(nereus: Nereus, file: Path, *words: str | Path) -> dict[str, Any]:
    code, out, err = nereus("simulate", "workload", file, "--json", *words)
    assert code == 0, err
    (found,) = json.loads(out)["rows"]
    return dict(found)


def test_bytes_and_shares_are_io_of_jobs(nereus: Nereus, tmp_path: Path) -> None:
    found = row(nereus, workload(tmp_path, TWO))
    assert found["makespan_seconds"] == pytest.approx(20)
    assert found["core_hours_lost_to_io"] == pytest.approx(4 * 10 / 3600)


def test_io_can_be_switched_off(nereus: Nereus, tmp_path: Path) -> None:
    found = row(nereus, workload(tmp_path, TWO), "--no-io")
    assert found["makespan_seconds"] == 10 and "core_hours_lost_to_io" not in found


def test_option_says_the_bandwidth(nereus: Nereus, tmp_path: Path) -> None:
    file = workload(tmp_path, TWO)
    # The share of one is of the most that it gets, the bytes of the other are what they are.
    assert row(nereus, file, "--bandwidth", "1e9")["makespan_seconds"] == pytest.approx(30)


def test_jobs_of_a_trace_have_the_share_of_the_store(nereus: Nereus, tmp_path: Path) -> None:
    trace = tmp_path / "two.swf"
    trace.write_text(TRACE)
    words = ("--cores", "4", "--bandwidth", "1e9", "--io-share")
    assert row(nereus, trace, *words, "0.5")["makespan_seconds"] == pytest.approx(10)
    assert row(nereus, trace, *words, "0.75")["makespan_seconds"] == pytest.approx(15)
    code, _, err = nereus("simulate", "workload", trace, "--cores", "4", "--bandwidth", "1e9")
    assert code == 2 and "storage.io_share: is missing" in err


def test_io_is_in_rows_table_and_results(nereus: Nereus, tmp_path: Path) -> None:
    file, results = workload(tmp_path), tmp_path / "r.jsonl"
    found = row(nereus, file, "--results", results)
    assert found["core_hours_lost_to_io"] > 0
    assert row(nereus, file, "--results", results) == found
    table = " ".join(nereus("simulate", "workload", file, "--quiet")[1].split())
    assert "I/O" in table and "I/O" not in nereus("simulate", "workload", file, "--quiet", "--no-io")[1]


@pytest.mark.parametrize(("key", "mean"), [("io_share = 0.1", 0.1), ("io_bytes = 3e11", 0.1)])
def test_drawn_jobs_have_their_io(tmp_path: Path, key: str, mean: float) -> None:
    """Exponential, from a stream of its own: all else stays what it is."""
    text = JOBS.replace("io_share = 0.4", key).replace("jobs = 60", "jobs = 20000")
    found = load_workload(workload(tmp_path, text), {})
    jobs = jobs_of(found, 1).all
    if key.startswith("io_share"):
        shares = [job.io_share for job in jobs]
        assert sum(shares) / len(shares) == pytest.approx(mean, rel=0.02) and max(shares) <= 1
    else:
        amounts = [job.io_share * job.seconds * 1e9 for job in jobs]
        assert sum(amounts) / len(amounts) == pytest.approx(3e11, rel=0.02)
    none = jobs_of(found.model_copy(update={"storage": None}), 1).all
    assert [job.seconds for job in none] == [job.seconds for job in jobs] and none[0].io_share == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("bandwidth = 2e9\n", "\n"), "storage.bandwidth: is missing: bytes per second from 1 to 1e18"),
        (("bandwidth = 2e9", "bandwidth = 0"), "storage.bandwidth = 0: bytes per second from 1 to 1e18"),
        (("job_bandwidth = 1e9", "job_bandwidth = 3e9"), "at most the bandwidth of the store, 2e+09"),
        (("io_share = 0.4", "io_share = 1.4"), "generated.io_share = 1.4: a share of 1"),
        (("io_share = 0.4", "io_bytes = -1"), "generated.io_bytes = -1: bytes from 0 to 1e18"),
        (("io_share = 0.4", "io_share = 0.4\nio_bytes = 1e9"), "generated.io_share = 0.4: goes without io_b"),
        (("\nio_share = 0.4", ""), "storage.io_share: is missing: a share of 1, or io_share or io_bytes"),
        (("[storage]", "[storage]\nio_share = 0.1"), "goes with jobs that do not say what I/O they do"),
        (
            ("[storage]\nbandwidth = 2e9\njob_bandwidth = 1e9", ""),
            "io_share = 0.4: goes with a table storage",
        ),
        (("job_bandwidth", "job_bandwith"), "unknown key; did you mean job_bandwidth?"),
    ],
)
def test_what_cannot_be_is_refused(
    nereus: Nereus, tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    assert change[0] in JOBS
    file = workload(tmp_path, JOBS.replace(*change))
    code, out, err = nereus("simulate", "workload", file)
    assert (code, out) == (2, "") and f"nereus: {file}:" in err and said in err


@pytest.mark.parametrize("order", ["fcfs", "easy", "conservative", "priority"])
@pytest.mark.parametrize("failures", [False, True])
def test_io_goes_with_whole_nodes_priorities_reservations_failures_and_resizes_that_cost(
    nereus: Nereus, tmp_path: Path, order: str, failures: bool
) -> None:
    text = JOBS.replace('order = ["easy"]', f'order = ["{order}"]\nallocation = "exclusive"')
    text = text if order != "conservative" else text.replace("malleable = [50]", "")
    text += "[priority]\nage_weight = 1\nsize_weight = 5\n"
    text += '[resize_cost]\nmethod = "messages"\nseconds = 20\n'
    if order != "fcfs":
        text += "[[reservations]]\nbegin = 9000\nend = 12000\ncores = 64\n"
    if failures:
        text += '[failures]\nmtbf = 40000\nrecovery = "shrink"\nsave_every = "young"\nsave_cost = 20\n'
        text += "recovery_cost = 30\nrepair = 600\n"
    found = row(nereus, workload(tmp_path, text), "--strategy", "io")
    assert found["core_hours_lost_to_io"] > 0 and ("failures" in found) == failures
