# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: two runs beside each other, each figure of the same rows of both."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from a_run import HEADER as RECORD
from a_run import communicator, moved, process, world, write

import nereus as package
from nereus.analysis.frames.columns import COLUMNS
from nereus.analysis.frames.comparison import RULES, compared
from nereus.analysis.frames.tables import Tables

Nereus = Callable[..., tuple[int, str, str]]
HEADER = {"event": "header", "format": "nereus-measured", "version": 1, "program": "/opt/cg"}


def ended(ranks: int, seconds: float, generation: int = 0) -> dict[str, Any]:
    return {
        "event": "generation_ended", "generation": generation, "ranks": ranks, "hosts": ["a"] * ranks,
        "cores": 4, "iterations": 10, "iteration_seconds": [seconds] * ranks,
        "iteration_total_seconds": [10 * seconds] * ranks, "constant_bytes": 2048, "variable_bytes": 0,
        "memory": "private", "stages": [],
    }  # fmt: skip


def measured(file: Path, *events: dict[str, Any]) -> Path:
    file.write_text("".join(json.dumps(event) + "\n" for event in (HEADER, *events, {"event": "finished"})))
    return file


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Of 2 ranks, the second one slower; of 4 ranks in the second one alone."""
    resize = {
        "event": "committed", "request": 1, "generation": 1, "from": 2, "to": 4, "process_method": "merge",
        "process_strategies": [], "transfer_method": "p2p", "transfer_strategy": "blocking",
        "background_iterations": 0, "pause_seconds": 0.5,
    }  # fmt: skip
    first = measured(tmp_path / "first.jsonl", ended(2, 0.1))
    return first, measured(tmp_path / "second.jsonl", ended(2, 0.125), resize, ended(4, 0.07, 1))


def test_figures_of_both_are_those_of_the_same_keys(two: tuple[Path, Path]) -> None:
    rows = compared(*map(package.load, two))
    (slower,) = [row for row in rows if row.frame == "ranks" and row.keys == {"ranks": 2}]
    assert (slower.figure, slower.unit) == ("iteration_seconds", "s")
    assert (slower.first.value, slower.first.count) == (0.1, 2)
    assert (slower.second.value, slower.second.count) == (0.125, 2)
    assert slower.ratio == pytest.approx(1.25)


def test_what_only_one_has_is_shown_without_a_ratio(two: tuple[Path, Path]) -> None:
    for sides in (two, two[::-1]):
        rows = compared(*map(package.load, sides))
        (pause,) = [row for row in rows if row.figure == "pause_seconds"]
        assert pause.keys == {"from_ranks": 2, "to_ranks": 4} and pause.ratio is None
        assert {pause.first.value, pause.second.value} == {None, 0.5}


def test_command_shows_what_differs(two: tuple[Path, Path], nereus: Nereus) -> None:
    code, out, err = nereus("compare", *two)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "2 iteration seconds 100 ms 125 ms 1.250 -" in lines
    assert "2 constant bytes 2.00 KiB 2.00 KiB 1.000 -" in lines
    assert "2 4 pause seconds - 500 ms - -" in lines
    code, out, _ = nereus("compare", *two, "--least", 20)
    assert code == 0 and "125 ms" in out and "2.00 KiB 2.00 KiB" not in " ".join(out.split())
    code, out, _ = nereus("compare", two[0], two[0], "--least", 1)
    assert (code, out) == (0, "nothing differs by so much\n")


def test_document_has_all_figures(two: tuple[Path, Path], nereus: Nereus) -> None:
    code, out, _ = nereus("compare", *two, "--json")
    document = json.loads(out)
    assert code == 0 and document["kind"] == "measured"
    assert [document[side] for side in ("first", "second")] == [{"path": str(p), "notes": []} for p in two]
    assert document["rows"] == [dict(row.document()) for row in compared(*map(package.load, two))]


def test_two_of_different_kinds_are_refused(two: tuple[Path, Path], tmp_path: Path, nereus: Nereus) -> None:
    record = write(tmp_path / "record.jsonl", RECORD, process(0, 2), process(1, 2), world(2))
    kinds = f"{two[0]} is of the kind measured and {record} of the kind record"
    said = f"nereus: {kinds}: allowed are two of one kind\n"
    assert nereus("compare", two[0], record) == (2, "", said)
    missing = tmp_path / "nothing"
    said = f"nereus: {missing}: cannot be read: No such file or directory\n"
    assert nereus("compare", two[0], missing) == (2, "", said)


def test_document_says_what_is_compared(two: tuple[Path, Path]) -> None:
    rows = compared(*map(package.load, two))
    (row,) = [row for row in rows if row.figure == "constant_bytes" and row.keys == {"ranks": 2}]
    assert row.document() == {
        "frame": "generations", "keys": {"ranks": 2}, "figure": "constant_bytes", "unit": "B",
        "first": 2048.0, "second": 2048.0, "ratio": 1.0, "first_count": 1, "second_count": 1, "p": None,
    }  # fmt: skip


def test_iterations_of_one_size_are_added_up(tmp_path: Path) -> None:
    resumed = {"event": "resumed", "generation": 1}
    file = measured(tmp_path / "m.jsonl", ended(2, 0.1), resumed, ended(2, 0.1, 1))
    (row,) = [row for row in compared(*[package.load(file)] * 2) if row.figure == "iterations"]
    assert (row.first.value, row.first.count) == (20, 2)


def simulations(*seeds: int, killed: int = 0) -> package.Frames:
    figures = {
        "makespan_seconds": 10.0, "mean_turnaround_seconds": 1.0, "mean_wait_seconds": 0.5,
        "utilisation": 0.5, "mean_bounded_slowdown": 1.5, "utilisation_by_ranks": 0.5, "killed": killed,
        "resizes": 12345678, "core_hours_lost_to_resizes": 1.0, "energy_kwh": 12000.0,
    }  # fmt: skip
    case = {"order": "easy", "strategy": "", "malleable_percent": 50.0}
    rows = [case | figures | {"seed": seed, "mean_wait_seconds": float(seed)} for seed in seeds]
    return of_rows("workload", "simulations", rows)


def test_simulations_are_compared_for_the_same_seeds() -> None:
    found = {row.figure: row for row in compared(simulations(1, 2, 3), simulations(3, 4, killed=2))}
    wait = found["mean_wait_seconds"]
    assert (wait.first.value, wait.first.count, wait.second.count, wait.ratio) == (3.0, 1, 1, 1.0)
    assert found["killed"].ratio is None and found["killed"].second.value == 2
    assert "failures" not in found and all(row.p is None for row in found.values())


def test_figures_have_the_units_that_they_have_elsewhere(
    nereus: Nereus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nereus.cli.compare.load", lambda path: simulations(1))
    code, out, _ = nereus("compare", "one", "other")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    for text in ("resizes 12345678", "energy kwh 12.0 MWh", "utilisation 50.0 %", "killed 0"):
        assert any(f" {text} " in line for line in lines), text


def test_text_from_files_is_text(tmp_path: Path, nereus: Nereus) -> None:
    stage = {
        "name": "\x1b[31m[bold]", "kind": "compute", "bytes": 0, "total_seconds": [1.0, 1.0],
        "seconds": [0.1, 0.1], "iterations": [10, 10],
    }  # fmt: skip
    file = measured(tmp_path / "m.jsonl", ended(2, 0.1) | {"stages": [stage]})
    _, out, _ = nereus("compare", file, file)
    assert "\\u001b[31m[bold]" in out and "\x1b" not in out


def test_note_says_of_which_record_it_is(tmp_path: Path, nereus: Nereus) -> None:
    one = write(tmp_path / "one.jsonl", RECORD, {"event": "unseen", "what": "the run", "why": "nobody"})
    code, out, err = nereus("compare", one, one)
    assert (code, out) == (0, "there is nothing to compare\n")
    assert err.splitlines() == [f"{one}: not seen: the run: nobody"] * 2


def test_messages_of_records_are_added_up(tmp_path: Path) -> None:
    lines = [RECORD, process(0, 2), communicator(0, [[0, 0, 2, 1]])]
    ends = [process(1, 2), world(2)]
    message = moved([[1, 3, 30, {"4": 3}]])
    one = write(tmp_path / "one.jsonl", *lines, message, *ends)
    two = write(tmp_path / "two.jsonl", *lines, message, message, *ends)
    found = {row.figure: row for row in compared(package.load(one), package.load(two))}
    assert (found["messages"].first.value, found["messages"].second.value) == (3, 6)
    assert found["bytes"].ratio == 2 and found["bytes"].keys == {"kind": "point_to_point"}


@pytest.mark.parametrize("kind", COLUMNS)
def test_rules_name_columns_that_there_are(kind: str) -> None:
    for rule in RULES[kind]:
        there = {column.name for column in COLUMNS[kind][rule.frame]}
        named = {*rule.keys.split(), *rule.figures.split(), *(rule.only or {})}
        assert named <= there, rule


def test_kinds_of_rules_are_those_that_can_be_loaded() -> None:
    assert RULES.keys() == COLUMNS.keys()


def of_rows(kind: str, frame: str, rows: list[dict[str, Any]]) -> package.Frames:
    """One that has nothing else."""
    tables: dict[str, Any] = {name: [] for name in COLUMNS[kind]}
    return package.Frames(kind, Path(kind), Tables(kind, tables | {frame: rows}).frames())


def runs(*seconds: float, variant: str | None = "merge") -> package.Frames:
    cell = {"application": "cg", "sizes": "2-4", "from": 2, "to": 4, "variant": variant}
    return of_rows("study", "runs", [cell | {"total_seconds": each} for each in seconds])


def test_runs_of_studies_are_tested() -> None:
    (row,) = compared(runs(1.0, 1.1, 1.2, 1.3), runs(2.0, 2.1, 2.2, 2.3))
    assert (row.first.value, row.second.value) == pytest.approx((1.15, 2.15))
    assert row.p == pytest.approx(2 / 70)  # of the 70 ways to mix 4 and 4, two are as extreme
    (row,) = compared(runs(1.0, 1.1, 1.2), runs(2.0, 2.1, 2.2, 2.3))
    assert row.p is None
    (row,) = compared(runs(*[1.0] * 4), runs(*[1.0] * 4))
    assert (row.p, row.ratio) == (1.0, 1.0)
    (row,) = compared(runs(1.0, variant=None), runs(3.0, variant=None))
    assert row.keys["variant"] is None and row.ratio == 3


def test_iterations_beside_a_resize_are_left_out() -> None:
    usual = {
        "iteration": 0, "generation": 0, "ranks": 2, "phase": 0, "start_seconds": 0.0,
        "iteration_seconds": 1.0, "background": False, "moving": False, "sampled": False, "repeated": False,
    }  # fmt: skip
    flags = ("background", "moving", "sampled", "repeated")
    slow = [usual | {flag: True, "iteration_seconds": 9.0} for flag in flags]
    (row,) = compared(*[of_rows("result", "iterations", [usual, *slow])] * 2)
    assert (row.keys, row.first.value, row.first.count) == ({"ranks": 2, "phase": 0}, 1.0, 1)
    stages = [each | {"stage": 0, "type": "pi", "stage_seconds": each["iteration_seconds"]} for each in slow]
    stages.append(usual | {"stage": 0, "type": "pi", "stage_seconds": 1.0})
    (row,) = compared(*[of_rows("result", "stages", stages)] * 2)
    assert (row.keys["type"], row.first.value, row.first.count) == ("pi", 1.0, 1)


def test_resizes_that_were_rolled_back_are_left_out() -> None:
    resize = {
        "from_ranks": 2, "to_ranks": 4, "outcome": "committed", "at_seconds": 1.0, "pause_seconds": 0.5,
        "reason": "",
    }  # fmt: skip
    undone = resize | {"outcome": "undone while spawning", "pause_seconds": 9.0}
    (row,) = compared(*[of_rows("result", "resizes", [resize, undone])] * 2)
    assert (row.figure, row.first.value, row.first.count) == ("pause_seconds", 0.5, 1)
