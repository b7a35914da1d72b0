# SPDX-License-Identifier: BSD-3-Clause
"""What an emulation does in one run of a study."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nereus.analysis.study.emulation import fixed, joined, resized
from nereus.analysis.study.variants import PAPERS, common_memory, variant
from nereus.config import Experiment

THREAD = variant("Merge-COLT")


def experiment(
    ranks: int, time: float, weights: list[float], more: bool = False, waited: float = 0.0, **other: Any
) -> Experiment:
    """`more`: it computes twice in an iteration."""
    reduce = {"type": "allreduce", "bytes": 8, "time": waited, "padded": True}
    stages = [{"type": "matrix", "time": time}, reduce, *([{"type": "pi", "time": 0.0}] if more else [])]
    tree = {"name": "x", "weights": weights, "phases": [{"iterations": 100, "stages": stages}]}
    return Experiment.model_validate({**tree, "groups": [{"ranks": ranks}], **other})


def slowest(made: Experiment, group: int) -> float:
    """Seconds that the slowest rank computes in an iteration."""
    own = made.groups[group]
    weights = own.weights or made.weights
    weight = max(weights[rank % len(weights)] for rank in range(own.ranks))
    return (own.times[0] if own.times else made.phases[0].stages[0].time * own.factor) * weight


def test_resize_happens_in_the_middle_as_the_variant_says() -> None:
    made = resized(experiment(1, 0.1, [1.0]), 2, 4, THREAD, ["join"])
    assert [group.ranks for group in made.groups] == [2, 4]
    assert made.groups[0].iterations == 50
    second = made.groups[1]
    assert (second.process_method, second.transfer_method, second.transfer_strategy) == (
        "merge",
        "col",
        "thread",
    )
    assert second.process_strategies == ["join"]
    assert made.data.memory == "private"
    assert made.verify is False


def test_shared_memory_is_requested_by_its_variant() -> None:
    made = resized(experiment(1, 0.1, [1.0]), 2, 4, variant("Merge-SHMS"), ["auto"])
    assert (made.data.memory, made.groups[1].transfer_method) == ("shared", "p2p")


@pytest.mark.parametrize("name", PAPERS)
def test_each_variant_of_the_papers_can_be_emulated(name: str) -> None:
    made = resized(experiment(1, 0.1, [1.0]), 1, 2, variant(name), ["auto"])
    assert made.groups[1].process_method in ("merge", "baseline-intra")


def test_factors_of_an_experiment_follow_its_sizes() -> None:
    groups = [{"ranks": 1, "iterations": 10}, {"ranks": 2, "factor": 0.5}]
    known = experiment(1, 0.1, [1.0], groups=groups)
    made = resized(known, 2, 1, THREAD, ["auto"])
    assert [group.factor for group in made.groups] == [0.5, 1.0]
    assert [group.factor for group in fixed(known, 2).groups] == [0.5]
    assert [(group.ranks, group.factor) for group in fixed(known, 4).groups] == [(4, 1.0)]


weights = st.lists(st.floats(0.1, 10.0), min_size=4, max_size=4)
times = st.floats(1e-4, 1.0)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(times, times, weights, weights, st.booleans(), st.booleans())
def test_slowest_rank_takes_as_long_as_at_each_size(
    at_two: float, at_four: float, of_two: list[float], of_four: list[float], shrink: bool, alike: bool
) -> None:
    small, large = experiment(2, at_two, of_two[:2]), experiment(4, at_four, of_four, more=not alike)
    before, after = (large, small) if shrink else (small, large)
    sizes = before.groups[0].ranks, after.groups[0].ranks
    made = joined(before, after, resized(before, *sizes, THREAD, ["auto"]))
    assert slowest(made, 0) == pytest.approx(slowest(before, 0))
    assert slowest(made, 1) == pytest.approx(slowest(after, 0))


def test_waiting_in_communication_is_kept_for_each_size() -> None:
    two, four = experiment(2, 0.1, [1.0], waited=0.01), experiment(4, 0.05, [1.0], waited=0.3)
    made = joined(two, four, resized(two, 2, 4, THREAD, ["auto"]))
    assert [group.times for group in made.groups] == [[0.1, 0.01], [0.05, 0.3]]


def test_emulation_without_times_keeps_its_factors() -> None:
    still = [{"iterations": 10, "stages": [{"type": "allreduce", "bytes": 8}]}]
    one, two = (experiment(ranks, 0.1, [1.0], phases=still) for ranks in (1, 2))
    made = joined(one, two, resized(one, 1, 2, THREAD, ["auto"]))
    assert [group.factor for group in made.groups] == [1.0, 1.0]


def test_runs_without_resize_use_the_memory_of_the_variants() -> None:
    assert common_memory(PAPERS) == "private"
    assert common_memory(["Merge-SHMS"]) == "shared"
    assert common_memory([*PAPERS, "Merge-SHMS"]) is None
