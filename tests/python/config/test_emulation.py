# SPDX-License-Identifier: BSD-3-Clause
"""What an application measured becomes an experiment that does as much; what tells too little is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from nereus.config import ConfigError, Experiment, emulation_of, load, write_toml

HEADER = {"event": "header", "format": "nereus-measured", "version": 1, "program": "/opt/bin/cg solver"}


def stage(name: str, kind: str, totals: Sequence[float | None], size: int = 0) -> dict[str, Any]:
    """Of ten iterations, each of which took as long as the others."""
    return {
        "name": name,
        "kind": kind,
        "bytes": size,
        "total_seconds": list(totals),
        "seconds": [None if total is None else total / 10 for total in totals],
        "iterations": [None if total is None else 10 for total in totals],
    }


def generation(
    stages: Sequence[Mapping[str, Any]], wholes: Sequence[float], iterations: int = 10, number: int = 0
) -> dict[str, Any]:
    return {
        "event": "generation_ended",
        "generation": number,
        "ranks": len(wholes),
        "hosts": ["a"] * len(wholes),
        "cores": 8,
        "iterations": iterations,
        "iteration_seconds": [whole / iterations for whole in wholes],
        "iteration_total_seconds": list(wholes),
        "constant_bytes": 800,
        "variable_bytes": 80,
        "memory": "private",
        "stages": list(stages),
    }


RESIZE = {
    "event": "committed",
    "generation": 1,
    "process_method": "merge",
    "process_strategies": ["join", "asynchronous"],
    "transfer_method": "col",
    "transfer_strategy": "thread",
    "background_iterations": 3,
}
BALANCED = generation([stage("a", "memory", [2.0, 4.0]), stage("b", "allreduce", [3.0, 1.0], 8)], [5.0, 5.0])
LARGER = generation(
    [stage("a", "memory", [1.0] * 4), stage("b", "allreduce", [0.5] * 4, 8)], [1.5] * 4, number=1
)


def written(folder: Path, *events: Mapping[str, Any]) -> Path:
    file = folder / "run.jsonl"
    file.write_text("".join(json.dumps(event) + "\n" for event in events))
    return file


def emulation(folder: Path, *events: Mapping[str, Any]) -> Experiment:
    return emulation_of(written(folder, HEADER, *events))


def test_each_rank_computes_as_long_as_measured(tmp_path: Path) -> None:
    made = emulation(tmp_path, BALANCED)
    (group,) = made.groups
    compute = made.phases[0].stages[0]
    assert compute.type == "matrix"
    assert group.weights is not None
    assert [compute.time * weight * group.factor for weight in group.weights] == pytest.approx([0.2, 0.4])
    assert made.phases[0].iterations == 10


def test_communication_stage_takes_the_time_of_the_least_waiting_rank(
    tmp_path: Path,
) -> None:
    second = emulation(tmp_path, BALANCED).phases[0].stages[1]
    assert (second.type, second.bytes, second.padded) == ("allreduce", 8, True)
    assert second.time == pytest.approx(0.1)


def test_after_a_resize_ranks_compute_as_long_as_measured_there(tmp_path: Path) -> None:
    made = emulation(tmp_path, BALANCED, RESIZE, LARGER)
    first, second = made.groups
    assert (first.iterations, second.ranks) == (7, 4)  # three more were made beside the transfer
    assert (second.process_strategies, second.transfer_strategy) == (["asynchronous", "join"], "thread")
    assert second.weights is not None
    assert second.times == pytest.approx([0.1, 0.05])
    assert second.weights == pytest.approx([1.0] * 4)


def test_other_stages_of_a_generation_are_scaled_by_a_factor(tmp_path: Path) -> None:
    other = generation([stage("a", "memory", [1.0] * 4)], [1.0] * 4, number=1)
    made = emulation(tmp_path, BALANCED, RESIZE, other)
    second = made.groups[1]
    assert second.times is None and second.weights is not None
    times = [made.phases[0].stages[0].time * weight * second.factor for weight in second.weights]
    assert times == pytest.approx([0.1] * 4)


def test_job_that_continued_from_an_epoch_is_emulated_with_its_sizes(tmp_path: Path) -> None:
    again = {"event": "resumed", "generation": 1, "iteration": 5}
    made = emulation(tmp_path, BALANCED, again, LARGER)
    assert [group.ranks for group in made.groups] == [2, 4]
    assert (made.groups[0].iterations, made.phases[0].iterations) == (10, 20)


def test_generations_of_one_size_without_a_resize_between_are_one(tmp_path: Path) -> None:
    slower = generation(
        [stage("a", "memory", [4.0, 8.0]), stage("c", "compute", [1.0, 1.0])], [9.0] * 2, 10, 1
    )
    for event in ({"event": "resumed", "iteration": 5}, {"event": "resize_undone"}):
        made = emulation(tmp_path, BALANCED, {**event, "generation": 1}, slower)
        first, second, third, _ = made.phases[0].stages
        assert (len(made.groups), made.phases[0].iterations) == (1, 20)
        assert first.time == pytest.approx((3.0 + 6.0) / 20)
        assert (second.type, third.type) == ("allreduce", "pi")
        assert third.time == pytest.approx(1.0 / 20)


def test_generation_that_died_may_have_its_number_twice(tmp_path: Path) -> None:
    again = {"event": "resumed", "generation": 1, "iteration": 5}
    made = emulation(tmp_path, BALANCED, RESIZE, LARGER, again, {**BALANCED, "generation": 1})
    assert [group.ranks for group in made.groups] == [2, 4, 2]


def test_late_output_of_rank_0_changes_nothing(tmp_path: Path) -> None:
    in_order = emulation(tmp_path, BALANCED, RESIZE, LARGER)
    assert emulation(tmp_path, LARGER, BALANCED, RESIZE) == in_order


def test_time_outside_of_stages_is_computed(tmp_path: Path) -> None:
    alone = emulation(tmp_path, generation([], [5.0, 5.0]))
    assert [(stage.type, stage.time) for stage in alone.phases[0].stages] == [("pi", 0.5)]


def disturbed(cores: int) -> dict[str, Any]:
    """One of ten iterations took 1.1 s, the others 0.1 s."""
    one = {**stage("a", "compute", [2.0, 2.0]), "seconds": [0.1, 0.1]}
    return {**generation([one], [2.0, 2.0]), "iteration_seconds": [0.1, 0.1], "cores": cores}


@pytest.mark.parametrize("cores", [2, 1])
def test_memory_contention_is_work_and_lost_cpu_time_is_not(tmp_path: Path, cores: int) -> None:
    (only,) = emulation(tmp_path, disturbed(cores)).phases[0].stages
    assert only.time == pytest.approx(0.2)
    assert only.capped is (cores == 2)


def test_short_computation_is_capped_on_shared_cores(tmp_path: Path) -> None:
    short = {**stage("a", "compute", [0.005, 0.005]), "seconds": [0.0005, 0.0005]}
    model = {**generation([short], [0.005, 0.005]), "iteration_seconds": [0.0005, 0.0005], "cores": 1}
    assert emulation(tmp_path, model).phases[0].stages[0].capped


def test_occasional_work_takes_its_share_of_an_iteration(tmp_path: Path) -> None:
    seldom = {**stage("w", "compute", [1.0, 1.0]), "seconds": [0.5, 0.5], "iterations": [2, 2]}
    model = {**generation([seldom], [1.0, 1.0]), "iteration_seconds": [0.1, 0.1]}
    assert emulation(tmp_path, model).phases[0].stages[0].time == pytest.approx(0.1)


def test_stage_of_the_first_ranks_stays_with_them(tmp_path: Path) -> None:
    made = emulation(tmp_path, generation([stage("w", "write", [1.0, None], 64)], [9.0, 9.0]))
    assert made.phases[0].stages[0].ranks == 1


def test_emulation_can_be_saved_as_a_file(tmp_path: Path) -> None:
    made = emulation(tmp_path, BALANCED, RESIZE, LARGER)
    kept = tmp_path / "kept.toml"
    kept.write_text(write_toml(made))
    assert load(kept).experiment == made
    assert made.name == "cg-solver"


def test_truncated_line_hides_nothing_before_it(tmp_path: Path) -> None:
    file = written(tmp_path, HEADER, BALANCED)
    whole = emulation_of(file)
    file.write_text(file.read_text() + '{"event": "finis')
    assert emulation_of(file) == whole


@pytest.mark.parametrize(
    ("events", "says"),
    [
        ([], "1: a header"),
        ([BALANCED], "1: a header"),
        ([HEADER], "at least one generation that has ended"),
        ([{**HEADER, "version": 2}], "1: version = 2"),
        ([HEADER, {**BALANCED, "iterations": 0}], "never reached a checkpoint"),
        ([HEADER, {**BALANCED, "ranks": 3}], "times of each of 3 ranks"),
        ([HEADER, {**BALANCED, "iterations": "10"}], '2: iterations = "10"'),
        ([HEADER, BALANCED, LARGER], "a resize, or a job that continues, before generation 1"),
        ([HEADER, BALANCED, RESIZE, BALANCED], "a resize, or a job that continues, before generation 0"),
        ([HEADER, ["no event"], BALANCED], '2: a JSON object with a text "event"'),
    ],
)
def test_file_with_too_little_information_is_refused_with_line(
    tmp_path: Path, events: list[Mapping[str, Any]], says: str
) -> None:
    file = written(tmp_path, *events)
    with pytest.raises(ConfigError) as refused:
        emulation_of(file)
    assert str(refused.value).startswith(str(file))
    assert says in str(refused.value)


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.jsonl: cannot be read"):
        emulation_of(tmp_path / "none.jsonl")
