# SPDX-License-Identifier: BSD-3-Clause
"""Emulated applications as jobs of a scenario: the experiment says how long they take on any size."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nereus.config import ConfigError, Experiment
from nereus.policy.loading import load
from nereus.simulation.jobs import Scenario, load_scenario, simulate
from nereus.simulation.jobs.emulated import commanded_run, iteration_times, resize_settings

EXPERIMENT = """\
[[phases]]
iterations = 30
[[phases.stages]]
type = "pi"
time = "400 ms"
[[phases.stages]]
type = "allreduce"
time = "50 ms"
[[phases]]
iterations = 10
[[phases.stages]]
type = "matrix"
time = "800 ms"
[[groups]]
ranks = 4
iterations = 10
factor = 0.25
[[groups]]
ranks = 1
"""
SCENARIO = """\
policies = ["none"]
[cluster]
cores = 4
[[jobs]]
name = "A"
experiment = "app.toml"
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Callable[..., Scenario]:
    def made(more: str = "", experiment: str = EXPERIMENT) -> Scenario:
        (tmp_path / "app.toml").write_text(experiment)
        (tmp_path / "workload.toml").write_text(SCENARIO + more)
        return load_scenario(tmp_path / "workload.toml")

    return made


def test_job_has_sizes_times_and_iterations_of_its_experiment(scenario: Callable[..., Scenario]) -> None:
    (job,) = scenario().jobs
    assert (job.ranks, job.iterations) == (4, 40)
    # (30 * (0.4 + 0.05) + 10 * 0.8) / 40 on one rank; on four, what is computed takes a quarter.
    assert job.times == [[1, pytest.approx(0.5375)], [4, pytest.approx(0.1625)]]
    assert Path(job.experiment or "").is_file()


def test_ranks_of_the_scenario_win_over_those_of_the_experiment(scenario: Callable[..., Scenario]) -> None:
    assert scenario("ranks = 2\n").jobs[0].ranks == 2


def test_emulated_job_is_simulated_with_these_times(scenario: Callable[..., Scenario]) -> None:
    result = simulate(scenario("ranks = 1\n"), "none", load("none"))
    assert result.makespan == pytest.approx(40 * 0.5375)
    assert result.document()["turnaround_seconds"] == pytest.approx(40 * 0.5375)


def test_first_iteration_begins_after_the_startup(scenario: Callable[..., Scenario]) -> None:
    started = "ranks = 1\nstartup = 1.5\n"
    result = simulate(scenario(started), "none", load("none"))
    assert result.makespan == pytest.approx(1.5 + 40 * 0.5375)
    assert result.queued == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("iterations = 5\n", r"iterations = 5: none where there is an experiment"),
        ("time = { divided = 1.0 }\n", r"time = .*: none where there is an experiment"),
        ("io_every = 5\n", r"io_every = 5: none where there is an experiment"),
        ("ranks = 5\n", r"ranks = 5: at most the 4 cores"),
    ],
)
def test_what_the_experiment_says_is_not_said_twice(
    scenario: Callable[..., Scenario], more: str, said: str
) -> None:
    with pytest.raises(ConfigError, match=r"workload\.toml:\d+: jobs\[0\]\." + said):
        scenario(more)


def test_missing_experiment_is_reported_with_line(scenario: Callable[..., Scenario], tmp_path: Path) -> None:
    scenario()
    (tmp_path / "app.toml").unlink()
    with pytest.raises(
        ConfigError, match=r"workload\.toml:6: jobs\[0\]\.experiment = .*a file that is there"
    ):
        load_scenario(tmp_path / "workload.toml")


def test_error_in_an_experiment_names_its_file(scenario: Callable[..., Scenario]) -> None:
    with pytest.raises(ConfigError, match=r"app\.toml:\d+: phases\[0\]\.stages\[0\]\.type"):
        scenario(experiment=EXPERIMENT.replace('"pi"', '"pie"'))


def test_experiment_without_times_is_refused(scenario: Callable[..., Scenario]) -> None:
    untimed = """\
[[phases]]
iterations = 3
[[phases.stages]]
type = "bcast"
bytes = 8
[[groups]]
ranks = 1
"""
    with pytest.raises(ConfigError, match=r"workload\.toml:6: .*with stages that have a time"):
        scenario(experiment=untimed)


def test_first_resize_of_the_experiment_says_how_commanded_ones_are_made(tmp_path: Path) -> None:
    made = experiment_of({2: 1.0, 4: 0.5})
    ways = {"transfer_method": "col", "process_strategies": [], "survivors": "first"}
    groups = [made.groups[0], made.groups[1].model_copy(update=ways)]
    settings = resize_settings(made.model_copy(update={"groups": groups}))
    assert settings["NEREUS_TRANSFER_METHOD"] == "col"
    assert settings["NEREUS_PROCESS_STRATEGIES"] == "none"
    assert settings["NEREUS_SURVIVORS"] == "first"
    assert resize_settings(experiment_of({2: 1.0})) == {}


def experiment_of(factors: dict[int, float], weights: list[float] | None = None) -> Experiment:
    stages = [
        {"type": "pi", "time": 0.1, "granularity": 1},
        {"type": "allreduce", "time": 0.01, "granularity": 1},
    ]
    groups = [{"ranks": ranks, "factor": factor, "weights": weights} for ranks, factor in factors.items()]
    tree: dict[str, Any] = {
        "name": "x",
        "phases": [{"iterations": 100, "stages": stages}],
        "groups": [{**group, "iterations": 1} for group in groups],
    }
    return Experiment.model_validate(tree)


@given(
    st.dictionaries(st.integers(1, 40), st.floats(0.01, 100), min_size=1, max_size=5),
    st.integers(1, 50),
)
def test_emulated_and_simulated_job_take_the_same_time_on_each_size(
    factors: dict[int, float], most: int
) -> None:
    experiment = experiment_of(factors)
    run = commanded_run(experiment, most, "/tmp")
    assert run["resizes"] == "commanded"
    assert [group["ranks"] for group in run["groups"]] == list(range(1, most + 1))
    job = Scenario.model_validate(
        {
            "cluster": {"cores": 100},
            "jobs": [{"name": "A", "ranks": 1, "iterations": 1, "times": iteration_times(experiment)}],
        }
    ).jobs[0]
    for group in run["groups"]:
        assert sum(group["times"]) == pytest.approx(job.model().seconds(group["ranks"]))
        if group["ranks"] in factors:
            assert group["times"][0] == pytest.approx(0.1 * factors[group["ranks"]])


def test_weights_are_those_of_the_nearest_smaller_size() -> None:
    experiment = experiment_of({2: 1.0, 4: 0.5}, weights=[1.0, 3.0])
    groups = [experiment.groups[0], experiment.groups[1].model_copy(update={"weights": [2.0]})]
    run = commanded_run(experiment.model_copy(update={"groups": groups}), 5, "/tmp")
    assert [group["weights"] for group in run["groups"]] == [[1.0, 3.0]] * 3 + [[2.0]] * 2
