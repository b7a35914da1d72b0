# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose where costs of resizes meet reservations, whole nodes and other files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Nereus = Callable[..., tuple[int, str, str]]
TWO = """cores = 4
[[jobs]]
name = "a"
ranks = 2
seconds = 10
limit = 20
[[jobs]]
name = "b"
ranks = 4
seconds = 10
limit = 20
"""
EXPORT = "JobID|Submit|ElapsedRaw|AllocCPUS|Timelimit\n1|2026-01-01T00:00:00|60|2|01:00:00\n"


def job(name: str, submit: float, ranks: int, seconds: float, more: str = "") -> str:
    return f'[[jobs]]\nname = "{name}"\nsubmit = {submit}\nranks = {ranks}\nseconds = {seconds}\n{more}\n'


def row_of(nereus: Nereus, folder: Path, text: str, *options: str) -> dict[str, Any]:
    file = folder / "w.toml"
    file.write_text(text)
    code, out, err = nereus("simulate", "workload", file, "--json", *options)
    assert code == 0, err
    (row,) = json.loads(out)["rows"]
    return dict(row)


def test_job_that_is_killed_in_a_resize_delays_none_beside_a_reservation(
    nereus: Nereus, tmp_path: Path
) -> None:
    """Its end differs from what its limit was before it by the last digit of a sum."""
    text = """cores = 20
order = ["easy"]
strategy = ["keep-least"]
[resize_cost]
method = "constant"
seconds = 1000.0
[[reservations]]
begin = 1000.0
end = 1001.0
cores = 8
"""
    text += job("first", 0.0, 1, 0.05, "limit = 0.05")
    text += job("gives", 15.51, 8, 70.18, 'limit = 35.09\nkind = "malleable"\nleast = 2\nmost = 8')
    text += job("beside", 15.51, 8, 70.18, "limit = 35.09")
    text += job("waits", 19.563, 8, 50.0, "limit = 60.0")
    text += job("next", 50.59, 5, 50.0, "limit = 60.0") + job("last", 50.59, 6, 5.0, "limit = 5.0")
    assert row_of(nereus, tmp_path, text)["killed"] == 2


def test_whole_nodes_come_from_the_job_that_loses_least_by_them(nereus: Nereus, tmp_path: Path) -> None:
    """Beyond 20 ranks nobody gains: the wide job gives a node, and all run as long as on their own."""
    text = """cores = 80
cores_per_node = 16
allocation = "exclusive"
strategy = ["speedup"]
[speedup]
model = "downey"
parallelism = 20.0
variance = 0.0
"""
    text += job("few", 0, 17, 1000, 'kind = "malleable"\nleast = 1\nmost = 32')
    text += job("wide", 0, 48, 1000, 'kind = "malleable"\nleast = 16\nmost = 48')
    text += job("next", 10, 16, 2000)
    assert row_of(nereus, tmp_path, text)["mean_turnaround_seconds"] == pytest.approx(4000 / 3)


def test_ranks_not_cores_of_nodes_move_data(nereus: Nereus, tmp_path: Path) -> None:
    """From one rank on a node of 64 cores to 128: all but a 128th of 64 GB leave that rank."""
    text = """cores = 128
cores_per_node = 64
allocation = "exclusive"
[resize_cost]
method = "messages"
memory_per_rank = 64e9
rate_per_rank = 1e9
seconds = 0.0
"""
    found = row_of(nereus, tmp_path, text + job("a", 0, 1, 1000, 'kind = "malleable"\nmost = 128'))
    assert found["core_hours_lost_to_resizes"] == pytest.approx(63.5 * 128 / 3600)


def test_killed_jobs_are_shown_where_there_are_any(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(TWO.replace("limit = 20", "limit = 5", 1))
    _, out, _ = nereus("simulate", "workload", file, "--quiet")
    assert "killed" in out.splitlines()[1] and out.splitlines()[2].split()[-1] == "1"
    file.write_text(TWO)
    assert "killed" not in nereus("simulate", "workload", file, "--quiet")[1]


@pytest.mark.parametrize("options", [("--output", "--results", "r.jsonl"), ("--picture", "--gantt", "p.svg")])
def test_one_file_for_two_things_is_refused(
    nereus: Nereus, tmp_path: Path, options: tuple[str, str, str]
) -> None:
    file = tmp_path / "w.toml"
    file.write_text(TWO)
    one, other, name = options
    code, _, err = nereus("simulate", "workload", file, one, tmp_path / name, other, tmp_path / name)
    assert code == 2 and "allowed are different files" in err
    assert not (tmp_path / name).exists()


def test_memory_that_a_trace_does_not_tell_is_refused(nereus: Nereus, tmp_path: Path) -> None:
    (tmp_path / "january.sacct").write_text(EXPORT)
    file = tmp_path / "w.toml"
    file.write_text(
        'cores = 4\ntrace = "january.sacct"\n[resize_cost]\nmethod = "messages"\nmemory_from = "used"\n'
    )
    code, _, err = nereus("simulate", "workload", file)
    assert code == 2 and "january.sacct: has no memory of jobs: resize_cost.memory_from" in err


def test_orders_that_need_limits_can_be_added_to_results(nereus: Nereus, tmp_path: Path) -> None:
    file, results = tmp_path / "w.toml", tmp_path / "r.jsonl"
    file.write_text(TWO)
    assert nereus("simulate", "workload", file, "--results", results)[0] == 0
    assert nereus("simulate", "workload", file, "--results", results, "--order", "easy", "--skip-bad")[0] == 0
    assert len(results.read_text().splitlines()) == 3


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (('"fcfs"', '["fcfs"]'), "order and strategy: names are allowed"),
        (('"seed": 42', '"seed": "42"'), "malleable_percent and seed: numbers are allowed"),
        (('"killed": 0', '"killed": NaN'), "killed = nan: a number from 0 is allowed"),
        (('"killed": 0', '"killed": true'), "killed = True: a number from 0 is allowed"),
    ],
)
def test_damaged_results_are_reported(
    nereus: Nereus, tmp_path: Path, damage: tuple[str, str], said: str
) -> None:
    file, results = tmp_path / "w.toml", tmp_path / "r.jsonl"
    file.write_text(TWO)
    assert nereus("simulate", "workload", file, "--results", results)[0] == 0
    text = results.read_text()
    assert damage[0] in text
    results.write_text(text.replace(*damage))
    code, _, err = nereus("simulate", "workload", file, "--results", results)
    assert code == 2 and err == f"nereus: {results}:2: {said}\n"
