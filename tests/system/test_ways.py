# SPDX-License-Identifier: BSD-3-Clause
"""nereus bench processes with real MPIs: processes are made, joined and woken, and nothing is left."""

from typing import Any

# Several trials of each way: an MPI that hangs once in a while must not fail the test.
BENCH = ("bench", "processes", "--from", "1", "--to", "2", "--repeat", "3", "--json")
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


def test_ways_in_which_rank_0_is_replaced_are_measured(site: Any, mpich: str) -> None:
    found = rows(site, mpich, "--methods", "baseline-intra", "--strategies", "none,join")
    assert list(found) == ["baseline-intra:none", "baseline-intra:join"]
    for row in found.values():
        check(row)


def test_ways_that_an_mpi_cannot_do_have_a_reason(site: Any, mpich_debian: str) -> None:
    result = site.nereus(
        *BENCH, "--mpi", mpich_debian, "--methods", "merge", "--strategies", "none", limit=LIMIT
    )
    assert result.code == 1
    (row,) = result.document["rows"]
    assert not row["works"]
    assert "spawn" in row["reason"]
