# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: what a job writes about itself, read while it grows, whatever is in the file."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from a_job_page import committed, emulation, iteration, progress

from nereus.daemon.page.job import results as job_results
from nereus.daemon.page.job.resizes import Resize, best_told
from nereus.daemon.page.job.results import Results, file_in

MEASURED: list[dict[str, Any]] = [
    {"event": "header", "time": 1000.0, "generation": 0, "format": "nereus-measured", "version": 1},
    {
        **{"event": "generation_ended", "time": 1010.0, "generation": 0, "ranks": 2, "hosts": ["h", "h"]},
        **{"cores": 2, "iterations": 10, "iteration_seconds": [0.1, 0.1], "constant_bytes": 0},
        **{"iteration_total_seconds": [1.0, 1.0], "variable_bytes": 0, "memory": "shared"},
        "stages": [
            {
                **{"name": "product", "kind": "compute", "bytes": 0, "iterations": [10, 10]},
                **{"seconds": [0.05, 0.05], "total_seconds": [0.4, 0.6]},
            },
            {
                **{"name": "halo", "kind": "p2p", "bytes": 8, "iterations": [10, None]},
                **{"seconds": [0.02, None], "total_seconds": [0.2, None]},
            },
        ],
    },
    {**committed(1011.0, 2, 3, 1), "event": "committed"},
    {"event": "resize_undone", "time": 1012.0, "generation": 1, "from": 3, "to": 9, "reason": "no slots"},
]


def test_measured_file_tells_stages_and_resizes_of_generations_that_ended(tmp_path: Path) -> None:
    file = tmp_path / "measured.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in MEASURED))
    results = Results(file)
    assert results.read_so_far() == [] and not results.has_iterations
    (stages,) = results.documents_of_stages()
    assert (stages["ranks"], stages["iterations"], stages["seconds"]) == (2, 10, 0.1)
    parts = [(one["name"], one["kind"], round(one["seconds"], 9)) for one in stages["parts"]]
    assert parts == [
        ("product", "computation", 0.05),
        ("halo", "communication", 0.01),
        ("other", "other", 0.04),
    ]
    done, undone = results.resizes
    assert (done.time_unix, done.sentence) == (1011.0, "from 2 to 3 ranks")
    assert (undone.is_done, undone.sentence) == (False, "to 9 ranks was not done: it stays at 3")
    assert undone.facts == {"reason": "no slots"}


def test_generation_that_has_not_ended_has_no_stages_yet(tmp_path: Path) -> None:
    begun = {"event": "generation_started", "time": 1.0, "group": 0, "ranks": 2}
    ended = iteration(0, 0, 0.03, 0.01)
    file = tmp_path / "run.jsonl"
    file.write_text(emulation({**begun, "generation": 0}, ended, {**begun, "generation": 1, "ranks": 5}))
    results = Results(file)
    results.read_so_far()
    (stages,) = results.documents_of_stages()
    assert (stages["generation"], stages["ranks"], stages["iterations"]) == (0, 2, 1)


def test_lines_are_taken_once_they_are_whole(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    results = Results(file)
    assert results.look() == [] and "cannot be read: No such file" in results.trouble
    text = emulation(progress(1.0, 1, 0.5), began=0.0)
    for begin in range(0, len(text), 100):
        with file.open("a") as growing:
            growing.write(text[begin : begin + 100])
        found = results.look()
    assert [(point.iteration, point.seconds, point.time_unix) for point in found] == [(1, 0.5, 1.0)]
    assert results.look() == [] and results.has_iterations


@pytest.mark.parametrize(
    "line",
    [
        b"\xff\xfe",
        b"[" * 100_000,
        b"[]",
        b'{"event": []}',
        b'{"event": "progress", "time": 1e999}',
        json.dumps(progress(1.0, 2**64, 0.1)).encode(),
        json.dumps({**iteration(0, 0, 0.1, 0.1), "phase": 7}).encode(),
        json.dumps({**iteration(0, 0, 0.1, 0.1), "stage_seconds": [1.0]}).encode(),
        json.dumps({**committed(1.0, 2, 4, 1), "to": -1}).encode(),
        json.dumps({**committed(1.0, 2, 4, 1), "time": "x"}).encode(),
        json.dumps({**committed(1.0, 2, 4, 1), "time": 10**400}).encode(),
        b'{"event": "header", "format": "other"}',
    ],
)
def test_damaged_lines_are_passed_over(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(emulation().encode() + line + b"\n" + json.dumps(progress(2.0, 3, 0.1)).encode() + b"\n")
    results = Results(file)
    assert [point.iteration for point in results.read_so_far()] == [3]
    assert list(results.resizes) == []


def test_facts_of_a_damaged_report_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    strange = {
        "pause_seconds": "long",
        "bytes_moved": 10**400,
        "process_strategies": [1],
        "transfer_method": 5,
    }
    file.write_text(emulation({**committed(1.0, 2, 4, 1), **strange}))
    results = Results(file)
    results.read_so_far()
    assert results.resizes[0].facts == {"processes by": "merge"}


def test_source_that_knows_of_most_resizes_that_were_done_is_shown() -> None:
    failed = [Resize(1.0, 2, 9, "results", False), Resize(2.0, 2, 9, "results", False)]
    daemon, seen = [Resize(3.0, 2, 4, "daemon")], [Resize(3.5, 2, 4, "status")]
    assert best_told([failed, daemon, seen]) == daemon
    assert best_told([[], [], seen]) == seen
    assert best_told([[], daemon, [*seen, Resize(5.0, 4, 3, "status")]])[-1].ranks == 3
    assert list(best_told([[], [], []])) == []


def test_of_a_very_long_file_the_header_and_the_latest_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_results, "MOST_AT_ONCE", 4096)
    monkeypatch.setattr(job_results, "MOST_BEFORE", 8192)
    file = tmp_path / "run.jsonl"
    file.write_text(emulation(*(progress(at / 10, at, 0.1) for at in range(1, 2001))))
    results = Results(file)
    found = [point.iteration for point in results.read_so_far()]
    assert found[-1] == 2000 and len(found) < 200 and results.has_iterations


def test_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    results = Results(tmp_path / "pipe")
    assert results.read_so_far() == [] and "is no regular file" in results.trouble


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["/x/nereus-emulator", "run.json", "--results", "out/run.jsonl"], "/f/out/run.jsonl"),
        (["./cg", "--nereus-results=m.jsonl"], "/f/m.jsonl"),
        (["./cg", "--nereus-results", "/m.jsonl"], "/m.jsonl"),
        (["./cg", "--results", "theirs"], None),
        (["./cg", "--nereus-results"], None),
        (["./cg", "--nereus-results="], None),
        ([], None),
    ],
)
def test_file_is_found_in_the_command_of_the_job(command: list[str], expected: str | None) -> None:
    assert file_in(command, Path("/f")) == (None if expected is None else Path(expected))
