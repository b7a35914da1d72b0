# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: workloads that say how nodes fail, and what they are told of it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Nereus = Callable[..., tuple[int, str, str]]
OWN = {"failures", "failed", "core_hours_lost_to_failures", "core_hours_of_saves"}
JOBS = """
cores = 64
cores_per_node = 8
order = ["easy"]
malleable = [50]
[generated]
jobs = 60
every = 60.0
seconds = 3000.0
most_ranks = 32
limit_factor = 3.0
"""
FAILURES = """
[failures]
mtbf = 40000.0
recovery = "shrink"
save_every = "daly"
save_cost = 20.0
recovery_cost = 30.0
repair = 600.0
"""


def workload(folder: Path, text: str = JOBS + FAILURES) -> Path:
    file = folder / "w.toml"
    file.write_text(text)
    return file


def test_failures_are_in_rows_table_and_results(nereus: Nereus, tmp_path: Path) -> None:
    file, results = workload(tmp_path), tmp_path / "r.jsonl"
    code, out, err = nereus("simulate", "workload", file, "--json", "--results", results)
    assert code == 0, err
    found = json.loads(out)
    (row,) = found["rows"]
    assert row.keys() >= OWN and row["failures"] > 0
    assert json.loads(results.read_text().splitlines()[1]).keys() >= OWN
    assert found["summary"][0]["core_hours_of_saves"]["mean"] == row["core_hours_of_saves"] > 0
    assert nereus("simulate", "workload", file, "--json", "--results", results)[1] == out
    table = nereus("simulate", "workload", file, "--quiet")[1]
    assert "lost to failures" in " ".join(table.split()) and "saves" in table


def test_without_failures_nothing_is_said_of_them(nereus: Nereus, tmp_path: Path) -> None:
    file = workload(tmp_path, JOBS)
    assert "fail" not in nereus("simulate", "workload", file, "--json")[1]
    assert "fail" not in nereus("simulate", "workload", file, "--quiet")[1]


def test_options_say_how_often_nodes_fail_and_what_jobs_do(nereus: Nereus, tmp_path: Path) -> None:
    file = workload(tmp_path)
    often = json.loads(nereus("simulate", "workload", file, "--json", "--mtbf", "9000")[1])["rows"][0]
    rarely = json.loads(nereus("simulate", "workload", file, "--json", "--mtbf", "1e10")[1])["rows"][0]
    assert often["failures"] > 10 and rarely["failures"] == 0
    alone = workload(tmp_path, JOBS)
    words = ("--json", "--mtbf", "20000", "--recovery", "none")
    row = json.loads(nereus("simulate", "workload", alone, *words)[1])["rows"][0]
    assert row["failed"] == row["failures"] > 0
    code, _, err = nereus("simulate", "workload", alone, "--recovery", "none")
    assert code == 2 and f"{alone}: failures.mtbf: is missing" in err


def test_seeds_differ_in_their_failures_where_jobs_are_the_same(nereus: Nereus, tmp_path: Path) -> None:
    jobs = "cores = 4\n[[jobs]]\nname = 'a'\nranks = 4\nseconds = 1000.0\n"
    file = workload(tmp_path, jobs + "[failures]\nmtbf = 4000.0\n")
    rows = json.loads(nereus("simulate", "workload", file, "--json", "--seeds", "5")[1])["rows"]
    assert len({row["makespan_seconds"] for row in rows}) > 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("40000.0", "0"), "failures.mtbf = 0: seconds above 0, up to 1e10"),
        (("mtbf = 40000.0", ""), "failures.mtbf: is missing: seconds above 0, up to 1e10"),
        (('"shrink"', '"shrnk"'), 'failures.recovery = "shrnk": one of none, resubmit, restart, shrink'),
        (('"shrink"', '"resubmit"'), "goes with the recovery restart or shrink, which go on from a save"),
        (
            ('"daly"', '"never"'),
            'failures.save_every = "never": seconds above 0, up to 1e10, or one of young',
        ),
        (
            ('"daly"', "true"),
            "save_every = true: seconds above 0, up to 1e10, or one of young, daly",
        ),
        (('"daly"', "0.0"), "failures.save_every = 0.0: seconds above 0, up to 1e10, or one of young, daly"),
        (('save_every = "daly"', ""), "failures.save_every: is missing: the recovery shrink needs it"),
        (("save_cost = 20.0", "save_cost = 0"), "seconds above 0, from which daly finds the interval"),
        (("save_cost = 20.0", "save_cost = -1"), "failures.save_cost = -1: seconds from 0 to 1e10"),
        (("repair = 600.0", "repair = -1"), "failures.repair = -1: seconds from 0 to 1e10"),
        (("repair", "repairs"), "failures.repairs = 600.0: unknown key; did you mean repair?"),
        (("repair = 600.0", "most_restarts = 1.5"), "a whole number from 0 to 10^6"),
    ],
)
def test_what_cannot_be_is_refused(
    nereus: Nereus, tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    file = workload(tmp_path, JOBS + FAILURES.replace(*change))
    code, out, err = nereus("simulate", "workload", file)
    assert (code, out) == (2, "") and f"nereus: {file}:" in err and said in err


@pytest.mark.parametrize("order", ["fcfs", "easy", "conservative", "priority"])
@pytest.mark.parametrize("recovery", ["none", "resubmit", "restart", "shrink"])
def test_failures_go_with_whole_nodes_priorities_reservations_and_resizes_that_cost(
    nereus: Nereus, tmp_path: Path, order: str, recovery: str
) -> None:
    text = JOBS.replace('order = ["easy"]', f'order = ["{order}"]\nallocation = "exclusive"')
    text = text if order != "conservative" else text.replace("malleable = [50]", "")
    text += "[priority]\nage_weight = 1\nsize_weight = 5\n"
    text += '[resize_cost]\nmethod = "messages"\nseconds = 20\n'
    if order != "fcfs":
        text += "[[reservations]]\nbegin = 9000\nend = 12000\ncores = 64\n"
    table = FAILURES if recovery in ("restart", "shrink") else "[failures]\nmtbf = 40000.0\nrepair = 600.0\n"
    table = table.replace('recovery = "shrink"\n', "").replace("mtbf", f'recovery = "{recovery}"\nmtbf')
    code, out, err = nereus("simulate", "workload", workload(tmp_path, text + table), "--json")
    assert code == 0, err
    row = json.loads(out)["rows"][0]
    assert row["failures"] > 0 and (row["core_hours_of_saves"] > 0) == (recovery in ("restart", "shrink"))
