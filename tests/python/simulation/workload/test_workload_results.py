# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: results that are kept, and that are never those of another workload."""

import fcntl
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Nereus = Callable[..., tuple[int, str, str]]
WORKLOAD = """
cores = 64
order = ["easy", "fcfs"]
malleable = [0, 50]
seeds = 2
[generated]
jobs = 40
every = 20.0
seconds = 300.0
most_ranks = 32
limit_factor = 2.0
"""
TRACE = "1 0 -1 10 2 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1\n2 5 -1 10 4 -1 -1 -1 20 -1 1 1 1 1 1 1 -1 -1\n"


class Kept:
    """Calls of the command that keep their results in one file."""

    def __init__(self, nereus: Nereus, folder: Path) -> None:
        self._nereus = nereus
        self.workload, self.file = folder / "w.toml", folder / "results.jsonl"
        self.workload.write_text(WORKLOAD)

    def __call__(self, *words: str | Path, of: Path | None = None) -> tuple[int, str, str]:
        file = self.workload if of is None else of
        return self._nereus("simulate", "workload", file, "--results", self.file, "--json", "--quiet", *words)

    @property
    def lines(self) -> list[str]:
        return self.file.read_text().splitlines()


@pytest.fixture
def kept(nereus: Nereus, tmp_path: Path) -> Kept:
    return Kept(nereus, tmp_path)


def test_lines_are_the_rows(kept: Kept) -> None:
    code, out, err = kept()
    assert (code, err) == (0, "")
    header, *rows = map(json.loads, kept.lines)
    assert rows == json.loads(out)["rows"]
    assert header["format"] == "nereus-workload-results" and len(header["workload"]) == 64


def test_what_is_there_is_not_simulated_again(kept: Kept) -> None:
    first = kept()
    before = kept.lines
    changed = [json.loads(line) for line in before]
    changed[1]["mean_wait_seconds"] = 12345.0
    kept.file.write_text("".join(json.dumps(line) + "\n" for line in changed))
    code, out, _ = kept()
    assert code == 0 and len(kept.lines) == len(before)
    assert json.loads(out)["rows"][0]["mean_wait_seconds"] == 12345.0
    assert json.loads(out)["rows"][1:] == json.loads(first[1])["rows"][1:]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_results_go_on_and_come_to_the_same(kept: Kept, workers: str) -> None:
    first, whole = kept(), kept.lines
    half = whole[4][: len(whole[4]) // 2]
    kept.file.write_text("".join(line + "\n" for line in whole[:4]) + half)
    code, out, err = kept("--workers", workers)
    assert (code, out) == first[:2]
    assert err == f"nereus: warning: {kept.file}: its last line was half written, and was removed\n"
    assert sorted(kept.lines) == sorted(whole)


def test_header_that_was_cut_is_written_again(kept: Kept) -> None:
    first, whole = kept(), kept.lines
    kept.file.write_text(whole[0][:20])
    assert kept()[:2] == first[:2]
    assert kept.lines == whole


def test_more_seeds_shares_and_orders_may_be_added(kept: Kept) -> None:
    kept("--seeds", "1", "--order", "easy")
    assert len(kept.lines) == 3
    code, out, _ = kept("--seeds", "3", "--malleable", "0,50,100")
    assert code == 0 and len(kept.lines) == 1 + 3 * 2 * 3
    fresh = kept.file.with_name("fresh.jsonl")
    kept.file = fresh
    assert kept("--seeds", "3", "--malleable", "0,50,100")[1] == out


@pytest.mark.parametrize("words", [("--cores", "65"), ("--moldable", "10"), ("--default-limit", "5")])
def test_another_workload_is_refused(kept: Kept, words: tuple[str, ...]) -> None:
    kept()
    before = kept.lines
    code, out, err = kept(*words)
    assert (code, out) == (2, "")
    assert err == (
        f"nereus: {kept.file}:1: its results are of another workload: the same jobs and keys are allowed, "
        "with other order, strategy, malleable, seed and seeds\n"
    )
    assert kept.lines == before


def test_trace_is_known_by_its_content(kept: Kept, tmp_path: Path) -> None:
    trace, moved = tmp_path / "day.swf", tmp_path / "moved.swf"
    trace.write_text(TRACE)
    assert kept("--cores", "4", of=trace)[0] == 0
    moved.write_text(TRACE)
    assert kept("--cores", "4", of=moved)[0] == 0
    moved.write_text(TRACE.replace("1 0 -1 10", "1 0 -1 11"))
    assert kept("--cores", "4", of=moved)[0] == 2
    # The first job has no limit: an order that needs one leaves it out.
    assert kept("--cores", "4", "--skip-bad", of=trace)[0] == 0
    assert kept("--cores", "4", "--skip-bad", "--order", "easy", of=trace)[0] == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("my notes", ":1: an object in JSON is allowed"),
        ('{"a": 1}\n', ":1: format = None: 'nereus-workload-results' is allowed"),
    ],
)
def test_file_of_something_else_is_left_as_it_is(kept: Kept, content: str, said: str) -> None:
    kept.file.write_text(content)
    code, _, err = kept()
    assert (code, err) == (2, f"nereus: {kept.file}{said}\n")
    assert kept.file.read_text() == content


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nonsense", "an object in JSON is allowed"),
        (
            '{"order": "easy"}',
            "allowed are the keys order, strategy, malleable_percent, seed, makespan_seconds",
        ),
    ],
)
def test_line_that_is_no_result_is_said_with_its_number(kept: Kept, line: str, said: str) -> None:
    kept()
    kept.file.write_text("\n".join([*kept.lines[:2], line, ""]))
    code, _, err = kept()
    assert code == 2 and err.startswith(f"nereus: {kept.file}:3: {said}")


def test_value_that_is_no_number_is_said_with_its_key(kept: Kept) -> None:
    kept()
    header, first, *_ = kept.lines
    kept.file.write_text("\n".join([header, first.replace('"resizes": 0', '"resizes": "no"'), ""]))
    code, _, err = kept()
    assert (code, err) == (2, f"nereus: {kept.file}:2: resizes = 'no': a number from 0 is allowed\n")


def test_two_simulations_do_not_write_into_one_file(kept: Kept) -> None:
    kept()
    with kept.file.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        code, _, err = kept()
    assert (code, err) == (2, f"nereus: {kept.file}: another simulation writes there now\n")


def test_folder_that_is_missing_is_said_before_anything_is_simulated(kept: Kept, tmp_path: Path) -> None:
    kept.file = tmp_path / "missing" / "r.jsonl"
    code, _, err = kept()
    assert (code, err) == (
        2,
        f"nereus: --results = {kept.file}: allowed is a file in a folder that exists\n",
    )
