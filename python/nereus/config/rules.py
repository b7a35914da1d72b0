# SPDX-License-Identifier: BSD-3-Clause
"""Rules that hold between several keys of an experiment: what is wrong, and what is only doubtful."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from nereus.config.document import KeyPath
from nereus.methods import transfer_conflict
from nereus.stages import BY_ID, COMPUTE, FILES, MESSAGES

if TYPE_CHECKING:
    from nereus.config.model import Experiment, Group, Phase, Stage

AMOUNTS = ("constant_bytes", "variable_bytes")
MOST_MESSAGE = 2**31 - 1  # bytes; not every MPI takes larger counts


@dataclass(frozen=True)
class Finding:
    """What a rule has to say about a key."""

    path: KeyPath
    message: str


def problems_of(experiment: Experiment) -> Iterator[Finding]:
    """What makes the experiment unusable."""
    for index, phase in enumerate(experiment.phases):
        yield from _unpaired(index, phase)
        for number, stage in enumerate(phase.stages):
            yield from _wrong_amounts(("phases", index, "stages", number), stage)
    if len(experiment.weights) > experiment.max_ranks:
        yield Finding(
            ("weights",), f"at most {experiment.max_ranks} weights, one for each rank of the largest group"
        )
    for index, group in enumerate(experiment.groups):
        if group.weights is not None and len(group.weights) > group.ranks:
            yield Finding(("groups", index, "weights"), f"at most {group.ranks} weights, one for each rank")
    stages = sum(len(phase.stages) for phase in experiment.phases)
    for index, group in enumerate(experiment.groups):
        if group.times is not None and len(group.times) != stages:
            yield Finding(("groups", index, "times"), f"{stages} times, one for each stage of all phases")
    for index, (before, group) in enumerate(pairwise(experiment.groups), start=1):
        if before.ranks == group.ranks:
            allowed = (
                f"another number than the {before.ranks} of the group before; migration does not exist yet"
            )
            yield Finding(("groups", index, "ranks"), allowed)
        yield from _wrong_transfer(("groups", index), group)
    yield from _wrong_protection(experiment)
    yield from _wrong_failures(experiment)


def said_twice_or_half(keys: Set[str]) -> Iterator[Finding]:
    """Of `keys` of the table data: amounts are two numbers of bytes, or all bytes and the constant share."""
    for key, other in (("bytes", "constant_percent"), ("constant_percent", "bytes")):
        if key in keys and other not in keys:
            yield Finding(("data", other), f"is missing: {key} has no meaning without it")
    for key in AMOUNTS:
        if key in keys and "bytes" in keys:
            allowed = "either constant_bytes and variable_bytes, or bytes and constant_percent"
            yield Finding(("data", key), allowed)


def doubts_about(experiment: Experiment) -> Iterator[Finding]:
    """What can be run, but is hardly meant."""
    for index, phase in enumerate(experiment.phases):
        for number, stage in enumerate(phase.stages):
            if stage.type != "wait" and stage.time == 0 and (stage.type in COMPUTE or stage.bytes == 0):
                yield Finding(
                    ("phases", index, "stages", number, "time"),
                    "without time and bytes the stage does nothing",
                )
    reached = 0
    for index, group in enumerate(experiment.groups[:-1], start=1):
        reached += group.iterations
        if reached >= experiment.iterations:
            text = f"the run ends after {experiment.iterations} iterations, not reaching group {index}"
            yield Finding(("groups", index - 1, "iterations"), text)
            return


def _wrong_transfer(path: KeyPath, group: Group) -> Iterator[Finding]:
    conflict = transfer_conflict(group.process_method, group.transfer_method, group.transfer_strategy)
    if conflict is not None:
        yield Finding((*path, "transfer_method"), conflict)


def _wrong_protection(experiment: Experiment) -> Iterator[Finding]:
    """Founders that make one another have no data yet when they do."""
    if experiment.protection is not None and experiment.groups[0].release_unit == "rank":
        yield Finding(("groups", 0, "release_unit"), "job or host with a table [protection]")


def _wrong_failures(experiment: Experiment) -> Iterator[Finding]:
    failures, protection = experiment.failures, experiment.protection
    if failures and protection is None:
        yield Finding(("failures", 0), "needs a table [protection]: without it the job ends with the failure")
    elif protection is not None and len(failures) > protection.recoveries:
        allowed = f"as many [[failures]] as protection.recoveries = {protection.recoveries} at most"
        yield Finding(("failures", protection.recoveries), allowed)
    last = 0
    for index, failure in enumerate(failures):
        path: KeyPath = ("failures", index, "iteration")
        if failure.iteration >= experiment.iterations:
            yield Finding(path, f"below {experiment.iterations}, the number of iterations of the run")
        elif failure.iteration <= last:
            yield Finding(path, f"above {last}, that of the failure before")
        last = failure.iteration


def _wrong_amounts(path: KeyPath, stage: Stage) -> Iterator[Finding]:
    if stage.bytes and stage.type in (*COMPUTE, "wait"):
        yield Finding((*path, "bytes"), f"0, because a stage of type {stage.type} sends nothing")
    if stage.padded and (stage.capped or not _can_be_padded(stage)):
        allowed = f"false, but for wait, and one operation with bytes of {', '.join((*MESSAGES, *FILES))}"
        yield Finding((*path, "padded"), allowed)
    if stage.bytes > MOST_MESSAGE and stage.type not in FILES:
        yield Finding((*path, "bytes"), f"at most {MOST_MESSAGE} bytes in one message")
    if stage.id is not None and stage.type not in BY_ID:
        yield Finding((*path, "id"), "only stages of type ip2p and wait have an id")


def _can_be_padded(stage: Stage) -> bool:
    return stage.type == "wait" or (stage.bytes > 0 and stage.type in (*MESSAGES, *FILES))


def _unpaired(index: int, phase: Phase) -> Iterator[Finding]:
    """Each ip2p has one wait after it in its phase; an open request would be lost."""
    opened: dict[int, int] = {}
    used: set[int] = set()
    for number, stage in enumerate(phase.stages):
        path: KeyPath = ("phases", index, "stages", number)
        if stage.type not in BY_ID:
            continue
        if stage.id is None:
            yield Finding((*path, "id"), f"is missing: {stage.type} shares an id with its partner")
        elif stage.type == "wait" and opened.pop(stage.id, None) is None:
            yield Finding((*path, "id"), "the id of a stage of type ip2p that comes before in the same phase")
        elif stage.type == "ip2p" and stage.id in used:
            yield Finding((*path, "id"), "an id that no other ip2p of the phase has")
        elif stage.type == "ip2p":
            opened[stage.id] = number
            used.add(stage.id)
    for identity, number in opened.items():
        yield Finding(
            ("phases", index, "stages", number, "id"),
            f"needs a stage of type wait with id {identity} after it",
        )
