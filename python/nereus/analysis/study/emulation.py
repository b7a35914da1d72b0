# SPDX-License-Identifier: BSD-3-Clause
"""The experiment of one run of an emulation. Pure: from experiments to an experiment."""

from collections.abc import Sequence
from typing import Any

from nereus.analysis.study.variants import Variant
from nereus.config import Experiment
from nereus.stages import COMPUTE


def fixed(experiment: Experiment, ranks: int) -> Experiment:
    """The experiment on `ranks` processes from its beginning to its end."""
    group = {**_group_at(experiment, ranks), "iterations": 0}
    return _with(experiment, groups=[group], weights=experiment.weights[:ranks])


def resized(
    experiment: Experiment, before: int, after: int, way: Variant, strategies: Sequence[str]
) -> Experiment:
    """The experiment with one resize, in the middle of its iterations."""
    first = {**_group_at(experiment, before), "iterations": experiment.iterations // 2}
    second = {
        **_group_at(experiment, after),
        "iterations": 0,
        "process_method": way.way.processes.method,
        "process_strategies": list(strategies),
        "transfer_method": way.transfer_method,
        "transfer_strategy": way.way.strategy,
    }
    data = {**experiment.data.model_dump(exclude={"bytes", "constant_percent"}), "memory": way.memory}
    weights = experiment.weights[: max(before, after)]
    return _with(experiment, groups=[first, second], data=data, weights=weights)


def joined(before: Experiment, after: Experiment, resized_one: Experiment) -> Experiment:
    """`resized_one`, made of `before`, with the times that were found at both of its sizes.

    `before` and `after` are experiments of one size each. Stages are those of `before`. Where both have the
    same kinds of stages, each group has the times of the experiment at its size; else a factor makes its
    stages that have a time as long, at the slowest rank. Groups that have no weights of their own share those
    of the larger size: the smaller uses the first.
    """
    small, large = (group.ranks for group in sorted(resized_one.groups, key=lambda group: group.ranks))
    weights = max((before, after), key=lambda one: one.groups[0].ranks).weights[:large]
    groups = [group.model_dump() for group in resized_one.groups]
    for group, source in zip(groups, (before, after), strict=True):
        own_weights = source.groups[0].model_dump().get("weights")
        if _kinds(before) == _kinds(after):
            group["times"] = _times(source)
            group["weights"] = own_weights or source.weights[: group["ranks"]]
            continue
        if own_weights:
            group["weights"] = own_weights
        own = _busy_seconds(before, _greatest(own_weights or weights, group["ranks"]))
        wanted = _busy_seconds(source, _greatest(own_weights or source.weights, group["ranks"]))
        group["factor"] = source.groups[0].factor * wanted / own if own and wanted else 1.0
    assert small < large  # neighbours differ in ranks; the model sees to that
    return _with(resized_one, groups=groups, weights=weights, factor_scales="all")


def _kinds(experiment: Experiment) -> list[str]:
    return [stage.type for phase in experiment.phases for stage in phase.stages]


def _times(experiment: Experiment) -> list[float]:
    """Of all stages in its first group."""
    return experiment.stage_seconds(experiment.groups[0])


def _busy_seconds(experiment: Experiment, weight: float) -> float:
    """Seconds of an iteration in stages with a time, at a rank whose work is multiplied by `weight`."""
    total = sum(
        phase.iterations * stage.time * (weight if stage.type in COMPUTE else 1.0)
        for phase in experiment.phases
        for stage in phase.stages
    )
    return total / experiment.iterations


def _greatest(weights: Sequence[float], ranks: int) -> float:
    return max(weights[rank % len(weights)] for rank in range(min(ranks, len(weights))))


def _group_at(experiment: Experiment, ranks: int) -> dict[str, Any]:
    """The experiment's own group of that size, whose factor is known; else its first one with that size."""
    own = [group for group in experiment.groups if group.ranks == ranks]
    group = {**(own or experiment.groups)[0].model_dump(), "ranks": ranks}
    return {**group, "weights": group["weights"][:ranks]} if group.get("weights") else group


def _with(experiment: Experiment, **changes: Any) -> Experiment:
    tree = experiment.model_dump(exclude={"data": {"bytes", "constant_percent"}})
    # Programs do not compare checksums as a rule either: transfers are measured, not what checks them.
    return Experiment.model_validate({**tree, "verify": False, **changes})
