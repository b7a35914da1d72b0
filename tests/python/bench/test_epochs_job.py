# SPDX-License-Identifier: BSD-3-Clause
"""What `nereus bench recovery` reads in the log of nereus-epochs."""

import json
from pathlib import Path

from nereus.bench.logged_job import EventLog, Iterated


def opened(time: float, iteration: int) -> str:
    return json.dumps({"event": "opened", "time": time, "iteration": iteration, "seconds": 0.1, "pids": [7]})


def iterated(time: float, iteration: int) -> str:
    return json.dumps({"event": "iterated", "time": time, "iteration": iteration})


def log_of(folder: Path, *lines: str) -> EventLog:
    log = EventLog(folder / "events.jsonl")
    log.path.write_text("\n".join(lines) + "\n")
    log.read()
    return log


def test_log_that_is_not_there_yet_has_no_events(tmp_path: Path) -> None:
    log = EventLog(tmp_path / "events.jsonl")
    log.read()
    assert (log.opened, log.iterated) == ([], [])


def test_events_are_read_once_and_half_a_line_later(tmp_path: Path) -> None:
    log = log_of(tmp_path, opened(1, 0), iterated(2, 1))
    with log.path.open("a") as file:
        file.write(iterated(3, 2)[:10])
        file.flush()
        log.read()
        assert len(log.iterated) == 1
        file.write(iterated(3, 2)[10:] + "\n")
    log.read()
    assert [one.iteration for one in log.iterated] == [1, 2]
    assert [one.pids for one in log.opened] == [[7]]


def test_half_a_line_of_a_killed_process_is_no_event(tmp_path: Path) -> None:
    log = log_of(tmp_path, opened(1, 0), iterated(2, 1)[:30], "", opened(3, 0), iterated(4, 1))
    assert [one.time for one in log.opened] == [1, 3]
    assert log.iterated == [Iterated(4, 1)]


def test_iterations_are_found_by_their_time(tmp_path: Path) -> None:
    log = log_of(tmp_path, *[iterated(time, time * 10) for time in (1, 2, 3)])
    assert log.first_iteration_after(0.5) == Iterated(1, 10)
    assert log.first_iteration_after(2) == Iterated(3, 30)
    assert log.first_iteration_after(3) is None
    assert log.last_iteration_before(2.5) == Iterated(2, 20)
