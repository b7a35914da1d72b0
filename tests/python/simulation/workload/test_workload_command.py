# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: the command, its rows, and intervals over seeds."""

import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from nereus.simulation.workload.figures import Interval, bounded_slowdown, figures_of
from nereus.simulation.workload.job import Job, Outcome, Request
from nereus.simulation.workload.machine import OrderError
from nereus.simulation.workload.orders.fcfs import FirstComeFirstServed
from nereus.simulation.workload.simulation import simulate

Nereus = Callable[..., tuple[int, str, str]]
EXAMPLE = Path(__file__).parents[4] / "examples" / "simulate" / "workload.toml"
KEYS = {
    "order",
    "strategy",
    "malleable_percent",
    "seed",
    "makespan_seconds",
    "mean_turnaround_seconds",
    "mean_wait_seconds",
    "mean_bounded_slowdown",
    "utilisation",
    "killed",
    "resizes",
    "core_hours_lost_to_resizes",
    "utilisation_by_ranks",
}
TWO_JOBS = """
cores = 4
[[jobs]]
name = "first"
submit = 100
ranks = 4
seconds = 10
[[jobs]]
name = "second"
submit = 102
ranks = 2
seconds = 40
limit = 20
"""


def document(nereus: Nereus, *words: str | Path) -> Any:
    code, out, _ = nereus("simulate", "workload", *words, "--json", "--quiet")
    assert code == 0
    return json.loads(out)


MINE = """
from nereus.policy.strategies import Strategy
class Mine(Strategy):
    def kept(self, job):
        return job.least
    def worth(self, job, ranks, step):
        return -ranks
class Broken(Mine):
    def worth(self, job, ranks, step):
        return 1 / 0
"""


def test_strategy_of_ones_own_is_read_from_a_file(nereus: Nereus, tmp_path: Path) -> None:
    """This one decides as `fair` does; in workers too."""
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    words = EXAMPLE, "--order", "easy", "--malleable", "50", "--seeds", "2"
    for workers in ("1", "2"):
        both = "--strategy", "fair", "--strategy", f"{file}:Mine"
        rows = document(nereus, *words, *both, "--workers", workers)["rows"]
        fair, mine = ([row for row in rows if row["strategy"] == name] for name in ("fair", f"{file}:Mine"))
        assert len(fair) == 2 and [row | {"strategy": ""} for row in fair] == [
            row | {"strategy": ""} for row in mine
        ]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_mistake_of_a_strategy_of_ones_own_is_one_line(nereus: Nereus, tmp_path: Path, workers: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    words = "simulate", "workload", EXAMPLE, "--order", "easy", "--malleable", "50", "--seeds", "2"
    code, _, err = nereus(*words, "--workers", workers, "--quiet", "--strategy", f"{file}:Broken")
    assert (code, err) == (2, "nereus: strategy Broken: worth: ZeroDivisionError: division by zero\n")
    code, _, err = nereus(*words, "--strategy", f"{file}:Absent")
    assert code == 2 and err.startswith(f"nereus: {file}: Absent: no class of this name that derives from")


def test_figures_are_those_of_a_case_worked_out_by_hand(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(TWO_JOBS)
    (row,) = document(nereus, file)["rows"]
    # The first takes 10 s; the second waits for 8 s, and is killed after 20 s.
    assert row == {
        "order": "fcfs",
        "strategy": "none",
        "malleable_percent": 0.0,
        "seed": 42,
        "makespan_seconds": 30.0,
        "mean_turnaround_seconds": 19.0,
        "mean_wait_seconds": 4.0,
        "mean_bounded_slowdown": 1.2,
        "utilisation": pytest.approx(80 / 120),
        "killed": 1,
        "resizes": 0,
        "core_hours_lost_to_resizes": 0.0,
        "utilisation_by_ranks": pytest.approx(80 / 120),
    }


def test_there_is_a_row_for_each_order_share_strategy_and_seed(nereus: Nereus) -> None:
    orders, strategies = ("--order", "fcfs", "--order", "easy"), ("keep-preferred", "keep-least")
    chosen = [word for each in strategies for word in ("--strategy", each)]
    found = document(nereus, EXAMPLE, *orders, *chosen, "--malleable", "0,50", "--seeds", "2", "--seed", "7")
    rows = found["rows"]
    assert all(row.keys() == KEYS for row in rows)
    variants = [("none", 0), ("keep-preferred", 50), ("keep-least", 50)]
    assert [(row["order"], row["strategy"], row["malleable_percent"], row["seed"]) for row in rows] == [
        (order, *variant, seed) for order in ("fcfs", "easy") for variant in variants for seed in (7, 8)
    ]
    assert all((row["resizes"] > 0) == (row["malleable_percent"] > 0) for row in rows)
    assert len({row["mean_wait_seconds"] for row in rows}) == len(rows)
    for each in found["summary"]:
        same = [
            row["mean_wait_seconds"]
            for row in rows
            if all(row[key] == each[key] for key in ("order", "strategy", "malleable_percent"))
        ]
        wait = each["mean_wait_seconds"]
        assert wait["mean"] == pytest.approx(fmean(same)) and wait["low"] < wait["mean"] < wait["high"]


def test_results_are_reproducible_by_seed(nereus: Nereus) -> None:
    first, again = (document(nereus, EXAMPLE, "--seeds", "2", "--order", "easy") for _ in range(2))
    assert first == again
    assert document(nereus, EXAMPLE, "--seeds", "2", "--order", "easy", "--seed", "1") != first


def test_where_nothing_is_drawn_all_seeds_have_one_result(nereus: Nereus, tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(TWO_JOBS)
    found = document(nereus, file, "--seeds", "3")
    assert [row.pop("seed") for row in found["rows"]] == [42, 43, 44]
    assert found["rows"][0] == found["rows"][1] == found["rows"][2]
    (wait,) = (each["mean_wait_seconds"] for each in found["summary"])
    assert wait == {"mean": 4.0, "low": 4.0, "high": 4.0}


def test_table_shows_means_and_how_far_intervals_go(nereus: Nereus) -> None:
    code, out, _ = nereus("simulate", "workload", EXAMPLE, "--order", "easy", "--seeds", "3", "--quiet")
    assert code == 0
    assert out.splitlines()[0] == "simulated: mean over 3 seeds ± 95 % confidence"
    assert out.splitlines()[2].startswith("easy") and out.count("±") == 6
    _, out, _ = nereus("simulate", "workload", EXAMPLE, "--order", "easy", "--seeds", "1", "--quiet")
    assert out.splitlines()[0] == "simulated" and "±" not in out


def test_interval_is_students() -> None:
    """Of 1, 2, 3: t = 4.303 for two degrees of freedom, times 1 / sqrt(3)."""
    found = Interval.of([1.0, 2.0, 3.0])
    assert found.mean == 2
    assert found.low == pytest.approx(2 - 2.4841, abs=1e-4)
    assert found.high == pytest.approx(2 + 2.4841, abs=1e-4)
    assert Interval.of([5.0]) == Interval(5.0, None, None)


def test_slowdown_is_that_of_jobs_of_ten_seconds_at_least() -> None:
    def outcome(started: float, ended: float) -> Outcome:
        return Outcome(Job.rigid("a", 0, 1, 1), started, 1, ended)

    assert bounded_slowdown(outcome(30, 50)) == 2.5
    assert bounded_slowdown(outcome(30, 31)) == 3.1
    assert bounded_slowdown(outcome(0, 1)) == 1
    assert figures_of([outcome(0, 1), outcome(30, 31)], 4).mean_bounded_slowdown == 2.05


class Forgetful(FirstComeFirstServed):
    """Whoever is submitted is forgotten."""

    def submitted(self, job: Request, now: float) -> None:
        """Nothing is done."""


class Generous(FirstComeFirstServed):
    """All are started at once."""

    def submitted(self, job: Request, now: float) -> None:
        self.free += job.ranks
        super().submitted(job, now)


@pytest.mark.parametrize(("order", "said"), [(Forgetful, "2 jobs wait"), (Generous, "1 cores are free")])
def test_mistake_of_an_order_is_an_error(order: type[FirstComeFirstServed], said: str) -> None:
    with pytest.raises(OrderError, match=said):
        simulate([Job.rigid("a", 0, 3, 1), Job.rigid("b", 0, 3, 1)], order(4))
