# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench program and bench monitor over a network: real programs, with the monitor and without."""

import json
import signal
import time
from typing import Any

import pytest
from a_monitored_run import launched

from nereus.bench.local_hosts import complaint
from nereus.launch import Build, choose
from nereus.launch.preloading import COMPONENTS

LIMIT = 120.0
KEYS = {
    "mpi",
    "sensor",
    "ranks",
    "calls",
    "communication_percent",
    "off_seconds",
    "on_seconds",
    "added_seconds",
    "overhead_percent",
    "overhead_low_percent",
    "overhead_high_percent",
    "p_value",
    "repeats",
}
CG = ("nereus-cg", "--poisson", "20", "--iterations", "50", "--tolerance", "0")
RUNS_BEFORE_THE_SECOND_PAIR = 4  # one whose calls are timed, a pair, and one more


@pytest.fixture
def build(sampled_mpi: str) -> Build:
    return choose(sampled_mpi)


def test_row_of_a_program_has_the_documented_keys(site: Any, build: Build) -> None:
    command = launched(build, 2, *CG)
    done = site.nereus("bench", "program", "--repeat", "2", "--json", "--", *command, limit=LIMIT)
    assert done.code == 0, done.err
    assert done.document["command"] == command
    (row,) = done.document["rows"]
    assert set(row) == KEYS
    assert (row["mpi"], row["sensor"], row["ranks"], row["repeats"]) == (build.name, "wrappers", 2, 2)
    assert row["calls"] >= 150, "three calls in each of 50 iterations"
    assert 0 < row["communication_percent"] <= 100
    assert min(row["off_seconds"], row["on_seconds"]) > 0
    assert row["overhead_low_percent"] is None, "of two pairs there is no interval"


def test_time_that_the_program_prints_counts(site: Any, mpich: str) -> None:
    """The last match: equal times in all runs have no difference, and the test no answer."""
    line = " ".join(launched(choose(mpich), 2, *CG))
    command = ["sh", "-c", f"{line} > /dev/null; echo time 1.5; echo time 2.5"]
    words = ("--mpi", mpich, "--repeat", "2", "--seconds", r"time ([0-9.]+)", "--json")
    done = site.nereus("bench", "program", *words, "--", *command, limit=LIMIT)
    assert done.code == 0, done.err
    (row,) = done.document["rows"]
    assert (row["off_seconds"], row["on_seconds"], row["overhead_percent"]) == (2.5, 2.5, 0)
    assert row["p_value"] is None


@pytest.mark.parametrize(
    ("options", "command", "said"),
    [
        (("--seconds", "time"), ["true"], "--seconds = time: has 0 groups; allowed is one"),
        (("--seconds", "("), ["true"], "allowed is a regular expression with one group"),
        ((), ["sh", "-c", "echo out of cheese; exit 3"], "exit code 3: out of cheese"),
        ((), ["true"], "no process of the command reached MPI_Init"),
        (("--sensor", "components"), ["true"], "no components"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_line(
    site: Any, mpich: str, options: tuple[str, ...], command: list[str], said: str
) -> None:
    done = site.nereus("bench", "program", "--mpi", mpich, *options, "--", *command, limit=LIMIT)
    assert done.code == 2
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert not done.out


def test_time_that_is_not_printed_is_said(site: Any, mpich: str) -> None:
    words = ("--mpi", mpich, "--seconds", "never ([0-9.]+)")
    done = site.nereus("bench", "program", *words, "--", *launched(choose(mpich), 2, *CG), limit=LIMIT)
    assert done.code == 2
    assert "finds no number in what the command prints" in done.err


def test_stopped_bench_shows_the_pairs_there_are(site: Any, mpich: str) -> None:
    runs = site.folder / "runs"
    command = ["sh", "-c", f"{' '.join(launched(choose(mpich), 2, *CG))} && echo over >> {runs}"]
    words = ("bench", "program", "--mpi", mpich, "--repeat", "1000", "--json", "--", *command)
    with site.started(*words) as begun:
        deadline = time.monotonic() + LIMIT
        while not runs.exists() or len(runs.read_text().splitlines()) < RUNS_BEFORE_THE_SECOND_PAIR:
            assert time.monotonic() < deadline and begun.poll() is None
            time.sleep(0.05)
        begun.send_signal(signal.SIGINT)
        out, err = begun.communicate(timeout=LIMIT)
    assert begun.returncode == 130, err
    assert "stopped by SIGINT" in err
    (row,) = json.loads(out)["rows"]
    assert row["repeats"] >= 1


@pytest.mark.skipif(complaint() != "", reason=complaint())
def test_calls_between_hosts_are_measured(site: Any, build: Build) -> None:
    """With every sensor of the build; a program whose host lacks a variable of it would not start."""
    words = ("--ranks", "2", "--calls", "send", "--bytes", "4096", "--repeat", "2", "--network", "limited")
    done = site.nereus("bench", "monitor", "--mpi", build.name, *words, "--json", limit=LIMIT)
    assert done.code == 0, done.err
    rows = done.document["rows"]
    wanted = {"wrappers"} if build.kind != "openmpi" else {"wrappers", "openmpi"}
    if (build.prefix / COMPONENTS).exists():
        wanted.add("components")
    assert {row["sensor"] for row in rows} == wanted
    for row in rows:
        assert (row["network"], row["call"], row["ranks"]) == ("limited", "send", 2)
        assert row["off_nanoseconds"] > 0


def test_share_of_communication_of_a_step_is_told(site: Any, mpich: str) -> None:
    words = (
        "--ranks",
        "2",
        "--calls",
        "halo",
        "--bytes",
        "64,262144",
        "--repeat",
        "2",
        "--picture",
        "map.svg",
    )
    done = site.nereus("bench", "monitor", "--mpi", mpich, *words, "--json", limit=LIMIT)
    assert done.code == 0, done.err
    short, long = done.document["rows"]
    for row in (short, long):
        assert 0 < row["communication_percent"] <= 100
    assert short["communication_percent"] > long["communication_percent"]  # by far
    assert (site.folder / "map.svg").read_text().startswith("<?xml")
