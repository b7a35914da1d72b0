# SPDX-License-Identifier: BSD-3-Clause
"""An emulated application as a job whose size others choose: the time of an iteration on any number of ranks.

An experiment says so for the sizes of its groups. Between them, times lie on the lines of `Falling`, for each
stage: the simulated job and the emulated one have the same times.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nereus.config import Experiment, Group, load
from nereus.policy.performance import Falling


def emulated(file: Path) -> Experiment:
    """ConfigError where it cannot be read."""
    return load(file).experiment


def iteration_times(experiment: Experiment) -> list[list[float]]:
    """Of a scenario's job: [ranks, seconds of an iteration], the mean over all phases."""
    return [
        [each.ranks, _mean_seconds(experiment, experiment.stage_seconds(each))] for each in _sizes(experiment)
    ]


def commanded_run(experiment: Experiment, most: int, scratch: str) -> dict[str, Any]:
    """The run file of a job that is resized by commands, to any size up to `most` (docs/formats/run.md)."""
    sizes = _sizes(experiment)
    known = tuple(group.ranks for group in sizes)
    columns = zip(*(experiment.stage_seconds(group) for group in sizes), strict=True)
    stages = [Falling(known, seconds) for seconds in columns]
    groups = [_group_of(ranks, sizes, stages) for ranks in range(1, most + 1)]
    whole = experiment.model_copy(update={"groups": groups})
    return {**whole.to_run(scratch), "resizes": "commanded"}


def resize_settings(experiment: Experiment) -> dict[str, str]:
    """Settings of the job: how the experiment's first resize is made; none where it has none."""
    if not experiment.malleable:
        return {}
    group = experiment.groups[1]
    return {
        "NEREUS_PROCESS_METHOD": group.process_method,
        "NEREUS_PROCESS_STRATEGIES": "+".join(group.process_strategies) or "none",
        "NEREUS_TRANSFER_METHOD": group.transfer_method,
        "NEREUS_TRANSFER_STRATEGY": group.transfer_strategy,
        "NEREUS_SURVIVORS": group.survivors,
    }


def _sizes(experiment: Experiment) -> list[Group]:
    """Ranks rising; of groups with the same, the first."""
    first = {group.ranks: group for group in reversed(experiment.groups)}
    return [first[ranks] for ranks in sorted(first)]


def _mean_seconds(experiment: Experiment, stages: list[float]) -> float:
    total, at = 0.0, 0
    for phase in experiment.phases:
        total += phase.iterations * sum(stages[at : at + len(phase.stages)])
        at += len(phase.stages)
    return total / experiment.iterations


def _group_of(ranks: int, sizes: Sequence[Group], stages: Sequence[Falling]) -> Group:
    """With the weights of the nearest smaller size, as no other is known."""
    times = [stage.seconds(ranks) for stage in stages]
    smaller = [group for group in sizes if group.ranks <= ranks]
    nearest = smaller[-1] if smaller else sizes[0]
    return nearest.model_copy(update={"ranks": ranks, "iterations": 0, "factor": 1.0, "times": times})
