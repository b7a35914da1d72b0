# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a map that shows what ranks really sent each other in their generation."""

from pathlib import Path
from typing import Any

import pytest
from a_job_page import KEY, known_communicators, line_of, record

from nereus.daemon.page.job.traffic import MOST_ROWS, Traffic


class Run:
    """A monitored run, whose records a test changes."""

    def __init__(self, *lines: bytes) -> None:
        self.lines = list(lines)
        self.is_there = True
        self.reads = 0
        self.communicators: list[bytes] = []

    def traffic(self) -> Traffic:
        known = known_communicators(self.communicators)
        return Traffic(KEY, lambda: [Path("/run")], self.read, lambda _: self.is_there, known)

    def read(self, _: Path) -> list[bytes]:
        self.reads += 1
        return self.lines

    def look(self, traffic: Traffic, now: float) -> dict[str, Any]:
        assert traffic.look(now)
        assert traffic.document is not None
        return traffic.document


def test_bytes_of_each_pair_are_told_in_total_and_since_the_look_before() -> None:
    run = Run(*record(0, 2, {1: 100}), *record(1, 2, {0: 5}))
    traffic = run.traffic()
    first = run.look(traffic, 10.0)
    assert (first["ranks"], first["bin"], first["seen"], first["seconds"]) == (2, 1, 2, None)
    assert first["cells"] == [[0, 1, 100, 0], [1, 0, 5, 0]]
    run.lines = [*record(0, 2, {1: 350}), *record(1, 2, {0: 5})]
    second = run.look(traffic, 12.0)
    assert second["seconds"] == 2.0 and second["cells"] == [[0, 1, 350, 250], [1, 0, 5, 0]]


def test_what_was_sent_before_a_resize_does_not_count() -> None:
    before = {"event": "moved", "kind": "point_to_point", "generation": 0, "to": [[1, 1, 999, {}]]}
    grown = record(0, 3, {2: 7}, generation=1)
    run = Run(*record(0, 2, {1: 999}))
    traffic = run.traffic()
    run.look(traffic, 10.0)
    run.lines = [*grown, line_of(before), *record(1, 3, {}, generation=1)]
    found = run.look(traffic, 11.0)
    assert (found["generation"], found["ranks"], found["seconds"]) == (1, 3, None)
    assert found["cells"] == [[0, 2, 7, 0]]


def test_data_of_a_get_go_to_its_caller_and_files_are_no_messages() -> None:
    run = Run(*record(0, 2, {1: 50}, kind="get"), *record(1, 2, {0: 9}, kind="write"))
    assert run.look(run.traffic(), 1.0)["cells"] == [[1, 0, 50, 0]]


def test_collectives_count_as_their_messages_where_those_were_seen() -> None:
    messages = {"event": "moved", "kind": "decomposed", "generation": 0, "to": [[1, 1, 30, {}]]}
    whole = {
        "event": "moved",
        "kind": "collective",
        "generation": 0,
        "reach": "all",
        "messages": 1,
        "bytes": 8,
    }
    run = Run(*record(0, 2, {1: 100}), line_of(whole))
    alone = run.look(run.traffic(), 1.0)
    assert (alone["cells"], alone["to_all"]) == ([[0, 1, 100, 0]], 8)
    run.lines.append(line_of(messages))
    seen = run.look(run.traffic(), 1.0)
    assert (seen["cells"], seen["to_all"]) == ([[0, 1, 130, 0]], 0)


@pytest.mark.parametrize(
    ("reach", "two_sides", "cells"),
    [
        ("all", False, [[1, 0, 8, 0], [1, 2, 8, 0]]),
        ("higher", False, [[1, 2, 8, 0]]),
        ("all", True, [[1, 0, 8, 0], [1, 1, 8, 0], [1, 2, 8, 0]]),
        ("nobody", False, []),
    ],
)
def test_collectives_go_to_the_members_of_their_communicator(
    reach: str, two_sides: bool, cells: list[list[int]]
) -> None:
    called: dict[str, Any] = {"reach": reach, "communicator": 4, "messages": 1, "bytes": 8, "to": []}
    run = Run(*record(1, 3, {}, kind="collective", **called))
    told = {"communicator": 4, "name": "", "own_rank": 1, "two_sides": two_sides, "members": [[0, 0, 3, 1]]}
    process, *_ = record(1, 3, {})
    run.communicators = [process, line_of({"event": "communicator", **told})]
    found = run.look(run.traffic(), 1.0)
    assert (found["cells"], found["to_all"]) == (cells, 0)


def test_damaged_communicators_are_as_unknown_ones() -> None:
    run = Run(*record(0, 2, {}, kind="collective", reach="all", communicator=4, bytes=8))
    run.communicators = [b'{"event":"communicator","communicator":4}']
    found = run.look(run.traffic(), 1.0)
    assert (found["cells"], found["to_all"]) == ([], 8)


def test_many_ranks_are_binned_and_no_byte_is_lost() -> None:
    ranks = 1000
    lines = [line for rank in range(ranks) for line in record(rank, ranks, {(rank + 1) % ranks: 10})]
    run = Run(*lines)
    found = run.look(run.traffic(), 1.0)
    rows = -(-ranks // found["bin"])
    assert rows <= MOST_ROWS and found["ranks"] == ranks
    assert sum(cell[2] for cell in found["cells"]) == 10 * ranks
    assert all(0 <= each < rows for cell in found["cells"] for each in cell[:2])


def test_peers_that_are_no_rank_are_counted_beside_the_map() -> None:
    run = Run(*record(0, 2, {1: 5, 77: 40}))
    found = run.look(run.traffic(), 1.0)
    assert (found["cells"], found["elsewhere"], found["seen"]) == ([[0, 1, 5, 0]], 40, 1)


def test_run_of_another_job_is_not_read_at_each_look() -> None:
    run = Run(*(line.replace(KEY.encode(), b"b" * 16) for line in record(0, 2, {1: 5})))
    traffic = run.traffic()
    assert [traffic.look(float(at)) for at in range(10)] == [False] * 10
    assert traffic.document is None and run.reads == 2


def test_map_stays_when_the_run_is_over() -> None:
    run = Run(*record(0, 2, {1: 5}))
    traffic = run.traffic()
    before = run.look(traffic, 1.0)
    run.is_there, run.lines = False, []
    assert not traffic.look(2.0) and traffic.document == before


@pytest.mark.parametrize("line", [b'{"event":"process"', b'{"event":"moved","kind":"other"}'])
def test_damaged_records_are_as_none(line: bytes) -> None:
    run = Run(*record(0, 2, {1: 5}), line)
    traffic = run.traffic()
    assert not traffic.look(1.0) and traffic.document is None


def test_lines_that_are_not_known_are_passed_over() -> None:
    run = Run(*record(0, 2, {1: 5}), b"\xff", b'{"event":"of_tomorrow"}')
    assert run.look(run.traffic(), 1.0)["cells"] == [[0, 1, 5, 0]]
