# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench processes with real MPIs: processes are made, joined and woken, and nothing is left."""

import subprocess
from typing import Any

import pytest

from nereus.launch import choose, command

# Two trials of each way: an MPI that hangs once in a while must not fail the test, and after two failures a
# way is given up.
BENCH = ("bench", "processes", "--from", "1", "--to", "2", "--repeat", "2", "--json")
LIMIT = 300.0


def rows(site: Any, mpi: str, *options: str) -> dict[str, dict[str, Any]]:
    result = site.nereus(*BENCH, "--mpi", mpi, *options, limit=LIMIT)
    assert result.code == 0, result.err
    found = result.document["rows"]
    return {f"{row['method']}:{'+'.join(row['strategies']) or 'none'}": row for row in found}


def check(row: dict[str, Any]) -> None:
    assert row["works"], row["reason"]
    assert row["make_seconds"] > 0
    assert row["connect_seconds"] >= 0
    assert row["pause_seconds"] > 0
    assert row["seconds_per_process"] > 0


def test_ways_are_measured(site: Any, mpi: str) -> None:
    found = rows(site, mpi, "--methods", "merge", "--strategies", "none,join,wake")
    assert list(found) == ["merge:none", "merge:join", "merge:wake"]
    for row in found.values():
        check(row)


def test_ways_that_replace_rank_0_are_measured(site: Any, mpich: str) -> None:
    found = rows(site, mpich, "--methods", "baseline-intra", "--strategies", "none,join")
    assert list(found) == ["baseline-intra:none", "baseline-intra:join"]
    for row in found.values():
        check(row)


def test_ways_unsupported_by_an_mpi_have_a_reason(site: Any, mpich_debian: str) -> None:
    result = site.nereus(
        *BENCH, "--mpi", mpich_debian, "--methods", "merge", "--strategies", "none", limit=LIMIT
    )
    assert result.code == 1
    (row,) = result.document["rows"]
    assert not row["works"]
    assert "spawn" in row["reason"]


def started(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """One process of a program, as mpiexec starts it."""
    build = choose("mpich")
    start = command(build, 1, build.program(program), arguments)
    return subprocess.run(start.arguments, capture_output=True, text=True, timeout=LIMIT, check=False)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("--from 1 --to 3", "found no combination, allowed is METHOD:STRATEGIES"),
        ("--from 3 --to 3 merge:none", "--to = 3: must be more than --from, 3"),
        ("--from 1 --to 3 merge:bad", "merge:bad: allowed is METHOD:STRATEGIES"),
        ("--from 1 --to 3 merge", "merge: allowed is METHOD:STRATEGIES"),
        ("--from 1 --to 3 baseline-inter:wake", "baseline-inter:wake: allowed is METHOD:STRATEGIES"),
        ("--from 1 --to 3 merge:none merge:wake", "merge:wake needs a run of its own"),
        ("--from 2 --to 3 merge:none", "--from = 2: the job has 1 processes; start it with 2"),
        ("--from 1 --to 3 merge:wake", "--to = 3: the job has 1 processes; start it with 3"),
        ("--from x --to 3 merge:none", "--from"),
    ],
)
def test_bad_input_of_nereus_resizes_gives_one_line(mpich: str, arguments: str, expected: str) -> None:
    result = started("nereus-resizes", *arguments.split())
    assert result.returncode == 2
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("nereus")]
    assert line.startswith("nereus-resizes: ")
    assert expected in line


def test_release_of_an_unknown_port_ends_with_reason(mpich: str) -> None:
    result = started("nereus-release", "no-such-port")
    assert result.returncode == 1
    assert "nereus-release: " in result.stderr
    assert started("nereus-release").returncode == 2
