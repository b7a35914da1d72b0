# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: simulations on all cores with the same results, and an end that is one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from nereus.simulation.workload.comparison import Case, Comparison, Variant
from nereus.simulation.workload.figures import Figures
from nereus.simulation.workload.loading import load_workload
from nereus.simulation.workload.workers import Watcher, WorkerError, simulate_all, usual_workers

Nereus = Callable[..., tuple[int, str, str]]
T = TypeVar("T")
COMMAND = (sys.executable, "-c", "from nereus.cli.start import main; main()", "simulate", "workload")
SMALL = """
cores = 64
order = ["easy", "fcfs"]
malleable = [0, 50]
seeds = 2
[generated]
jobs = 60
every = 20.0
seconds = 300.0
most_ranks = 32
limit_factor = 2.0
"""
#: Its queue grows without end, and each job that ends early has the order look at all of it.
LONG = """
cores = 64
order = ["fcfs", "conservative"]
seeds = 2
[generated]
jobs = 20000
every = 1.0
seconds = 300.0
most_ranks = 64
limit_factor = 3.0
"""
PATIENCE_SECONDS = 120


def file_of(folder: Path, text: str) -> Path:
    file = folder / "w.toml"
    file.write_text(text)
    return file


@contextmanager
def started(*words: str | Path) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen([*COMMAND, *map(str, words)], text=True, stdout=-1, stderr=-1)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def children(process: "subprocess.Popen[str]", count: int) -> list[int]:
    """As soon as there are so many."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return waited_for(
        lambda: [int(pid) for pid in listed.read_text().split()], lambda found: len(found) == count
    )


def waited_for(look: Callable[[], T], fits: Callable[[T], bool]) -> T:
    end = time.monotonic() + PATIENCE_SECONDS
    while not fits(found := look()):
        assert time.monotonic() < end, found
        time.sleep(0.02)
    return found


def lines_of(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def telling(told: list[int]) -> Callable[[int, Case], None]:
    return lambda jobs, case: told.append(jobs)


def test_results_do_not_depend_on_the_number_of_workers(nereus: Nereus, tmp_path: Path) -> None:
    file = file_of(tmp_path, SMALL)
    printed = [
        nereus("simulate", "workload", file, "--workers", count, "--json", "--quiet") for count in "123"
    ]
    assert printed[0][0] == 0 and len(json.loads(printed[0][1])["rows"]) == 8
    assert printed[0] == printed[1] == printed[2]


def test_little_is_simulated_without_workers(tmp_path: Path) -> None:
    few = Comparison(load_workload(file_of(tmp_path, SMALL), {}))
    assert usual_workers(few, few.cases) == 1
    many = Comparison(load_workload(file_of(tmp_path, LONG), {}))
    assert usual_workers(many, many.cases) == len(os.sched_getaffinity(0))


def test_all_jobs_of_all_cases_are_told_of(tmp_path: Path) -> None:
    comparison = Comparison(load_workload(file_of(tmp_path, SMALL), {}))
    for workers in (1, 2):
        told: list[int] = []
        done: dict[Case, Figures] = {}
        watcher = Watcher(telling(told), done.__setitem__, lambda: False)
        simulate_all(comparison, comparison.cases, workers, watcher)
        assert sum(told) == 60 * 8 and len(told) < 60
        assert set(done) == set(comparison.cases)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_all_workers_and_keeps_what_is_done(number: signal.Signals, tmp_path: Path) -> None:
    file, results = file_of(tmp_path, LONG), tmp_path / "r.jsonl"
    with started(file, "--workers", "2", "--results", results, "--quiet") as process:
        waited_for(lambda: lines_of(results), lambda lines: lines == 3)
        workers = children(process, 2)
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 128 + number
    assert err.splitlines() == [f"nereus: stopped by {number.name}; run the same command to continue"]
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)
    assert lines_of(results) == 3


def test_signal_ends_what_runs_without_workers(tmp_path: Path) -> None:
    file, results = file_of(tmp_path, LONG), tmp_path / "r.jsonl"
    with started(file, "--workers", "1", "--results", results, "--quiet") as process:
        waited_for(lambda: lines_of(results), lambda lines: lines == 3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, err.count("\n")) == (130, 1)


def test_killed_worker_is_an_error_and_ends_the_others(tmp_path: Path) -> None:
    with started(file_of(tmp_path, LONG), "--workers", "2", "--order", "conservative", "--quiet") as process:
        workers = children(process, 2)
        os.kill(workers[0], signal.SIGKILL)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, out) == (2, "")
    assert err == (
        "nereus: conservative, 0 % malleable, seed 42: its worker ended by SIGKILL; if memory ran out, "
        "fewer --workers help\n"
    )
    assert not any(Path(f"/proc/{pid}").exists() for pid in workers)


def test_worker_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    with started(file_of(tmp_path, LONG), "--workers", "2", "--order", "conservative", "--quiet") as process:
        workers = children(process, 2)
        process.kill()
        process.wait()
        waited_for(lambda: [Path(f"/proc/{pid}").exists() for pid in workers], lambda there: not any(there))


def test_mistake_in_a_worker_is_an_error_that_names_the_case(tmp_path: Path) -> None:
    comparison = Comparison(load_workload(file_of(tmp_path, SMALL), {}))
    wrong = [Case(Variant("no-such-order", "none", 0.0), seed) for seed in (1, 2)]
    watcher = Watcher(lambda jobs, case: None, lambda case, figures: None, lambda: False)
    with pytest.raises(
        WorkerError, match=r"^no-such-order, 0 % malleable, seed [12]: KeyError: 'no-such-order'$"
    ):
        simulate_all(comparison, wrong, 2, watcher)


def test_what_users_can_mend_is_said_in_the_words_of_one_process(tmp_path: Path) -> None:
    trace = tmp_path / "day.swf"
    trace.write_text("".join(f"{n} {n} -1 10 2 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1\n" for n in (1, 2)))
    comparison = Comparison(load_workload(trace, {"cores": 4, "malleable": [0, 50]}))
    trace.unlink()
    watcher = Watcher(lambda jobs, case: None, lambda case, figures: None, lambda: False)
    with pytest.raises(WorkerError, match=r"^.*day\.swf: cannot be read: No such file or directory$"):
        simulate_all(comparison, comparison.cases, 2, watcher)
