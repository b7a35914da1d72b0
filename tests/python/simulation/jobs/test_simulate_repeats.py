# SPDX-License-Identifier: BSD-3-Clause
"""The same comparison over many seeds: what is told of it, and what is varied."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nereus.simulation.jobs import load_scenario
from nereus.simulation.jobs.comparison import Comparison
from nereus.simulation.jobs.repeats import Interval, Repeats, document, varied

_JOBS = """\
[cluster]
cores = 8

[[jobs]]
name = "a"
ranks = 2
iterations = 200
time = { fixed = 0.01, divided = 0.2, per_rank = 0.001 }
noise = 0.02
io_every = 20
io_seconds = 0.4
flops = 1e6

[[jobs]]
name = "b"
ranks = 2
iterations = 200
times = [[1, 0.3], [2, 0.16], [4, 0.09]]
noise = 0.02
io_every = 25
io_bytes = 3e8
flops = 2e6
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "two.toml"
    file.write_text(_JOBS)
    return file


def test_interval_holds_all_but_a_fortieth_on_each_side() -> None:
    assert Interval.of([float(each) for each in range(1001)]) == Interval(500.0, 25.0, 975.0)
    assert Interval.of([3.0]) == Interval(3.0, 3.0, 3.0)


@given(st.integers(0, 1000), st.floats(0, 0.9))
def test_varied_times_stay_within_their_share_and_nothing_else_changes(seed: int, vary: float) -> None:
    scenario = load_scenario(Path(__file__).parents[4] / "examples" / "simulate" / "table-2.toml")
    changed = varied(scenario, seed, vary)
    assert changed == varied(scenario, seed, vary)
    for before, after in zip(scenario.jobs, changed.jobs, strict=True):
        assert before.time is not None and after.time is not None
        assert before.io_seconds is not None and after.io_seconds is not None
        pairs = [
            (getattr(before.time, name), getattr(after.time, name)) for name in type(before.time).model_fields
        ]
        for old, new in [*pairs, (before.io_seconds, after.io_seconds)]:
            assert old * (1 - vary) * 0.999999 <= new <= old * (1 + vary) * 1.000001
        same = {"time": before.time, "io_seconds": before.io_seconds}
        assert after.model_copy(update=same) == before
    assert changed.model_copy(update={"seed": scenario.seed, "jobs": scenario.jobs}) == scenario


def test_varied_tables_of_times_keep_their_shape(file: Path) -> None:
    scenario = load_scenario(file)
    before, after = scenario.jobs[1], varied(scenario, 7, 0.5).jobs[1]
    assert before.times is not None and after.times is not None and before.io_bytes is not None
    factors = {round(new[1] / old[1], 12) for new, old in zip(after.times, before.times, strict=True)}
    assert len(factors) == 1 and factors != {1.0}
    assert [ranks for ranks, _ in after.times] == [1, 2, 4]
    assert after.io_bytes != before.io_bytes


def test_distribution_is_that_of_the_single_runs(file: Path) -> None:
    scenario = load_scenario(file)
    names = ["blocking", "fair"]
    single = []
    for number in range(3):
        comparison = Comparison([varied(scenario, scenario.seed + number, 0.1)], names)
        single.append(comparison.results()[8])
    found = Repeats([scenario], names, 3, 0.1).distributions()[8]
    for index, name in enumerate(names):
        flops = sorted(results[index].flops for results in single)
        assert found[name]["flops"].values.median == flops[1]
        over = sorted(results[index].flops / results[0].flops for results in single)
        assert found[name]["flops"].over_first == Interval.of(over)
        assert found[name]["flops"].above == sum(each > 1 for each in over) / 3
    assert found["fair"]["flops"].above == 1.0


def test_quotient_with_nothing_is_null(file: Path) -> None:
    found = document(Repeats([load_scenario(file)], ["none", "blocking"], 2, 0.0).distributions(), 2, 0.0)
    delay = found["cores"]["8"]["policies"]["blocking"]["delay_seconds"]
    assert delay["median"] > 0
    assert (delay["over_first"], delay["above_first"]) == (None, None)


def test_command_prints_medians_with_their_intervals(nereus: Any, file: Path) -> None:
    policies = ("--policy", "blocking", "--policy", "fair")
    words = ("simulate", file, *policies, "--repeat", "3", "--vary", "0.05", "--quiet")
    code, out, _ = nereus(*words, "--json")
    found = json.loads(out)
    assert (code, found["repeat"], found["vary"], list(found["cores"])) == (0, 3, 0.05, ["8"])
    flops = found["cores"]["8"]["policies"]["fair"]["flops"]
    assert flops["low"] <= flops["median"] <= flops["high"]
    code, out, _ = nereus(*words)
    assert (code, "simulated 3 times, times varied by 5 %" in out) == (0, True)


@pytest.mark.parametrize("option", ["--events", "--picture", "--bars"])
def test_files_of_one_run_are_refused_beside_repeats(
    nereus: Any, file: Path, tmp_path: Path, option: str
) -> None:
    code, _, err = nereus("simulate", file, "--repeat", "2", option, tmp_path / "out")
    assert (code, "show one run: allowed without --repeat and --vary" in err) == (2, True)
    assert not (tmp_path / "out").exists()
